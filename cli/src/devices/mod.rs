//! The GPUs of this machine: what the CUDA driver tells ([`Gpus`]), how they are linked ([`link`]), and how
//! fast copies between them are ([`mod@matrix`]: `anyccl p2p-matrix`).

mod link;
mod matrix;
mod words;

pub use matrix::{MatrixArguments, matrix};

use anyccl_engine::device::tools::Inventory;
use serde::Serialize;

use link::{PairLink, PciPlace};

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

impl Gpus {
    /// Asks the driver, which is opened, and the kernel. Never fails: the reason is a part of the answer.
    pub fn find() -> Gpus {
        match Inventory::make() {
            Ok(inventory) => Gpus::of(&inventory),
            Err(error) => {
                let error = Some(error.to_string());
                Gpus { driver: None, error, devices: Vec::new(), pairs: Vec::new() }
            }
        }
    }

    fn of(inventory: &Inventory) -> Gpus {
        let places: Vec<PciPlace> =
            inventory.devices.iter().map(|device| PciPlace::of(&device.bus_id)).collect();
        let devices = inventory.devices.iter().zip(&places).map(|(device, place)| Gpu {
            number: device.ordinal,
            name: device.name.clone(),
            memory_bytes: device.memory,
            capability: format!("{}.{}", device.capability.0, device.capability.1),
            pci: device.bus_id.clone(),
            numa_node: place.numa_node,
            uuid: words::uuid(&device.uuid),
        });
        let pairs = inventory.pairs.iter().map(|pair| {
            let place = |device: i32| &places[device.cast_unsigned() as usize];
            let link = link::between(pair, place(pair.from), place(pair.to));
            let copies = match (pair.can_access, link) {
                (true, PairLink::NvLink) => "directly, by NVLink",
                (true, _) => "directly, by PCIe",
                (false, _) => "through host memory",
            };
            GpuPair { from: pair.from, to: pair.to, link, peer_access: pair.can_access, copies }
        });
        let (major, minor) = inventory.driver;
        Gpus {
            driver: Some(format!("{major}.{minor}")),
            error: None,
            devices: devices.collect(),
            pairs: pairs.collect(),
        }
    }

    /// The devices, as lines of cells.
    pub fn device_rows(&self) -> Vec<Vec<String>> {
        self.devices.iter().map(words::device).collect()
    }

    /// What lies between the devices, as lines of cells.
    pub fn link_rows(&self) -> Vec<Vec<String>> {
        words::links(self)
    }
}
