//! The devices and their links in words.

use super::gpus::{Gpu, Gpus};

/// The cells of a device.
pub fn device(gpu: &Gpu) -> Vec<String> {
    let gigabytes = gpu.memory_bytes as f64 / f64::from(1u32 << 30);
    let node = gpu.numa_node.map_or_else(|| "NUMA node unknown".into(), |node| format!("NUMA node {node}"));
    vec![
        gpu.number.to_string(),
        gpu.name.clone(),
        format!("{gigabytes:.1} GiB"),
        format!("compute {}", gpu.capability),
        gpu.pci.clone(),
        node,
    ]
}

/// The links: equal ones of a device in one line.
pub fn links(gpus: &Gpus) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for gpu in &gpus.devices {
        let from = gpu.number;
        let mut groups: Vec<(&'static str, &'static str, Vec<String>)> = Vec::new();
        for pair in gpus.pairs.iter().filter(|pair| pair.from == from) {
            let (link, copies) = (pair.link.words(), pair.copies);
            match groups.iter_mut().find(|group| (group.0, group.1) == (link, copies)) {
                Some(group) => group.2.push(pair.to.to_string()),
                None => groups.push((link, copies, vec![pair.to.to_string()])),
            }
        }
        for (link, copies, to) in groups {
            rows.push(vec![
                format!("{from} -> {}", to.join(" ")),
                link.into(),
                format!("copies go {copies}"),
            ]);
        }
    }
    rows
}

/// An identity as nvidia-smi writes it.
pub fn uuid(bytes: &[u8; 16]) -> String {
    let hex = |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let parts = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]].map(hex);
    format!("GPU-{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_written_as_nvidia_smi_does() {
        let bytes = std::array::from_fn(|at| at as u8);
        assert_eq!(uuid(&bytes), "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
    }
}
