//! Numbers with units, for people.

/// Formats a size: 8 B, 64 KiB, 1.5 GiB.
pub fn bytes(number: u64) -> String {
    const NAMES: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut value, mut unit) = (number as f64, 0);
    // A number that is rounded to 1024 is one of the next unit.
    while value.round() >= 1024.0 && unit + 1 < NAMES.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", digits(value), NAMES[unit])
}

/// A number with its noun: 1 rank, 2 ranks.
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Formats a time: 12.3 us, 1.5 ms, 2 s.
pub fn seconds(number: f64) -> String {
    let (value, unit) = match number {
        _ if number < 1e-3 => (number * 1e6, "us"),
        _ if number < 1.0 => (number * 1e3, "ms"),
        _ => (number, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Formats a number with three digits, or with all digits before the point. Only zero is "0".
pub fn digits(number: f64) -> String {
    let decimals = match number {
        ..=0.0 => 0.0,
        _ => (2.0 - number.log10().floor()).clamp(0.0, 12.0),
    };
    let text = format!("{number:.*}", decimals as usize);
    // 1.00 is 1, and 0.50 is 0.5; but 100 stays.
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit_are_enough() {
        let sizes = [
            (0, "0 B"),
            (8, "8 B"),
            (1536, "1.5 KiB"),
            (1 << 30, "1 GiB"),
            ((1 << 20) - 4, "1 MiB"),
            (1 << 44, "16 TiB"),
        ];
        for (number, text) in sizes {
            assert_eq!(bytes(number), text);
        }
        for (number, text) in [(0.0123, "0.0123"), (0.5, "0.5"), (12.34, "12.3"), (1634.2, "1634")] {
            assert_eq!(digits(number), text);
        }
        let times = [(0.0, "0 us"), (1.23456e-5, "12.3 us"), (2e-3, "2 ms"), (0.5, "500 ms"), (12.0, "12 s")];
        for (number, text) in times {
            assert_eq!(seconds(number), text);
        }
    }
}
