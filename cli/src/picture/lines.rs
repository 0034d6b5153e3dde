//! Draws a figure: time at the left, bandwidth in the middle, names at the right, a row for each group.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, si};
use super::figure::{Figure, Group, Point, Spread};
use super::marker::{Area, Done, Look, Pixel};
use super::theme::{Palette, Theme};
use super::{Drawn, FONT, heading};
use crate::plan::units;

const WIDTH: u32 = 1320;
const LEGEND: u32 = 240;
/// Height of the panels of a group.
const HEIGHT: u32 = 470;
const LETTERS: i32 = 14;
/// Distance between two lines of the legend.
const LINE: i32 = 24;

/// Draws the figure as the text of an SVG file.
pub fn draw(figure: &Figure, theme: Theme) -> Drawn {
    let palette = theme.palette();
    let rows = figure.groups.len().max(1) as u32;
    let mut text = String::new();
    {
        let size = (WIDTH, heading::height(figure.notes.len()) + rows * HEIGHT);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let below = heading::draw(&root, palette, &figure.title, &figure.notes)?;
        let axes = Axes::of(figure);
        for (area, group) in below.split_evenly((rows as usize, 1)).iter().zip(&figure.groups) {
            axes.draw_group(area, group, figure.quantities, palette)?;
        }
        root.present()?;
    }
    Ok(text)
}

/// The axes, which all panels of a figure share.
struct Axes {
    size: Axis,
    time: Axis,
    bandwidth: Axis,
}

/// One of the two quantities: its axis, its unit, and its value at a point.
struct Quantity<'a> {
    name: &'static str,
    axis: &'a Axis,
    unit: &'static str,
    of: fn(&Point) -> Option<Spread>,
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

    fn draw_group(
        &self,
        area: &Area<'_>,
        group: &Group,
        [time, bandwidth]: [&'static str; 2],
        palette: &Palette,
    ) -> Done {
        let (panels, legend) = area.split_horizontally(WIDTH - LEGEND);
        let quantities = [
            Quantity { name: time, axis: &self.time, unit: "s", of: |point| Some(point.time) },
            Quantity { name: bandwidth, axis: &self.bandwidth, unit: "B/s", of: |point| point.bandwidth },
        ];
        for (panel, quantity) in panels.split_evenly((1, 2)).iter().zip(&quantities) {
            self.draw_panel(panel, quantity, group, palette)?;
        }
        draw_legend(&legend, group, palette)
    }

    fn draw_panel(&self, area: &Area<'_>, quantity: &Quantity<'_>, group: &Group, palette: &Palette) -> Done {
        let scale = |axis: &Axis| axis.range.clone().log_scale().with_key_points(axis.ticks.clone());
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(88)
            .build_cartesian_2d(scale(&self.size), scale(quantity.axis))?;
        chart
            .configure_mesh()
            .x_desc("size")
            .y_desc(quantity.name)
            .x_label_formatter(&|x| units::bytes(*x as u64))
            .y_label_formatter(&|y| si(*y, quantity.unit))
            .label_style((FONT, LETTERS, &palette.ink))
            .axis_style(palette.ink)
            .bold_line_style(palette.faint)
            .light_line_style(palette.background)
            .draw()?;
        // Drawn in pixels from here on: the area of the chart is that of the lines, without the labels.
        let plot = chart.plotting_area().strip_coord_spec();
        let (left, top) = plot.get_base_pixel();
        let place = |bytes: f64, value: f64| -> Pixel {
            let (x, y) = chart.backend_coord(&(bytes, value));
            (x - left, y - top)
        };
        for (at, line) in group.series.iter().enumerate() {
            let look = Look::of(at, palette);
            let known = || line.points.iter().filter_map(|point| Some((point, (quantity.of)(point)?)));
            let places: Vec<Pixel> =
                known().map(|(point, spread)| place(point.bytes, spread.value)).collect();
            for (point, spread) in known().filter(|(_, spread)| spread.low < spread.high) {
                let (x, low) = place(point.bytes, spread.low);
                look.whisker(&plot, x, (low, place(point.bytes, spread.high).1))?;
            }
            look.line(&plot, &places)?;
            for ((point, _), place) in known().zip(places) {
                look.point(&plot, place)?;
                if point.chosen {
                    look.ring(&plot, place)?;
                }
            }
        }
        Ok(())
    }
}

fn draw_legend(area: &Area<'_>, group: &Group, palette: &Palette) -> Done {
    let mut y = LINE;
    let write = |text: &str, at: Pixel| {
        let middle = Pos::new(HPos::Left, VPos::Center);
        let style = TextStyle::from((FONT, LETTERS).into_font()).color(&palette.ink).pos(middle);
        area.draw(&Text::new(text.to_string(), at, style))
    };
    if !group.title.is_empty() {
        write(&group.title, (0, y))?;
        y += LINE;
    }
    for (at, line) in group.series.iter().enumerate() {
        let look = Look::of(at, palette);
        look.line(area, &[(0, y), (44, y)])?;
        look.point(area, (22, y))?;
        write(&line.name, (54, y))?;
        y += LINE;
    }
    let points = || group.series.iter().flat_map(|line| &line.points);
    y += LINE / 2;
    if points().any(|point| point.chosen) {
        Look::of(0, palette).ring(area, (22, y))?;
        write("the library's choice", (54, y))?;
        y += LINE;
    }
    if points().any(|point| point.time.low < point.time.high) {
        let ink = palette.ink.stroke_width(1);
        area.draw(&PathElement::new(vec![(22, y - 9), (22, y + 9)], ink))?;
        for end in [y - 9, y + 9] {
            area.draw(&PathElement::new(vec![(19, end), (25, end)], ink))?;
        }
        write("fastest to 95th percentile", (54, y))?;
    }
    Ok(())
}
