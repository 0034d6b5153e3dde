//! Heat maps side by side: a number for each pair of ranks, darker for a larger one.
//!
//! The colours are logarithmic, so that one outlier does not make all others look the same. Each cell has
//! its number, however many ranks there are: the picture grows. Each cell has a hint with its ranks.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::heading::Heading;
use super::layers::Layers;
use super::marker::{Area, Done, Pixel};
use super::theme::{ON_DARK, ON_LIGHT, Palette, Theme, heat};
use super::{Drawn, FONT};
use crate::plan::units::digits;

const TITLE: i32 = 16;
const LETTERS: i32 = 14;
/// Space around each map, for its title, its scale and the numbers of the ranks.
const MARGIN: i32 = 80;
/// Space below the maps.
const BOTTOM: i32 = 24;
/// Size of a map whose cells need no more.
const MAP: i32 = 520;
/// A number of four letters fits into the smallest cell.
const SMALLEST_CELL: i32 = 38;
const LARGEST_CELL: i32 = 90;
/// Width of a picture with lines of text above the maps.
const WITH_NOTES: i32 = 800;
/// A map of few ranks is as wide as its title.
const NARROWEST: i32 = 330;
/// Numbers that differ by less than this factor do not get all colours.
const LEAST_FACTOR: f64 = 2.0;

/// A number for each pair of ranks.
pub struct HeatMap {
    /// Meaning of the numbers, with their unit.
    pub title: String,
    /// Number of ranks.
    pub ranks: u32,
    /// A row for each rank that sends, with a number above 0 for each that receives.
    pub values: Vec<Option<f64>>,
}

/// Draws the maps as the text of an SVG file.
pub fn draw(maps: &[HeatMap], heading: &Heading, theme: Theme) -> Drawn {
    let ranks = maps.iter().map(|map| map.ranks).max().unwrap_or(1).max(1) as i32;
    let cell = (MAP / ranks).clamp(SMALLEST_CELL, LARGEST_CELL);
    let side = (cell * ranks).max(NARROWEST);
    let head = heading.height();
    let (width, height) = (maps.len() as i32 * (side + 2 * MARGIN), MARGIN + cell * ranks + BOTTOM);
    let least = if heading.notes.is_empty() { 0 } else { WITH_NOTES };
    let size = (width.max(least) as u32, head + height as u32);
    let palette = theme.palette();
    let mut layers = Layers::new(size);
    layers.draw(|root| {
        let below = heading.draw(root, palette)?;
        let (below, _) = below.split_horizontally(width);
        for (area, map) in below.split_evenly((1, maps.len())).iter().zip(maps) {
            Drawing { area, palette, cell }.draw(map)?;
        }
        Ok(())
    })?;
    for (at, map) in maps.iter().enumerate() {
        let left = at as i32 * (side + 2 * MARGIN) + MARGIN;
        add_hints(&mut layers, map, (left, head as i32 + MARGIN), cell);
    }
    layers.end()
}

/// Adds a hint for each cell of a map, whose first cell begins at this place.
fn add_hints(layers: &mut Layers, map: &HeatMap, (left, top): Pixel, cell: i32) {
    for (at, value) in map.values.iter().enumerate() {
        let (from, to) = (at as i32 / map.ranks as i32, at as i32 % map.ranks as i32);
        if let Some(value) = value {
            let middle = (left + cell * to + cell / 2, top + cell * from + cell / 2);
            layers.hint(
                middle,
                cell / 2,
                format_args!("{}\nrank {from} to rank {to}: {}", map.title, digits(*value)),
            );
        }
    }
}

struct Drawing<'a, 'b> {
    area: &'a Area<'b>,
    palette: &'a Palette,
    cell: i32,
}

impl Drawing<'_, '_> {
    fn draw(&self, map: &HeatMap) -> Done {
        let (cell, ranks) = (self.cell, map.ranks as i32);
        let across = (cell * ranks).max(NARROWEST);
        let colours = Colours::of(map);
        self.write(&map.title, (MARGIN + across / 2, 8), TITLE, &self.palette.ink)?;
        self.scale(&colours, (MARGIN, 24), across)?;
        let middle = MARGIN + cell * ranks / 2;
        self.write("to", (middle, MARGIN - 28), LETTERS, &self.palette.ink)?;
        self.write("from", (MARGIN - 56, middle), LETTERS, &self.palette.ink)?;
        for from in 0..ranks {
            let middle = MARGIN + cell * from + cell / 2;
            self.write(&from.to_string(), (middle, MARGIN - 10), LETTERS, &self.palette.ink)?;
            self.write(&from.to_string(), (MARGIN - 24, middle), LETTERS, &self.palette.ink)?;
            for to in 0..ranks {
                let Some(value) = map.values[(from * ranks + to) as usize] else { continue };
                let share = colours.share(value);
                let (x, y) = (MARGIN + cell * to, MARGIN + cell * from);
                let corners = [(x, y), (x + cell - 2, y + cell - 2)];
                self.area.draw(&Rectangle::new(corners, heat(share).filled()))?;
                let text = digits(value);
                let size = LETTERS.min(cell * 3 / 2 / text.len() as i32);
                self.write(&text, (x + cell / 2, y + cell / 2), size, on(share))?;
            }
        }
        Ok(())
    }

    /// The colours from the smallest to the largest number. Each reaches to the end, below the next one, so
    /// that there is no seam between them.
    fn scale(&self, colours: &Colours, (x, y): (i32, i32), width: i32) -> Done {
        const STEPS: i32 = 40;
        const HEIGHT: i32 = 14;
        let (left, across) = (x + 60, width - 120);
        for step in 0..STEPS {
            let corners = [(left + across * step / STEPS, y), (left + across, y + HEIGHT)];
            let colour = heat(f64::from(step) / f64::from(STEPS - 1));
            self.area.draw(&Rectangle::new(corners, colour.filled()))?;
        }
        let middle = y + HEIGHT / 2 + 1;
        self.write(&digits(colours.low), (x + 30, middle), LETTERS, &self.palette.ink)?;
        self.write(&digits(colours.high), (x + width - 30, middle), LETTERS, &self.palette.ink)
    }

    /// Writes text around a place.
    fn write(&self, text: &str, at: (i32, i32), size: i32, colour: &RGBColor) -> Done {
        let style = TextStyle::from((FONT, size).into_font()).color(colour);
        let style = style.pos(Pos::new(HPos::Center, VPos::Center));
        Ok(self.area.draw(&Text::new(text.to_string(), at, style))?)
    }
}

/// The logarithmic scale of a map.
struct Colours {
    low: f64,
    high: f64,
}

impl Colours {
    fn of(map: &HeatMap) -> Colours {
        let known = || map.values.iter().flatten().copied();
        let low = known().reduce(f64::min).unwrap_or(1.0);
        let high = known().reduce(f64::max).unwrap_or(1.0);
        Colours { low, high: high.max(low * LEAST_FACTOR) }
    }

    fn share(&self, value: f64) -> f64 {
        (value / self.low).ln() / (self.high / self.low).ln()
    }
}

/// Colour of letters on a cell. Black and white have the same contrast at the limit.
fn on(share: f64) -> &'static RGBColor {
    if share > 0.68 { &ON_DARK } else { &ON_LIGHT }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(ranks: u32, value: impl Fn(u32, u32) -> f64) -> HeatMap {
        let pairs = (0..ranks * ranks).map(|at| (at / ranks, at % ranks));
        let values = pairs.map(|(from, to)| (from != to).then(|| value(from, to))).collect();
        HeatMap { title: "latency in us".into(), ranks, values }
    }

    #[test]
    fn there_is_a_cell_with_its_number_for_each_pair_whatever_the_number_of_ranks() {
        for ranks in [1, 2, 7, 40] {
            let maps = [0, 1].map(|_| map(ranks, |from, to| f64::from(from * ranks + to + 100)));
            let svg = draw(&maps, &Heading::default(), Theme::Light).unwrap();
            let cells = 2 * (ranks * ranks - ranks) as usize;
            // The background is a rectangle, too, and each scale has 40.
            assert_eq!(svg.matches("<rect").count(), cells + 1 + 80, "{ranks}");
            // A number for each cell; title, two words and two ends of the scale; the ranks.
            assert_eq!(svg.matches("<text").count(), cells + 2 * 5 + 4 * ranks as usize, "{ranks}");
        }
    }

    #[test]
    fn one_outlier_leaves_the_others_apart() {
        let colours = Colours::of(&map(3, |from, to| match (from, to) {
            (0, 1) => 1.5,
            (1, 2) => 1634.0,
            _ => 120.0,
        }));
        assert_eq!((colours.share(1.5), colours.share(1634.0)), (0.0, 1.0));
        assert!((0.5..0.7).contains(&colours.share(120.0)), "{}", colours.share(120.0));
        // Numbers that are nearly equal look so.
        let even = Colours::of(&map(2, |from, _| 1.0 + f64::from(from) / 100.0));
        assert!(even.share(1.01) < 0.02);
    }
}
