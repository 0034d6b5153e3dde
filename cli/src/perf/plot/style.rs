//! Colours and fonts of pictures, and the format of numbers at the axes.

use plotters::style::RGBColor;

/// Font of all text.
pub const FONT: &str = "sans-serif";
/// Colour of text and axes.
pub const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
/// Colour of the grid.
pub const FAINT: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// Colours of lines: Okabe and Ito's palette, which people with colour blindness can tell apart.
pub const LINES: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x9a, 0x8a, 0x10),
];

/// A colour from light to dark, for `share` from 0 to 1.
pub fn heat(share: f64) -> RGBColor {
    const LIGHT: [f64; 3] = [0xf7 as f64, 0xfb as f64, 0xff as f64];
    const DARK: [f64; 3] = [0x08 as f64, 0x45 as f64, 0x94 as f64];
    let share = share.clamp(0.0, 1.0);
    let [red, green, blue] = [0, 1, 2].map(|at| (LIGHT[at] + (DARK[at] - LIGHT[at]) * share).round() as u8);
    RGBColor(red, green, blue)
}

/// Formats a size: 512, 4K, 1M.
pub fn bytes(number: f64) -> String {
    let units = [(f64::from(1 << 30), "G"), (f64::from(1 << 20), "M"), (f64::from(1 << 10), "K"), (1.0, "")];
    let (unit, name) = units.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1.0, ""));
    format!("{}{name}", number / unit)
}

/// Formats a number with three digits.
pub fn short(number: f64) -> String {
    let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    let text = format!("{number:.digits$}");
    // 1.00 is 1, and 0.50 is 0.5.
    if digits > 0 { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A picture as SVG. An error is a bug here, or a lack of memory.
pub type Drawn = Result<String, Box<dyn std::error::Error + Send + Sync>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let table = [(8.0, "8"), (1024.0, "1K"), (1536.0, "1.5K"), (67108864.0, "64M"), (0.5, "0.5")];
        for (number, text) in table {
            assert_eq!(bytes(number), text);
        }
        let table =
            [(0.0123, "0.01"), (0.5, "0.5"), (1.0, "1"), (12.34, "12.3"), (1000.4, "1000"), (100.0, "100")];
        for (number, text) in table {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn more_is_darker() {
        assert_eq!(heat(0.0), RGBColor(0xf7, 0xfb, 0xff));
        assert_eq!(heat(7.0), RGBColor(0x08, 0x45, 0x94));
        assert!(heat(0.5).0 < heat(0.4).0);
    }
}
