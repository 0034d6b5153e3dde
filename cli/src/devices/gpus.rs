//! What is known of the devices and their links.

use serde::Serialize;

use super::link::PairLink;

/// The devices that this process sees, and how they are linked.
#[derive(Serialize)]
pub struct Gpus {
    /// Version of CUDA that the driver serves.
    pub driver: Option<String>,
    /// The reason why there are none.
    pub error: Option<String>,
    /// The devices, by their number.
    pub devices: Vec<Gpu>,
    /// Each ordered pair of different devices.
    pub pairs: Vec<GpuPair>,
}

/// One device.
#[derive(Serialize)]
pub struct Gpu {
    /// Its number in this process.
    pub number: i32,
    /// Its name.
    pub name: String,
    /// Bytes of its memory.
    pub memory_bytes: usize,
    /// Compute capability.
    pub capability: String,
    /// Its place on the PCI bus.
    pub pci: String,
    /// The NUMA node of that place; `None` if the kernel knows none.
    pub numa_node: Option<u32>,
    /// Its identity.
    pub uuid: String,
}

/// The way from one device to another.
#[derive(Serialize)]
pub struct GpuPair {
    /// Number of the device whose memory is read.
    pub from: i32,
    /// Number of the device whose memory is written.
    pub to: i32,
    /// What lies between them.
    pub link: PairLink,
    /// Whether one can access the memory of the other without the host.
    pub peer_access: bool,
    /// What a copy from one to the other goes through.
    pub copies: &'static str,
}
