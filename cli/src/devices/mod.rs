//! The GPUs of this machine: what the CUDA driver tells ([`Gpus`]), how they are linked ([`link`]), and how
//! fast copies between them are ([`mod@matrix`]: `anyccl p2p-matrix`).

mod gpus;
mod link;
mod matrix;
mod words;

pub use matrix::{MatrixArguments, matrix};

use anyccl_engine::device::tools::Inventory;
pub use gpus::Gpus;
use gpus::{Gpu, GpuPair};
use link::{PairLink, PciPlace};

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
