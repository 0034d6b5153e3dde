//! What lies between two devices: NVLink, switches and bridges of PCIe, or the link between sockets.
//!
//! The names are those of `nvidia-smi topo`, in words. The driver tells about NVLink: atomic operations on
//! the memory of the other device work there and not over PCIe. The kernel's tree of devices tells the rest.

use std::fs;
use std::path::{Path, PathBuf};

use anyccl_engine::device::tools::DevicePair;
use serde::Serialize;

/// What lies between two devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairLink {
    /// NVLink (NV).
    #[serde(rename = "nvlink")]
    NvLink,
    /// One switch of PCIe (PIX).
    PcieSwitch,
    /// Several switches of PCIe (PXB).
    PcieSwitches,
    /// The PCIe root of a processor (PHB).
    PcieRoot,
    /// Several PCIe roots of one NUMA node (NODE).
    SameSocket,
    /// The link between two NUMA nodes (SYS).
    OtherSocket,
    /// PCIe, in a way that the kernel does not tell.
    Unknown,
}

impl PairLink {
    /// The link in words.
    pub fn words(self) -> &'static str {
        match self {
            PairLink::NvLink => "NVLink",
            PairLink::PcieSwitch => "one PCIe switch",
            PairLink::PcieSwitches => "PCIe switches",
            PairLink::PcieRoot => "PCIe root",
            PairLink::SameSocket => "same socket",
            PairLink::OtherSocket => "other socket",
            PairLink::Unknown => "PCIe",
        }
    }
}

/// The place of a device in the kernel's tree.
pub struct PciPlace {
    /// The names from the root to the device; empty if the kernel does not know it.
    path: Vec<String>,
    /// The NUMA node, if the kernel knows one.
    pub numa_node: Option<u32>,
}

impl PciPlace {
    /// Looks up a device by its place on the bus, such as `0000:01:00.0`.
    pub fn of(bus_id: &str) -> PciPlace {
        PciPlace::below(Path::new("/sys/bus/pci/devices"), bus_id)
    }

    fn below(folder: &Path, bus_id: &str) -> PciPlace {
        let link = folder.join(bus_id);
        let node = fs::read_to_string(link.join("numa_node")).ok();
        // -1 means that the machine does not tell.
        let numa_node = node.and_then(|text| text.trim().parse().ok());
        let path = link.canonicalize().map(|path| path_from_root(&path)).unwrap_or_default();
        PciPlace { path, numa_node }
    }
}

/// The part of a path that begins with a PCIe root, such as `pci0000:00`.
fn path_from_root(path: &Path) -> Vec<String> {
    let parts: Vec<PathBuf> = path.iter().map(PathBuf::from).collect();
    let names = parts.iter().map(|part| part.to_string_lossy().into_owned());
    names.skip_while(|name| !name.starts_with("pci")).collect()
}

/// The link between two devices.
pub fn between(pair: &DevicePair, from: &PciPlace, to: &PciPlace) -> PairLink {
    if pair.native_atomics {
        return PairLink::NvLink;
    }
    by_pcie(from, to)
}

fn by_pcie(from: &PciPlace, to: &PciPlace) -> PairLink {
    if from.path.is_empty() || to.path.is_empty() {
        return PairLink::Unknown;
    }
    let common = from.path.iter().zip(&to.path).take_while(|(one, other)| one == other).count();
    // Behind the port that both share, a port of the switch and the device itself.
    let below = |place: &PciPlace| place.path.len() - common;
    match (common, from.numa_node, to.numa_node) {
        (0, Some(one), Some(other)) if one == other => PairLink::SameSocket,
        (0, Some(_), Some(_)) => PairLink::OtherSocket,
        (0, ..) => PairLink::Unknown,
        (1, ..) => PairLink::PcieRoot,
        _ if below(from) <= 2 && below(to) <= 2 => PairLink::PcieSwitch,
        _ => PairLink::PcieSwitches,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, numa_node: Option<u32>) -> PciPlace {
        PciPlace { path: path_from_root(Path::new(path)), numa_node }
    }

    #[test]
    fn links_of_pcie_are_those_of_nvidia_smi() {
        let root = "/sys/devices/pci0000:10/0000:10:01.0";
        let one = place(&format!("{root}/0000:11:00.0/0000:12:00.0/0000:13:00.0"), Some(0));
        for (path, numa_node, link) in [
            (format!("{root}/0000:11:00.0/0000:12:04.0/0000:14:00.0"), Some(0), PairLink::PcieSwitch),
            (
                format!("{root}/0000:11:00.0/0000:12:05.0/0000:15:00.0/0000:16:00.0/0000:17:00.0"),
                Some(0),
                PairLink::PcieSwitches,
            ),
            ("/sys/devices/pci0000:10/0000:10:03.0/0000:20:00.0".into(), Some(0), PairLink::PcieRoot),
            ("/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0".into(), Some(0), PairLink::SameSocket),
            ("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0".into(), Some(1), PairLink::OtherSocket),
            ("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0".into(), None, PairLink::Unknown),
            (String::new(), None, PairLink::Unknown),
        ] {
            assert_eq!(by_pcie(&one, &place(&path, numa_node)), link, "{path}");
        }
    }

    #[test]
    fn atomics_over_a_link_mean_nvlink() {
        let nowhere = place("", None);
        let pair = |native_atomics| DevicePair {
            from: 0,
            to: 1,
            can_access: true,
            native_atomics,
            performance_rank: 0,
        };
        assert_eq!(between(&pair(true), &nowhere, &nowhere), PairLink::NvLink);
        assert_eq!(between(&pair(false), &nowhere, &nowhere), PairLink::Unknown);
    }

    #[test]
    fn a_device_that_the_kernel_does_not_know_has_no_place() {
        let place = PciPlace::of("ffff:ff:1f.7");
        assert!(place.path.is_empty() && place.numa_node.is_none());
    }
}
