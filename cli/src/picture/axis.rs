//! Logarithmic axes: the range, the places of the ticks, and numbers with their unit.

use std::ops::Range;

use crate::plan::units::digits;

/// Upper limit of ticks on an axis.
const MOST_TICKS: usize = 9;

/// A logarithmic axis.
#[derive(Debug, PartialEq)]
pub struct Axis {
    /// From slightly below the smallest number to slightly above the largest.
    pub range: Range<f64>,
    /// Numbers with a label, ascending; none on an axis of nothing.
    pub ticks: Vec<f64>,
}

impl Axis {
    /// An axis of sizes, with ticks at the smallest one times powers of two.
    pub fn of_sizes(sizes: impl Iterator<Item = f64> + Clone) -> Axis {
        let range = range(sizes.clone(), 1.2);
        let first = sizes.clone().reduce(f64::min).unwrap_or(1.0);
        let last = sizes.reduce(f64::max).unwrap_or(range.end);
        // Steps that people read easily: 8, 64, 512, 4 KiB; or 1 KiB, 1 MiB.
        let powers = |step: i32| -> Vec<f64> {
            let tick = |at: i32| first * 2f64.powi(at * step);
            (0..64).map(tick).take_while(|tick| *tick <= last).collect()
        };
        let fits = |ticks: &Vec<f64>| ticks.len() <= MOST_TICKS;
        let ticks = [1, 2, 3, 5, 10].map(powers).into_iter().find(fits).unwrap_or_default();
        Axis { range, ticks }
    }

    /// An axis of other numbers, with ticks at decimal numbers.
    pub fn of_values(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let has_any = values.clone().next().is_some();
        let range = range(values, 1.3);
        let ticks = if has_any { decimal_ticks(&range) } else { Vec::new() };
        Axis { range, ticks }
    }
}

/// The range with some room at both ends: a share of its length, but at least this factor.
fn range(numbers: impl Iterator<Item = f64> + Clone, least: f64) -> Range<f64> {
    const SHARE: f64 = 0.04;
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.fold(0.0, f64::max);
    if low > high {
        return 1.0..10.0;
    }
    let room = (high / low).powf(SHARE).max(least);
    low / room..high * room
}

/// Powers of ten, or every second or third of them; with 2 and 5, or all digits, between close ones; even
/// steps on a range that is shorter than these.
fn decimal_ticks(range: &Range<f64>) -> Vec<f64> {
    const ENOUGH: usize = 3;
    let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
    let with = |digits: &[f64], step: usize| -> Vec<f64> {
        let all = (first..=last).filter(|power| power.rem_euclid(step as i32) == 0);
        // A division is exact where a product with a negative power is not: 0.3, not 0.30000000000000004.
        let scaled = |digit: f64, power: i32| match power {
            0.. => digit * 10f64.powi(power),
            _ => digit / 10f64.powi(-power),
        };
        let ticks = all.flat_map(|power| digits.iter().map(move |digit| scaled(*digit, power)));
        ticks.filter(|tick| range.contains(tick)).collect()
    };
    let powers = with(&[1.0], 1);
    if powers.len() >= ENOUGH {
        let fits = |ticks: &Vec<f64>| ticks.len() <= MOST_TICKS;
        return (1..).map(|step| with(&[1.0], step)).find(fits).unwrap_or_default();
    }
    let closer = [with(&[1.0, 2.0, 5.0], 1), with(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1)];
    closer.into_iter().find(|ticks| ticks.len() >= ENOUGH).unwrap_or_else(|| even_ticks(range))
}

/// Ticks in steps of 1, 2 or 5 times a power of ten, four to nine of them.
fn even_ticks(range: &Range<f64>) -> Vec<f64> {
    let rough = (range.end - range.start) / 4.0;
    let unit = 10f64.powf(rough.log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().map(|times| times * unit).find(|step| *step <= rough);
    let step = step.unwrap_or(unit);
    let (first, last) = ((range.start / step).ceil() as u64, (range.end / step).floor() as u64);
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Formats a number with three digits and a prefix of the unit: 100 ns, 2.5 GB/s.
pub fn si(number: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 9] = [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "\u{b5}"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    if number <= 0.0 {
        return format!("0 {unit}");
    }
    // Rounded first: 999.9 us is 1 ms. Nobody reads thousands of seconds as kiloseconds.
    let scale = 10f64.powf(2.0 - number.log10().floor());
    let number = (number * scale).round() / scale;
    let fits = |(factor, _): &(f64, &str)| number >= factor * 0.9999 && (*factor <= 1.0 || unit != "s");
    let (factor, prefix) = PREFIXES.into_iter().find(fits).unwrap_or(PREFIXES[8]);
    format!("{} {prefix}{unit}", digits(number / factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], unit: &str) -> Vec<String> {
        Axis::of_values(values.iter().copied()).ticks.into_iter().map(|tick| si(tick, unit)).collect()
    }

    #[test]
    fn labels_of_an_axis_have_a_unit_and_none_comes_twice() {
        assert_eq!(labels(&[1e-4, 3.0], "B/s"), ["100 \u{b5}B/s", "1 mB/s", "10 mB/s", "100 mB/s", "1 B/s"]);
        assert_eq!(labels(&[1.1e-7, 11.0], "s").first().unwrap(), "100 ns");
        assert_eq!(labels(&[3e-6, 4e-5], "s"), ["5 \u{b5}s", "10 \u{b5}s", "20 \u{b5}s", "50 \u{b5}s"]);
        assert_eq!(labels(&[4e9, 4.2e9], "B/s"), ["3.5 GB/s", "4 GB/s", "4.5 GB/s", "5 GB/s"]);
        assert!(labels(&[], "s").is_empty());
        for low in [1e-9, 2.5e-7, 0.3, 7.0, 123.0] {
            for times in [1.0, 1.5, 3.0, 12.0, 1e3, 1e7, 1e13] {
                let labels = labels(&[low, low * times], "s");
                let mut unique = labels.clone();
                unique.dedup();
                assert!((2..=10).contains(&labels.len()) && unique == labels, "{low} {times}: {labels:?}");
            }
        }
    }

    #[test]
    fn sizes_have_ticks_at_powers_of_two() {
        let ticks = |sizes: &[f64]| Axis::of_sizes(sizes.iter().copied()).ticks;
        assert_eq!(ticks(&[8.0, 64.0]), [8.0, 16.0, 32.0, 64.0]);
        let wide = ticks(&[8.0, 67108864.0]);
        assert_eq!((wide[0], wide[1], wide.len()), (8.0, 64.0, 8));
        assert_eq!(ticks(&[3000.0]), [3000.0]);
        assert_eq!(ticks(&[1.0, 2f64.powi(44)]).len(), 9);
        assert_eq!(ticks(&[12.0, 24.0, 48.0]), [12.0, 24.0, 48.0]);
    }

    #[test]
    fn numbers_have_three_digits_and_a_prefix() {
        let table = [
            (1.234e-7, "123 ns"),
            (9.999e-4, "1 ms"),
            (1e-3, "1 ms"),
            (0.5, "500 ms"),
            (4321.0, "4320 s"),
            (0.0, "0 s"),
        ];
        for (number, text) in table {
            assert_eq!(si(number, "s"), text);
        }
        assert_eq!(si(12.34e9, "B/s"), "12.3 GB/s");
    }
}
