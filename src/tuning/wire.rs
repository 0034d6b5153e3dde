//! Tuning as bytes: rank 0 sends its own to all ranks, so that all choose alike.
//!
//! The layout is little endian: version (u32), chunk bytes (u64), four f64 for shm, four for tcp; ranks
//! and hosts of measured collectives (u32); curves, each a number of points (u8) and points (u64 and f64);
//! then the overrides as the text of `ANYCCL_ALGORITHM`. The reader trusts nothing.

use super::Tuning;
use super::overrides::Overrides;
use crate::base::{Error, Result};
use crate::cost::{Curve, LinkModel, Times};

/// Version of the layout. It is raised when the layout changes, or when equal tuning would choose
/// differently.
const VERSION: u32 = 4;

/// Upper limit of the text's length. It is far above the text of all overrides.
const MAX_TEXT: usize = 4096;

impl Tuning {
    /// The bytes that rank 0 sends.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        bytes.extend((self.chunk_bytes as u64).to_le_bytes());
        for link in [self.shm, self.tcp] {
            for number in [link.latency_us, link.message_us, link.us_per_byte, link.reduce_us_per_byte] {
                bytes.extend(number.to_le_bytes());
            }
        }
        let mut times = self.times.as_deref().copied().unwrap_or(Times::NONE);
        for number in [times.collectives.ranks, times.collectives.hosts] {
            bytes.extend(number.to_le_bytes());
        }
        for curve in times.curves() {
            bytes.push(curve.points().len() as u8);
            for (size, us) in curve.points() {
                bytes.extend(size.to_le_bytes());
                bytes.extend(us.to_le_bytes());
            }
        }
        bytes.extend(self.overrides.to_text().into_bytes());
        bytes
    }

    /// Reads what rank 0 sent. An error if the bytes are not valid here.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tuning> {
        read(bytes).ok_or_else(|| {
            let text = "rank 0 sent tuning that this version of anyccl does not understand";
            Error::Bootstrap(format!("{text} ({} bytes)", bytes.len()))
        })
    }
}

fn read(bytes: &[u8]) -> Option<Tuning> {
    let (version, rest) = bytes.split_first_chunk()?;
    if u32::from_le_bytes(*version) != VERSION {
        return None;
    }
    let (chunk_bytes, mut rest) = rest.split_first_chunk()?;
    let chunk_bytes = usize::try_from(u64::from_le_bytes(*chunk_bytes)).ok().filter(|&bytes| bytes > 0)?;
    let shm = read_link(&mut rest)?;
    let tcp = read_link(&mut rest)?;
    let mut times = Times::NONE;
    for number in [&mut times.collectives.ranks, &mut times.collectives.hosts] {
        let (bytes, after) = rest.split_first_chunk()?;
        (*number, rest) = (u32::from_le_bytes(*bytes), after);
    }
    for curve in times.curves() {
        *curve = read_curve(&mut rest)?;
    }
    let overrides = match std::str::from_utf8(rest).ok().filter(|text| text.len() <= MAX_TEXT)? {
        "" => Overrides::default(),
        text => Overrides::parse(text).ok()?,
    };
    let times = super::measured(times);
    Some(Tuning { shm, tcp, times, chunk_bytes, ranks_per_core: 1, fixed_bits: false, wire: None, overrides })
}

fn read_link(rest: &mut &[u8]) -> Option<LinkModel> {
    let mut number = || {
        let (number, after) = rest.split_first_chunk()?;
        *rest = after;
        Some(f64::from_le_bytes(*number)).filter(|number| number.is_finite() && *number >= 0.0)
    };
    Some(LinkModel {
        latency_us: number()?,
        message_us: number()?,
        us_per_byte: number()?,
        reduce_us_per_byte: number()?,
    })
}

fn read_curve(rest: &mut &[u8]) -> Option<Curve> {
    let (&points, after) = rest.split_first()?;
    *rest = after;
    let mut number = || {
        let (number, after) = rest.split_first_chunk()?;
        *rest = after;
        Some(*number)
    };
    let point = |_| Some((u64::from_le_bytes(number()?), f64::from_le_bytes(number()?)));
    match (0..points).map(point).collect::<Option<Vec<_>>>()? {
        points if points.is_empty() => Some(Curve::NONE),
        points => Curve::new(&points),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::Config;

    fn some_tuning() -> Tuning {
        let algorithm = Some("all_to_all:bruck,reduce:chain".to_owned());
        let config = Config { algorithm, chunk_bytes: 12345, ..Config::default() };
        let tuning = Tuning::from_config(&config).unwrap();
        let mut times = Times::NONE;
        (times.collectives.ranks, times.collectives.hosts) = (4, 2);
        times.tcp.exchange = Curve::new(&[(8, 0.5), (4096, 7.0)]).unwrap();
        Tuning { shm: tuning.shm.oversubscribed(3), times: super::super::measured(times), ..tuning }
    }

    #[test]
    fn tuning_survives_the_way_through_bytes() {
        for tuning in [some_tuning(), Tuning::from_config(&Config::default()).unwrap()] {
            assert_eq!(Tuning::from_bytes(&tuning.to_bytes()).unwrap(), tuning);
        }
    }

    #[test]
    fn cut_bytes_are_refused_or_have_fewer_overrides() {
        let bytes = some_tuning().to_bytes();
        let fixed = 4 + 8 + 8 * 8 + 8 + 14 + 2 * 16;
        for len in 0..fixed {
            assert!(matches!(Tuning::from_bytes(&bytes[..len]), Err(Error::Bootstrap(_))), "{len}");
        }
    }

    #[test]
    fn senseless_numbers_are_refused() {
        let bytes = some_tuning().to_bytes();
        let with = |offset: usize, new: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[offset..offset + new.len()].copy_from_slice(new);
            Tuning::from_bytes(&bytes)
        };
        assert!(with(0, &(VERSION + 1).to_le_bytes()).is_err(), "version");
        assert!(with(4, &0u64.to_le_bytes()).is_err(), "chunk");
        for link_number in 0..6 {
            for value in [f64::NAN, f64::INFINITY, -1.0] {
                assert!(with(12 + 8 * link_number, &value.to_le_bytes()).is_err(), "{link_number} {value}");
            }
        }
        let points = 4 + 8 + 8 * 8 + 8 + 3;
        assert!(with(points, &[13]).is_err(), "too many points");
        for value in [f64::NAN, f64::INFINITY, -1.0, 8.0] {
            assert!(with(points + 1 + 8, &value.to_le_bytes()).is_err(), "a time of {value}, then 7.0");
        }
        assert!(with(bytes.len() - 5, b"nosuc").is_err(), "algorithm");
        assert!(with(bytes.len() - 1, &[0xff]).is_err(), "not UTF-8");
        assert!(with(12, &1.0f64.to_le_bytes()).is_ok(), "the test itself");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = Tuning::from_bytes(&bytes);
            let mut versioned = VERSION.to_le_bytes().to_vec();
            versioned.extend(bytes);
            let _ = Tuning::from_bytes(&versioned);
        }
    }
}
