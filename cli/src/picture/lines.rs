//! Draws a figure: time at the left, bandwidth in the middle, names at the right, a row for each group.
//!
//! In the file, each line is a group `series` of two others: its `marks` in both panels, with `spread` as a
//! group of their own, and its `key` in the legend. A group `spreads` has the key of all spreads of a row.
//! Each point has a hint with its values.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::figure::{Figure, Group, Spread};
use super::layers::Layers;
use super::marker::{Area, Done, Look, Pixel};
use super::panel::{self, Mark, Quantity};
use super::theme::{Palette, Theme};
use super::{Drawn, FONT, heading};

const WIDTH: u32 = 1320;
const LEGEND: u32 = 240;
/// Height of the panels of a group.
const HEIGHT: u32 = 470;
const LETTERS: i32 = 14;
/// Distance between two lines of the legend.
const LINE: i32 = 24;
/// Distance in which the mouse finds a point.
const REACH: i32 = 10;

/// Draws the figure as the text of an SVG file.
pub fn draw(figure: &Figure, theme: Theme) -> Drawn {
    let palette = theme.palette();
    let head = heading::height(figure.notes.len());
    let rows = figure.groups.len().max(1) as u32;
    let mut layers = Layers::new((WIDTH, head + rows * HEIGHT));
    let mut marks: Vec<[Vec<Vec<Mark>>; 2]> = Vec::new();
    layers.draw(|root| {
        let below = heading::draw(root, palette, &figure.title, &figure.notes)?;
        let axes = Axes::of(figure);
        for (area, group) in below.split_evenly((rows as usize, 1)).iter().zip(&figure.groups) {
            let panels = area.split_horizontally(WIDTH - LEGEND).0;
            marks.push(axes.draw(&panels, group, figure.quantities, palette)?);
        }
        Ok(())
    })?;
    for (row, (group, panels)) in figure.groups.iter().zip(&marks).enumerate() {
        let top = head as i32 + row as i32 * HEIGHT as i32;
        let legend = Legend { group, palette, left: (WIDTH - LEGEND) as i32, top };
        layers.group("row", |layers| add_row(layers, &legend, panels))?;
    }
    layers.end()
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
    /// Draws what belongs to no line: the title, and the mark of the library's choice.
    fn draw(&self, root: &Area<'_>) -> Done {
        if !self.group.title.is_empty() {
            self.write(root, &self.group.title, (0, LINE))?;
        }
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
        let titles = i32::from(!self.group.title.is_empty());
        (1 + titles + at as i32) * LINE
    }

    fn write(&self, root: &Area<'_>, text: &str, at: Pixel) -> Done {
        let middle = Pos::new(HPos::Left, VPos::Center);
        let style = TextStyle::from((FONT, LETTERS).into_font()).color(&self.palette.ink).pos(middle);
        Ok(root.draw(&Text::new(text.to_string(), self.place(at), style))?)
    }

    fn place(&self, (x, y): Pixel) -> Pixel {
        (self.left + x, self.top + y)
    }
}
