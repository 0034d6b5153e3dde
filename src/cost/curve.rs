//! A curve of message times by size: measured points, with straight lines between them.
//!
//! One figure per byte is not enough to predict times: data that fits into caches moves faster, and so does
//! data that goes one way only. The choice of algorithms does without curves; the simulator uses them
//! (docs/simulator.md). The idea is that of parametrised LogP: Kielmann, Bal and Verstoep 2000.

use std::fmt;
use std::ops::RangeInclusive;

/// Upper limit of a curve's points.
const MOST: usize = 12;

/// Smallest and largest figure that is believed, in microseconds or gigabytes per second. Sums of such
/// figures stay finite, and so do their inverses.
pub const FIGURES: RangeInclusive<f64> = 1e-9..=1e9;

/// A figure as a person would write it: rounded to three decimals, or to four digits if below one.
pub fn rounded(figure: f64) -> f64 {
    let decimals = if figure >= 1.0 { 3.0 } else { 3.0 - figure.log10().floor() };
    let scale = 10f64.powf(decimals);
    (figure * scale).round() / scale
}

/// Microseconds beyond the latency of one way, by the bytes of a message. Empty if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Curve {
    points: [(u64, f64); MOST],
    len: usize,
}

impl Curve {
    /// A curve without measurements.
    pub const NONE: Curve = Curve { points: [(0, 0.0); MOST], len: 0 };

    /// Makes a curve of measurements. `None` if sizes do not rise, if times fall, if a size is zero or a time
    /// outside of `FIGURES`, or if there are too many points.
    pub fn new(measured: &[(u64, f64)]) -> Option<Curve> {
        let rises = measured.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        let is_above = measured.iter().all(|&(bytes, us)| bytes > 0 && FIGURES.contains(&us));
        if !rises || !is_above || measured.len() > MOST {
            return None;
        }
        let mut points = [(0, 0.0); MOST];
        points[..measured.len()].copy_from_slice(measured);
        Some(Curve { points, len: measured.len() })
    }

    /// Parses the form that `Display` writes: `4096:1.5 32768:7`.
    pub fn parse(text: &str) -> Option<Curve> {
        let point = |word: &str| -> Option<(u64, f64)> {
            let (bytes, us) = word.split_once(':')?;
            Some((bytes.parse().ok()?, us.parse().ok()?))
        };
        Curve::new(&text.split_whitespace().map(point).collect::<Option<Vec<_>>>()?)
    }

    /// The measured points.
    pub fn points(&self) -> &[(u64, f64)] {
        &self.points[..self.len]
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Microseconds for a message of this size. The curve is a straight line from zero to the first point and
    /// from point to point. Beyond the last point, a byte costs as much as on average up to it. `None` if
    /// nothing was measured.
    pub fn us(&self, bytes: u64) -> Option<f64> {
        let points = self.points();
        let &(last, last_us) = points.last()?;
        let at = points.partition_point(|point| point.0 < bytes);
        let Some(&(high, high_us)) = points.get(at) else {
            return Some(last_us * bytes as f64 / last as f64);
        };
        let (low, low_us) = if at == 0 { (0, 0.0) } else { points[at - 1] };
        Some(low_us + (high_us - low_us) * (bytes - low) as f64 / (high - low) as f64)
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (bytes, us)) in self.points().iter().enumerate() {
            let separator = if at == 0 { "" } else { " " };
            write!(f, "{separator}{bytes}:{}", rounded(*us))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_through_the_points_and_on_in_proportion() {
        let curve = Curve::new(&[(100, 10.0), (200, 40.0)]).unwrap();
        for (bytes, us) in [(0, 0.0), (50, 5.0), (100, 10.0), (150, 25.0), (200, 40.0), (400, 80.0)] {
            assert_eq!(curve.us(bytes), Some(us), "{bytes}");
        }
        assert_eq!(Curve::default().us(7), None);
    }

    #[test]
    fn what_is_written_is_read_again_and_what_makes_no_sense_is_refused() {
        let curve = Curve::new(&[(4096, 1.25), (1 << 20, 300.5)]).unwrap();
        assert_eq!(Curve::parse(&curve.to_string()), Some(curve));
        let short = Curve::parse("8:0.00012345 64:0.99996").unwrap();
        assert_eq!(short.to_string(), "8:0.0001235 64:1");
        assert!(Curve::parse(&short.to_string()).is_some());
        for text in ["4096", "4096:x", "4096:0", "8:2 4:3", "8:3 16:2", "0:1", "8:1e300", "8:inf", "8:NaN"] {
            assert_eq!(Curve::parse(text), None, "{text}");
        }
    }
}
