//! Colours of pictures, on a light and on a dark background.

use std::fmt::Write;

use clap::ValueEnum;
use plotters::style::RGBColor;

/// Background of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// What the reader's browser prefers; light in a PNG file
    Auto,
    /// Dark lines on white
    Light,
    /// Light lines on black
    Dark,
}

/// The colours that depend on the background. No two of a palette are equal, because [`style`] finds shapes
/// by their colour.
pub struct Palette {
    /// Background.
    pub background: RGBColor,
    /// Text and axes.
    pub ink: RGBColor,
    /// The grid.
    pub faint: RGBColor,
    /// Lines: Okabe and Ito's palette, which people with colour blindness can tell apart.
    pub lines: [RGBColor; 8],
}

static LIGHT: Palette = Palette {
    background: RGBColor(0xff, 0xff, 0xff),
    ink: RGBColor(0x33, 0x33, 0x33),
    faint: RGBColor(0xdd, 0xdd, 0xdd),
    lines: [
        RGBColor(0x00, 0x72, 0xb2),
        RGBColor(0xd5, 0x5e, 0x00),
        RGBColor(0x00, 0x9e, 0x73),
        RGBColor(0xcc, 0x79, 0xa7),
        RGBColor(0xe6, 0x9f, 0x00),
        RGBColor(0x56, 0xb4, 0xe9),
        RGBColor(0x00, 0x00, 0x00),
        RGBColor(0x9a, 0x8a, 0x10),
    ],
};

static DARK: Palette = Palette {
    background: RGBColor(0x15, 0x18, 0x1c),
    ink: RGBColor(0xd8, 0xdc, 0xe0),
    faint: RGBColor(0x35, 0x3a, 0x40),
    lines: [
        RGBColor(0x4a, 0xa8, 0xe0),
        RGBColor(0xf0, 0x7f, 0x2a),
        RGBColor(0x1f, 0xc2, 0x94),
        RGBColor(0xe0, 0x9a, 0xc2),
        RGBColor(0xf2, 0xb6, 0x3a),
        RGBColor(0x8c, 0xd0, 0xf5),
        RGBColor(0xff, 0xff, 0xff),
        RGBColor(0xcf, 0xbe, 0x3c),
    ],
};

/// Letters on light and on dark cells of a heat map. They differ from every colour of the palettes, because
/// cells keep their colours on any background.
pub const ON_LIGHT: RGBColor = RGBColor(0x10, 0x10, 0x10);
/// See [`ON_LIGHT`].
pub const ON_DARK: RGBColor = RGBColor(0xfa, 0xfa, 0xfa);

impl Theme {
    /// The colours to draw with.
    pub fn palette(self) -> &'static Palette {
        match self {
            Theme::Auto | Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// The value of `color-scheme` for a page with pictures of this theme.
    pub fn color_scheme(self) -> &'static str {
        match self {
            Theme::Auto => "light dark",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Style rules with variables for a page with pictures of this theme.
    pub fn variables(self) -> String {
        let own = self.palette().variables();
        match self {
            Theme::Auto => format!("{own}@media (prefers-color-scheme: dark) {{\n{}}}\n", DARK.variables()),
            Theme::Light | Theme::Dark => own,
        }
    }
}

impl Palette {
    fn colours(&self) -> impl Iterator<Item = RGBColor> {
        [self.background, self.ink, self.faint].into_iter().chain(self.lines)
    }

    fn variables(&self) -> String {
        let [background, ink, faint] = [self.background, self.ink, self.faint].map(hex);
        format!(":root {{ --background: {background}; --ink: {ink}; --faint: {faint}; }}\n")
    }
}

/// A style sheet that gives a picture in light colours dark ones, where the reader prefers these.
pub fn style() -> String {
    let mut text = String::from("<style>@media (prefers-color-scheme: dark) {\n");
    for (light, dark) in LIGHT.colours().zip(DARK.colours()) {
        for what in ["fill", "stroke"] {
            let (light, dark) = (hex(light), hex(dark));
            // Written as plotters writes it: selectors compare letter by letter.
            let _ = writeln!(text, "[{what}=\"{light}\"] {{ {what}: {dark} }}");
        }
    }
    text + "}</style>\n"
}

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// A colour from light to dark, for `share` from 0 to 1.
pub fn heat(share: f64) -> RGBColor {
    const PALE: [f64; 3] = [0xe8 as f64, 0xf1 as f64, 0xfa as f64];
    const DEEP: [f64; 3] = [0x08 as f64, 0x45 as f64, 0x94 as f64];
    let share = share.clamp(0.0, 1.0);
    let [red, green, blue] = [0, 1, 2].map(|at| (PALE[at] + (DEEP[at] - PALE[at]) * share).round() as u8);
    RGBColor(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_darker() {
        assert_eq!(heat(0.0), RGBColor(0xe8, 0xf1, 0xfa));
        assert_eq!(heat(7.0), RGBColor(0x08, 0x45, 0x94));
        assert!(heat(0.5).0 < heat(0.4).0);
    }

    #[test]
    fn each_colour_of_a_palette_is_found_by_itself() {
        for palette in [&LIGHT, &DARK] {
            let mut all: Vec<_> = palette.colours().chain([ON_LIGHT, ON_DARK]).map(hex).collect();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), 13);
        }
        let variables = Theme::Auto.variables();
        assert!(variables.contains("--ink: #333333") && variables.contains("--ink: #D8DCE0"), "{variables}");
        assert!(!Theme::Dark.variables().contains("#333333"));
        assert!(style().contains("[fill=\"#FFFFFF\"] { fill: #15181C }"), "{}", style());
    }
}
