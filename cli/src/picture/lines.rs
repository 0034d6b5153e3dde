//! Draws a figure. Each group has time at the left, bandwidth in the middle, and names at the right.
//!
//! In the file, each group is a group `row` of the SVG file. Each line is a group `series` of two others: its
//! `marks` in both panels, with `spread` as a group of their own, and its `key` in the legend. A group
//! `spreads` has the key of all spreads. Each point has a hint with its values.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::figure::{Figure, Group, Spread};
use super::heading::Heading;
use super::layers::Layers;
use super::marker::{Area, Done, Look, Pixel};
use super::panel::{self, Mark, Quantity};
use super::theme::{Palette, Theme};
use super::{Drawn, FONT};

/// Width of a group.
const WIDTH: u32 = 1320;
const LEGEND: u32 = 240;
/// Height of the panels of a group.
const HEIGHT: u32 = 470;
/// Height of the title of a group.
const TITLE: u32 = 30;
const LETTERS: i32 = 14;
const LARGE_LETTERS: i32 = 18;
/// Distance between two lines of the legend.
const LINE: i32 = 24;
/// Distance in which the mouse finds a point.
const REACH: i32 = 10;

/// Draws the figure as the text of an SVG file, with this many groups side by side.
pub fn draw(figure: &Figure, heading: &Heading, columns: usize, theme: Theme) -> Drawn {
    let palette = theme.palette();
    let head = heading.height();
    let columns = columns.clamp(1, figure.groups.len().max(1));
    let rows = figure.groups.len().div_ceil(columns).max(1);
    // All rows are equally high.
    let title = if figure.groups.iter().any(|group| !group.title.is_empty()) { TITLE } else { 0 };
    let height = title + HEIGHT;
    let mut layers = Layers::new((columns as u32 * WIDTH, head + rows as u32 * height));
    let mut marks: Vec<[Vec<Vec<Mark>>; 2]> = Vec::new();
    layers.draw(|root| {
        let below = heading.draw(root, palette)?;
        let axes = Axes::of(figure);
        for (area, group) in below.split_evenly((rows, columns)).iter().zip(&figure.groups) {
            write(area, &group.title, LARGE_LETTERS, (14, title as i32 / 2), palette)?;
            let panels = area.split_vertically(title).1.split_horizontally(WIDTH - LEGEND).0;
            marks.push(axes.draw(&panels, group, figure.quantities, palette)?);
        }
        Ok(())
    })?;
    for (at, (group, panels)) in figure.groups.iter().zip(&marks).enumerate() {
        let left = (at % columns) as u32 * WIDTH + WIDTH - LEGEND;
        let top = head + (at / columns) as u32 * height + title;
        let legend = Legend { group, palette, left: left as i32, top: top as i32 };
        layers.group("row", |layers| add_row(layers, &legend, panels))?;
    }
    layers.end()
}

/// Writes text at the right of a place.
fn write(area: &Area<'_>, text: &str, size: i32, at: Pixel, palette: &Palette) -> Done {
    let middle = Pos::new(HPos::Left, VPos::Center);
    let style = TextStyle::from((FONT, size).into_font()).color(&palette.ink).pos(middle);
    Ok(area.draw(&Text::new(text.to_string(), at, style))?)
}

/// Adds the lines of a group, and its legend.
fn add_row(layers: &mut Layers, legend: &Legend<'_>, [time, bandwidth]: &[Vec<Vec<Mark>>; 2]) -> Done {
    layers.draw(|root| legend.draw(root))?;
    if legend.has_spread() {
        let add_key = |layers: &mut Layers| layers.draw(|root| legend.draw_spread_key(root));
        layers.group("spreads", |layers| layers.group("key", add_key))?;
    }
    for (at, panels) in time.iter().zip(bandwidth).enumerate() {
        let look = Look::of(at, legend.palette);
        let each_panel = |layers: &mut Layers, draw: fn(&Area<'_>, Look<'_>, &[Mark]) -> Done| {
            layers.draw(|root| [panels.0, panels.1].into_iter().try_for_each(|marks| draw(root, look, marks)))
        };
        layers.group("series", |layers| {
            layers.group("marks", |layers| {
                layers.group("spread", |layers| each_panel(layers, panel::draw_spread))?;
                each_panel(layers, panel::draw_line)?;
                panels.0.iter().chain(panels.1).for_each(|mark| layers.hint(mark.at, REACH, &mark.hint));
                Ok(())
            })?;
            layers.group("key", |layers| layers.draw(|root| legend.draw_key(root, at)))
        })?;
    }
    Ok(())
}

/// The axes, which all panels of a figure share.
struct Axes {
    size: Axis,
    time: Axis,
    bandwidth: Axis,
}

impl Axes {
    fn of(figure: &Figure) -> Axes {
        let points = || figure.groups.iter().flat_map(|group| &group.series).flat_map(|line| &line.points);
        let ends = |spread: Spread| [spread.low, spread.high];
        Axes {
            size: Axis::of_sizes(points().map(|point| point.bytes)),
            time: Axis::of_values(points().flat_map(move |point| ends(point.time))),
            bandwidth: Axis::of_values(points().filter_map(|point| point.bandwidth).flat_map(ends)),
        }
    }

    /// Draws the two panels of a group. Returns the marks in each, for each line.
    fn draw(
        &self,
        panels: &Area<'_>,
        group: &Group,
        [time, bandwidth]: [&'static str; 2],
        palette: &Palette,
    ) -> Done<[Vec<Vec<Mark>>; 2]> {
        let time = Quantity { name: time, axis: &self.time, unit: "s", of: |point| Some(point.time) };
        let bandwidth =
            Quantity { name: bandwidth, axis: &self.bandwidth, unit: "B/s", of: |point| point.bandwidth };
        let halves = panels.split_evenly((1, 2));
        let draw = |at: usize, quantity| panel::draw(&halves[at], &self.size, quantity, group, palette);
        Ok([draw(0, &time)?, draw(1, &bandwidth)?])
    }
}

/// The names at the right of a group.
struct Legend<'a> {
    group: &'a Group,
    palette: &'a Palette,
    left: i32,
    top: i32,
}

impl Legend<'_> {
    /// Draws what belongs to no line: the mark of the library's choice.
    fn draw(&self, root: &Area<'_>) -> Done {
        if self.has_choice() {
            let y = self.below_names();
            Look::of(0, self.palette).ring(root, self.place((22, y)))?;
            self.write(root, "the library's choice", (54, y))?;
        }
        Ok(())
    }

    /// Draws what the thin bars mean.
    fn draw_spread_key(&self, root: &Area<'_>) -> Done {
        let y = self.below_names() + i32::from(self.has_choice()) * LINE;
        let ink = self.palette.ink.stroke_width(1);
        let stroke = |from, to| PathElement::new(vec![self.place(from), self.place(to)], ink);
        root.draw(&stroke((22, y - 9), (22, y + 9)))?;
        for end in [y - 9, y + 9] {
            root.draw(&stroke((19, end), (25, end)))?;
        }
        self.write(root, "fastest to 95th percentile", (54, y))
    }

    /// Draws the name of the line `at`.
    fn draw_key(&self, root: &Area<'_>, at: usize) -> Done {
        let (y, look) = (self.height_of(at), Look::of(at, self.palette));
        look.line(root, &[self.place((0, y)), self.place((44, y))])?;
        look.point(root, self.place((22, y)))?;
        self.write(root, &self.group.series[at].name, (54, y))
    }

    fn has_choice(&self) -> bool {
        self.group.series.iter().flat_map(|line| &line.points).any(|point| point.chosen)
    }

    fn has_spread(&self) -> bool {
        self.group.series.iter().flat_map(|line| &line.points).any(|point| point.time.low < point.time.high)
    }

    /// Height of the first line below the names.
    fn below_names(&self) -> i32 {
        self.height_of(self.group.series.len()) + LINE / 2
    }

    /// Height of the name of the line `at`, below the top.
    fn height_of(&self, at: usize) -> i32 {
        (1 + at as i32) * LINE
    }

    fn write(&self, root: &Area<'_>, text: &str, at: Pixel) -> Done {
        write(root, text, LETTERS, self.place(at), self.palette)
    }

    fn place(&self, (x, y): Pixel) -> Pixel {
        (self.left + x, self.top + y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Point, Series};

    #[test]
    fn groups_fill_rows_from_left_to_right_and_each_has_its_title() {
        let point = Point {
            bytes: 8.0,
            time: Spread::exactly(1e-6),
            bandwidth: Some(Spread::exactly(8e6)),
            chosen: false,
        };
        let group = |at: usize| Group {
            title: format!("group {at}"),
            series: vec![Series { name: "ring".into(), points: vec![point] }],
        };
        let figure = Figure { quantities: ["time", "bandwidth"], groups: (0..5).map(group).collect() };
        let svg = draw(&figure, &Heading::default(), 2, Theme::Light).unwrap();
        let (width, height) = (2 * WIDTH, Heading::default().height() + 3 * (TITLE + HEIGHT));
        assert!(svg.starts_with(&format!("<svg width=\"{width}\" height=\"{height}\"")), "{}", &svg[..80]);
        assert_eq!(svg.matches(">\ngroup ").count(), 5);
        // The hints in both panels of each group, in order.
        let places: Vec<(u32, u32)> = svg
            .lines()
            .filter(|line| line.contains("class=\"hint\""))
            .map(|line| {
                let number = |name: &str| {
                    let (_, rest) = line.split_once(name).unwrap();
                    rest.split('"').next().unwrap().parse::<u32>().unwrap()
                };
                (number("cx=\"") / WIDTH, number("cy=\"") / (TITLE + HEIGHT))
            })
            .collect();
        let expected = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)].into_iter().flat_map(|place| [place; 2]);
        assert_eq!(places, expected.collect::<Vec<_>>());
    }
}
