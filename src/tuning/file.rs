//! `ANYCCL_TUNING_FILE`: measured costs of links and reductions on this machine.
//!
//! The file has one `key = value` per line, `#` begins a comment; it is also valid TOML. `anyccl perf --tune`
//! writes it; people may write it, too. A key that a file leaves out keeps its default. A line that cannot be
//! understood is an error that names the line.

use std::fmt::Write;
use std::io::Read;

use crate::base::{Error, Result};
use crate::cost::{Curve, FIGURES, LinkModel, Times};
use crate::sys::trusted_file::{TrustPolicy, open_trusted};

/// Upper limit of the file's length in bytes; no file of figures comes near it.
const LONGEST: u64 = 1 << 20;

/// The costs that a file can set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Links {
    /// Links within a host.
    pub shm: LinkModel,
    /// Links between hosts.
    pub tcp: LinkModel,
    /// Measured times, which the choice of algorithms ignores.
    pub times: Times,
}

/// A key whose value is one number.
struct Key {
    name: &'static str,
    meaning: &'static str,
    get: fn(&Links) -> f64,
    set: fn(&mut Links, f64),
}

/// A key whose value is a curve.
struct CurveKey {
    name: &'static str,
    meaning: &'static str,
    place: fn(&mut Times) -> &mut Curve,
}

/// Converts between gigabytes per second and microseconds per byte, either way.
fn inverted(number: f64) -> f64 {
    1e-3 / number
}

/// Rounds to four digits: no measurement is more exact. Whole numbers stay as they are.
fn rounded(number: f64) -> f64 {
    if number.fract() == 0.0 {
        return number;
    }
    let scale = 10f64.powf(3.0 - number.log10().floor());
    (number * scale).round() / scale
}

static KEYS: [Key; 7] = [
    Key {
        name: "shm.latency_us",
        meaning: "an empty message through shared memory, one way",
        get: |links| links.shm.latency_us,
        set: |links, value| links.shm = links.shm.with_latency(value),
    },
    Key {
        name: "shm.gigabytes_per_second",
        meaning: "a long message through shared memory",
        get: |links| inverted(links.shm.us_per_byte),
        set: |links, value| links.shm.us_per_byte = inverted(value),
    },
    Key {
        name: "tcp.latency_us",
        meaning: "an empty message through TCP, one way",
        get: |links| links.tcp.latency_us,
        set: |links, value| links.tcp = links.tcp.with_latency(value),
    },
    Key {
        name: "tcp.gigabytes_per_second",
        meaning: "a long message through TCP",
        get: |links| inverted(links.tcp.us_per_byte),
        set: |links, value| links.tcp.us_per_byte = inverted(value),
    },
    Key {
        name: "reduce.gigabytes_per_second",
        meaning: "bytes of the result of a reduction on one rank",
        get: |links| inverted(links.shm.reduce_us_per_byte),
        set: |links, value| {
            links.shm.reduce_us_per_byte = inverted(value);
            links.tcp.reduce_us_per_byte = inverted(value);
        },
    },
    Key {
        name: "collectives.ranks",
        meaning: "of the job that made the collectives below",
        get: |links| links.times.collectives.ranks.into(),
        set: |links, value| links.times.collectives.ranks = value as u32,
    },
    Key {
        name: "collectives.hosts",
        meaning: "groups of these ranks that share memory",
        get: |links| links.times.collectives.hosts.into(),
        set: |links, value| links.times.collectives.hosts = value as u32,
    },
];

static CURVES: [CurveKey; 6] = [
    CurveKey {
        name: "shm.one_way_us",
        meaning: "one message, beyond the latency",
        place: |times| &mut times.shm.one_way,
    },
    CurveKey {
        name: "shm.exchange_us",
        meaning: "both send at once, beyond the latency",
        place: |times| &mut times.shm.exchange,
    },
    CurveKey {
        name: "tcp.one_way_us",
        meaning: "one message, beyond the latency",
        place: |times| &mut times.tcp.one_way,
    },
    CurveKey {
        name: "tcp.exchange_us",
        meaning: "both send at once, beyond the latency",
        place: |times| &mut times.tcp.exchange,
    },
    CurveKey { name: "reduce.us", meaning: "a reduction", place: |times| &mut times.reduce },
    CurveKey { name: "copy.us", meaning: "a copy in memory", place: |times| &mut times.copy },
];

impl Links {
    /// The costs without a file.
    pub const DEFAULT: Links = Links { shm: LinkModel::SHM, tcp: LinkModel::TCP, times: Times::NONE };

    /// The defaults, overridden by the file at `path`.
    pub fn read(path: &str, believed: TrustPolicy) -> Result<Links> {
        let mut text = String::new();
        open_trusted(path, believed)
            .and_then(|file| file.take(LONGEST).read_to_string(&mut text))
            .map_err(|error| refused(format!("{path}: {error}")))?;
        Links::parse(&text).map_err(|(line, why)| refused(format!("{path}:{line}: {why}")))
    }

    /// The text of a file with all measured costs. Figures of TCP are included only if `tcp`, those of shared
    /// memory only if `shm`.
    pub fn to_text(&self, shm: bool, tcp: bool) -> String {
        let mut text = String::new();
        let is_known = |name: &str| match name.split_once('.') {
            Some(("shm", _)) => shm,
            Some(("tcp", _)) => tcp,
            Some(("collectives", _)) => self.times.collectives.ranks > 0,
            _ => true,
        };
        for key in &KEYS {
            if is_known(key.name) {
                let _ = writeln!(text, "{} = {}  # {}", key.name, rounded((key.get)(self)), key.meaning);
            }
        }
        let mut times = self.times;
        let mut add = |name: &str, curve: Curve, meaning: &str| {
            if is_known(name) && !curve.is_empty() {
                let _ = writeln!(text, "{name} = \"{curve}\"  # BYTES:US, {meaning}");
            }
        };
        for CurveKey { name, meaning, place } in &CURVES {
            add(name, *place(&mut times), meaning);
        }
        for (collective, curve) in times.collectives.curves() {
            add(&format!("collectives.{}.us", collective.name()), *curve, "by the larger buffer of a rank");
        }
        text
    }

    /// The defaults, overridden by a text. An error is the number of the line, from 1, and what is wrong with
    /// it.
    pub fn parse(text: &str) -> std::result::Result<Links, (usize, String)> {
        let mut links = Links::DEFAULT;
        let mut seen = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let (name, value) =
                content.split_once('=').ok_or_else(|| (line, format!("\"{content}\" is not KEY = VALUE")))?;
            let (name, value) = (name.trim(), value.trim());
            if seen.contains(&name) {
                return Err((line, format!("{name} is there twice")));
            }
            seen.push(name);
            if let Some(curve) = curve_of(&mut links.times, name) {
                let value = value.trim_matches('"');
                *curve = Curve::parse(value).ok_or_else(|| {
                    let accepted = "BYTES:US BYTES:US ..., both rising and above 0";
                    (line, format!("{name} is \"{value}\"; accepted: {accepted}"))
                })?;
                continue;
            }
            let key = KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
                let names = KEYS.iter().map(|key| key.name).chain(CURVES.iter().map(|key| key.name));
                let known = names.collect::<Vec<_>>().join(", ");
                (line, format!("there is no key \"{name}\"; there are {known}, and collectives.NAME.us"))
            })?;
            let number = value.parse().ok().filter(|number| FIGURES.contains(number));
            let number = number.ok_or_else(|| {
                (line, format!("{name} is \"{value}\"; accepted: a number above 0, from 1e-9 to 1e9"))
            })?;
            if name.starts_with("collectives.") && number.fract() != 0.0 {
                return Err((line, format!("{name} is \"{value}\"; accepted: a whole number")));
            }
            (key.set)(&mut links, number);
        }
        Ok(links)
    }
}

/// The curve that a key sets.
fn curve_of<'a>(times: &'a mut Times, name: &str) -> Option<&'a mut Curve> {
    if let Some(key) = CURVES.iter().find(|key| key.name == name) {
        return Some((key.place)(times));
    }
    let collective = name.strip_prefix("collectives.")?.strip_suffix(".us")?;
    let mut curves = times.collectives.curves();
    curves.find(|(known, _)| known.name() == collective).map(|(_, curve)| curve)
}

fn refused(got: String) -> Error {
    Error::InvalidArgument { what: "ANYCCL_TUNING_FILE", got }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_sets_some_values_and_the_others_keep_their_defaults() {
        let links =
            Links::parse("# here\n\nshm.latency_us = 0.5 # measured\nreduce.gigabytes_per_second=4\n");
        let links = links.unwrap();
        assert_eq!(links.shm.latency_us, 0.5);
        assert_eq!(links.shm.us_per_byte, LinkModel::SHM.us_per_byte);
        assert_eq!((links.shm.reduce_us_per_byte, links.tcp.reduce_us_per_byte), (0.25e-3, 0.25e-3));
        assert_eq!(links.tcp.latency_us, LinkModel::TCP.latency_us);
        assert_eq!(Links::parse("").unwrap(), Links::DEFAULT);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut links = Links::DEFAULT;
        for (at, key) in KEYS.iter().enumerate() {
            (key.set)(&mut links, at as f64 + 0.5);
        }
        for (at, curve) in links.times.curves().enumerate() {
            *curve = Curve::new(&[(8, 0.5), (1 << 20, 200.5 + at as f64)]).unwrap();
        }
        let read = Links::parse(&links.to_text(true, true)).unwrap();
        assert_eq!(read.times, links.times);
        assert!(links.to_text(true, true).contains("\ncollectives.all_to_all.us = "));
        for key in &KEYS {
            assert!(((key.get)(&read) - (key.get)(&links)).abs() < 1e-9, "{}", key.name);
        }
        let text = links.to_text(true, false);
        assert!(text.contains("shm.latency_us = 0.5 ") && !text.contains("tcp."), "{text}");
    }

    #[test]
    fn an_error_names_the_line_and_what_is_accepted() {
        let table = [
            (
                "shm.latency_us = 1\nshm.latency = 2",
                2,
                "no key \"shm.latency\"; there are shm.latency_us, shm.",
            ),
            ("\n\ntcp.latency_us = fast", 3, "tcp.latency_us is \"fast\"; accepted: a number above 0"),
            ("tcp.latency_us = 0", 1, "above 0"),
            ("tcp.latency_us = inf", 1, "above 0"),
            ("tcp.gigabytes_per_second = 1e-320", 1, "from 1e-9"),
            ("tcp.latency_us = NaN", 1, "above 0"),
            ("tcp.latency_us = -1", 1, "above 0"),
            ("tcp.latency_us", 1, "is not KEY = VALUE"),
            ("tcp.latency_us = 1\ntcp.latency_us = 1", 2, "there twice"),
            ("tcp.exchange_us = 8:1\ntcp.exchange_us = 8:1", 2, "there twice"),
            ("tcp.exchange_us = fast", 1, "tcp.exchange_us is \"fast\"; accepted: BYTES:US"),
            ("collectives.ranks = 2.7", 1, "accepted: a whole number"),
            ("tcp.one_way_us = \"8\"", 1, "tcp.one_way_us is \"8\"; accepted: BYTES:US"),
        ];
        for (text, line, why) in table {
            let (at, told) = Links::parse(text).unwrap_err();
            assert!(at == line && told.contains(why), "{text:?}: {at}: {told}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let told = Links::read("no/such/file", TrustPolicy::Own).unwrap_err().to_string();
        assert!(told.contains("ANYCCL_TUNING_FILE") && told.contains("no/such/file"), "{told}");
    }
}
