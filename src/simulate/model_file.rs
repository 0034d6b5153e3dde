//! Models as text, with one `key = value` per line; `#` begins a comment.
//!
//! ```text
//! preset = shm+tcp                       # base of the model
//! between.latency_us = 9.5
//! between.gigabytes_per_second = 3.1
//! nic.gigabytes_per_second = inf         # costs nothing
//! ```
//!
//! A line that cannot be understood is an error that names the line.

use std::fmt::Write;

use super::model::{LinkCosts, Model};
use super::presets::{PRESETS, Preset};
use crate::cost::{Curve, FIGURES, rounded};

/// Unit of a number in the file.
#[derive(Clone, Copy)]
enum Unit {
    Microseconds,
    /// Bandwidth, for a cost per byte; `inf` means no cost.
    GigabytesPerSecond,
}

/// A key whose value is one number.
struct Key {
    name: &'static str,
    meaning: &'static str,
    unit: Unit,
    place: fn(&mut Model) -> &mut f64,
}

macro_rules! keys {
    ($($name:literal $unit:ident $($place:ident).+ $meaning:literal;)*) => {
        [$(Key { name: $name, meaning: $meaning, unit: Unit::$unit, place: |model| &mut model.$($place).+ }),*]
    };
}

static KEYS: [Key; 11] = keys! {
    "within.latency_us" Microseconds within.latency "until an empty message within a host arrives";
    "within.message_us" Microseconds within.message "work on a message, at each end";
    "within.gigabytes_per_second" GigabytesPerSecond within.byte "a rank's port, each direction";
    "within.core_gigabytes_per_second" GigabytesPerSecond within.core_byte "a core that sends or receives";
    "between.latency_us" Microseconds between.latency "until an empty message between hosts arrives";
    "between.message_us" Microseconds between.message "work on a message, at each end";
    "between.gigabytes_per_second" GigabytesPerSecond between.byte "a rank's port, each direction";
    "between.core_gigabytes_per_second" GigabytesPerSecond between.core_byte "a core that sends or receives";
    "nic.gigabytes_per_second" GigabytesPerSecond nic_byte "all interfaces of a host, each direction";
    "reduce.gigabytes_per_second" GigabytesPerSecond reduce_byte "bytes of the result of a reduction";
    "copy.gigabytes_per_second" GigabytesPerSecond copy_byte "a copy in memory";
};

/// A key whose value is a curve.
struct CurveKey {
    name: &'static str,
    meaning: &'static str,
    place: fn(&mut Model) -> &mut Curve,
}

static CURVES: [CurveKey; 6] = [
    CurveKey {
        name: "within.one_way_us",
        meaning: "instead of gigabytes per second",
        place: |model| &mut model.within.one_way,
    },
    CurveKey {
        name: "within.exchange_us",
        meaning: "the same, while the same amount goes the other way",
        place: |model| &mut model.within.exchange,
    },
    CurveKey {
        name: "between.one_way_us",
        meaning: "instead of gigabytes per second",
        place: |model| &mut model.between.one_way,
    },
    CurveKey {
        name: "between.exchange_us",
        meaning: "the same, while the same amount goes the other way",
        place: |model| &mut model.between.exchange,
    },
    CurveKey {
        name: "reduce.us",
        meaning: "instead of gigabytes per second",
        place: |model| &mut model.reduce,
    },
    CurveKey { name: "copy.us", meaning: "instead of gigabytes per second", place: |model| &mut model.copy },
];

/// Keys of [`LinkCosts::eager_bytes`].
const EAGER: [&str; 2] = ["within.eager_bytes", "between.eager_bytes"];

impl Unit {
    fn parse(self, text: &str) -> Result<f64, String> {
        let number = text.parse().ok();
        let is_believed = |number: f64| FIGURES.contains(&number);
        match (self, number) {
            (Unit::Microseconds, Some(us)) if us == 0.0 || is_believed(us) => Ok(us * 1e-6),
            (Unit::Microseconds, _) => Err(format!("\"{text}\" is not a time in microseconds, up to 1e9")),
            (Unit::GigabytesPerSecond, Some(f64::INFINITY)) => Ok(0.0),
            (Unit::GigabytesPerSecond, Some(rate)) if is_believed(rate) => Ok(1e-9 / rate),
            (Unit::GigabytesPerSecond, _) => {
                Err(format!("\"{text}\" is not a number above 0, from 1e-9 to 1e9, or inf"))
            }
        }
    }

    fn show(self, value: f64) -> f64 {
        let number = match self {
            Unit::Microseconds => value * 1e6,
            Unit::GigabytesPerSecond => 1e-9 / value,
        };
        // Rounds to as many digits as a person would write. A small number keeps four of them.
        if 0.0 < number && number < 1e-3 { rounded(number) } else { (number * 1e6).round() / 1e6 }
    }
}

impl Model {
    /// Parses a model. `base` has what the text leaves out, unless the text names a preset. An error is the
    /// number of the line, from 1, and what is wrong with it.
    pub fn parse(text: &str, base: &Model) -> Result<Model, (usize, String)> {
        let mut model = *base;
        let mut seen: Vec<&str> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let refuse = |why: String| (line, why);
            let (name, value) = content
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .ok_or_else(|| refuse(format!("\"{content}\" is not KEY = VALUE")))?;
            if seen.contains(&name) {
                return Err(refuse(format!("{name} is there twice")));
            }
            if name == "preset" && !seen.is_empty() {
                return Err(refuse("preset must come first: it would undo the lines above".into()));
            }
            seen.push(name);
            model.set(name, value).map_err(refuse)?;
        }
        Ok(model)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        if name == "preset" {
            let preset = Preset::find(value).ok_or_else(|| {
                let known = PRESETS.each_ref().map(|preset| preset.name).join(", ");
                format!("there is no preset \"{value}\"; there are {known}")
            })?;
            *self = preset.model;
        } else if EAGER.contains(&name) {
            let bytes = value.parse().map_err(|_| format!("\"{value}\" is not a number of bytes"))?;
            let link: &mut LinkCosts = if name == EAGER[0] { &mut self.within } else { &mut self.between };
            link.eager_bytes = bytes;
        } else if let Some(key) = CURVES.iter().find(|key| key.name == name) {
            let curve = Curve::parse(value);
            *(key.place)(self) = curve.ok_or_else(|| {
                format!("\"{value}\" is not BYTES:US BYTES:US ..., both rising and above 0")
            })?;
        } else {
            let key = KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
                let curves = CURVES.iter().map(|key| key.name);
                let known: Vec<_> = KEYS.iter().map(|key| key.name).chain(EAGER).chain(curves).collect();
                format!("there is no key \"{name}\"; there are preset, {}", known.join(", "))
            })?;
            *(key.place)(self) = key.unit.parse(value)?;
        }
        Ok(())
    }

    /// The text of a file with all of this model.
    pub fn to_text(&self) -> String {
        let (mut text, mut model) = (String::new(), *self);
        for key in &KEYS {
            let value = key.unit.show(*(key.place)(&mut model));
            let _ = writeln!(text, "{} = {value}  # {}", key.name, key.meaning);
        }
        for (name, link) in EAGER.into_iter().zip([&self.within, &self.between]) {
            let _ = writeln!(text, "{name} = {}  # longer messages wait for the receiver", link.eager_bytes);
        }
        for CurveKey { name, meaning, place } in &CURVES {
            let curve = place(&mut model);
            if !curve.is_empty() {
                let _ = writeln!(text, "{name} = {curve}  # BYTES:US, {meaning}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_survives_the_way_through_text() {
        for preset in &PRESETS {
            let read = Model::parse(&preset.model.to_text(), &Model::FREE).unwrap();
            assert_eq!(read.to_text(), preset.model.to_text());
            let (a, b) = (read.between.byte, preset.model.between.byte);
            assert!((a - b).abs() <= 1e-9 * b, "{}: {a} {b}", preset.name);
        }
        assert!(Model::FREE.to_text().contains("nic.gigabytes_per_second = inf"));
    }

    #[test]
    fn a_file_changes_what_it_names_and_keeps_the_rest() {
        let text = "# mine\npreset = 100gbe # base\n\n between.latency_us=3\nwithin.eager_bytes = 9\n";
        let model = Model::parse(text, &Model::FREE).unwrap();
        let base = Preset::find("100gbe").unwrap().model;
        assert_eq!(model.between, LinkCosts { latency: 3.0 * 1e-6, ..base.between });
        assert_eq!(model.within, LinkCosts { eager_bytes: 9, ..base.within });
        assert_eq!(model.nic_byte, base.nic_byte);
        let measured = Model::parse("between.exchange_us = 8:1 64:3.5", &base).unwrap();
        assert_eq!(measured.between.exchange.us(36), Some(2.25));
        assert_eq!(
            Model::parse(&measured.to_text(), &base).unwrap().between.exchange,
            measured.between.exchange
        );
        assert_eq!(Model::parse("nic.gigabytes_per_second = inf", &base).unwrap().nic_byte, 0.0);
        let slow = Model::parse("nic.gigabytes_per_second = 0.00000012345", &base).unwrap();
        assert!(slow.to_text().contains("nic.gigabytes_per_second = 0.0000001235 "), "{}", slow.to_text());
    }

    #[test]
    fn an_invalid_line_is_refused_with_its_number() {
        let refused = |text: &str| Model::parse(text, &Model::FREE).unwrap_err();
        let cases = [
            ("\nfast", 2, "not KEY = VALUE"),
            ("nic.speed = 3", 1, "there is no key \"nic.speed\"; there are preset, within.latency_us"),
            ("preset = 10gbe", 1, "there are shm+tcp, 100gbe"),
            ("between.latency_us = 1\npreset = 100gbe", 2, "must come first"),
            ("between.latency_us = 1\n#\nbetween.latency_us = 1", 3, "there twice"),
            ("between.latency_us = inf", 1, "not a time"),
            ("between.latency_us = -1", 1, "not a time"),
            ("between.latency_us = 1e300", 1, "up to 1e9"),
            ("between.gigabytes_per_second = 1e-320", 1, "from 1e-9"),
            ("between.gigabytes_per_second = 0", 1, "above 0"),
            ("between.gigabytes_per_second = NaN", 1, "above 0"),
            ("between.exchange_us = 8", 1, "is not BYTES:US"),
            ("within.eager_bytes = 1K", 1, "not a number of bytes"),
        ];
        for (text, line, why) in cases {
            let (at, told) = refused(text);
            assert!(at == line && told.contains(why), "{text}: {at} {told}");
        }
    }
}
