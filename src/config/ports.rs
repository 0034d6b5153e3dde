//! The ports at which a process of a job may listen.

use super::variables::{bad, raw};
use crate::base::Result;

const NAME: &str = "ANYCCL_PORT_RANGE";

/// The ports at which this process may listen, where nothing else fixes the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRange {
    low: u16,
    high: u16,
}

impl PortRange {
    /// Any free port, which the kernel chooses.
    pub const ANY: PortRange = PortRange { low: 0, high: 0 };

    /// Reads `ANYCCL_PORT_RANGE`.
    pub fn from_environment() -> Result<PortRange> {
        raw(NAME).filter(|text| !text.is_empty()).map_or(Ok(PortRange::ANY), |text| PortRange::parse(&text))
    }

    /// Reads LOW-HIGH.
    pub fn parse(text: &str) -> Result<PortRange> {
        let ends = text.split_once('-').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        match ends {
            Some((low, high)) if 0 < low && low <= high => Ok(PortRange { low, high }),
            _ => Err(bad(NAME, text, "LOW-HIGH, such as 30000-30999")),
        }
    }

    /// All ports of the range, in the order in which a process tries them. Processes begin at different
    /// ports, so that few of them ask for the same one.
    pub fn ports(self) -> impl Iterator<Item = u16> {
        let count = u32::from(self.high - self.low) + 1;
        // A multiplier that scatters neighbouring process numbers.
        let first = std::process::id().wrapping_mul(0x9e37_79b1) % count;
        (0..count).map(move |step| self.low + ((first + step) % count) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_all_its_ports_once_and_nonsense_is_refused() {
        let mut ports: Vec<u16> = PortRange::parse("30000-30009").unwrap().ports().collect();
        ports.sort_unstable();
        assert_eq!(ports, (30000..=30009).collect::<Vec<_>>());
        assert_eq!(PortRange::parse("1-65535").unwrap().ports().count(), 65535);
        assert_eq!(PortRange::ANY.ports().collect::<Vec<_>>(), [0]);
        for text in ["", "5", "0-5", "6-5", "1-65536", "a-b", "1-2-3"] {
            assert!(PortRange::parse(text).unwrap_err().to_string().contains("LOW-HIGH"), "{text}");
        }
    }
}
