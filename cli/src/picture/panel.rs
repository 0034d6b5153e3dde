//! A panel of a figure: the axes of one quantity over size, and the places of the measurements on it.

use plotters::prelude::*;

use super::FONT;
use super::axis::{Axis, si};
use super::figure::{Group, Point, Series, Spread};
use super::marker::{Area, Done, Look, Pixel};
use super::theme::Palette;
use crate::plan::units;

const LETTERS: i32 = 14;

/// One of the quantities of a figure: its axis, its unit, and its value at a point.
pub struct Quantity<'a> {
    /// Name beside the axis.
    pub name: &'static str,
    /// Axis that all panels of this quantity share.
    pub axis: &'a Axis,
    /// Unit without a prefix.
    pub unit: &'static str,
    /// The value; `None` where a point has none.
    pub of: fn(&Point) -> Option<Spread>,
}

/// The place of a measurement in the picture.
pub struct Mark {
    /// Place of the value.
    pub at: Pixel,
    /// Lower and upper end of the spread, if there is one.
    pub spread: Option<(i32, i32)>,
    /// Whether this is what the library chooses.
    pub chosen: bool,
    /// The measurement in words.
    pub hint: String,
}

/// Draws the axes. Returns the marks of each line of the group.
pub fn draw(
    area: &Area<'_>,
    size: &Axis,
    quantity: &Quantity<'_>,
    group: &Group,
    palette: &Palette,
) -> Done<Vec<Vec<Mark>>> {
    let scale = |axis: &Axis| axis.range.clone().log_scale().with_key_points(axis.ticks.clone());
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(88)
        .build_cartesian_2d(scale(size), scale(quantity.axis))?;
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
    if quantity.axis.ticks.is_empty() {
        let (width, height) = area.dim_in_pixel();
        let style = TextStyle::from((FONT, LETTERS).into_font()).color(&palette.ink);
        area.draw(&Text::new("none", (width as i32 / 2, height as i32 / 2), style))?;
    }
    // Pixels of the whole picture, so that another layer can be drawn at the same places.
    let place = |bytes: f64, value: f64| chart.backend_coord(&(bytes, value));
    let mark = |line: &Series, point: &Point| {
        let spread = (quantity.of)(point)?;
        let end = |value| place(point.bytes, value).1;
        Some(Mark {
            at: place(point.bytes, spread.value),
            spread: (spread.low < spread.high).then(|| (end(spread.low), end(spread.high))),
            chosen: point.chosen,
            hint: hint(line, point),
        })
    };
    let marks = |line: &Series| line.points.iter().filter_map(|point| mark(line, point)).collect();
    Ok(group.series.iter().map(marks).collect())
}

/// Draws how far the repeats of a line lie around its points.
pub fn draw_spread(area: &Area<'_>, look: Look<'_>, marks: &[Mark]) -> Done {
    let ends = marks.iter().filter_map(|mark| Some((mark.at.0, mark.spread?)));
    ends.into_iter().try_for_each(|(x, ends)| look.whisker(area, x, ends))
}

/// Draws a line with its points.
pub fn draw_line(area: &Area<'_>, look: Look<'_>, marks: &[Mark]) -> Done {
    look.line(area, &marks.iter().map(|mark| mark.at).collect::<Vec<_>>())?;
    for mark in marks {
        look.point(area, mark.at)?;
        if mark.chosen {
            look.ring(area, mark.at)?;
        }
    }
    Ok(())
}

/// The measurement in words, in lines.
fn hint(line: &Series, point: &Point) -> String {
    let words = |spread: Spread, unit: &str| match spread {
        Spread { low, value, high } if low < high => {
            format!("{} ({} to {})", si(value, unit), si(low, unit), si(high, unit))
        }
        Spread { value, .. } => si(value, unit),
    };
    let mut text = format!("{}, {}", line.name, units::bytes(point.bytes as u64));
    text += &format!("\n{}", words(point.time, "s"));
    if let Some(bandwidth) = point.bandwidth {
        text += &format!("\n{}", words(bandwidth, "B/s"));
    }
    if point.chosen {
        text += "\nthe library's choice";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_tells_name_size_time_and_bandwidth_with_their_spread() {
        let line = Series { name: "ring".into(), points: Vec::new() };
        let time = Spread { low: 1e-6, value: 2e-6, high: 4e-6 };
        let point = Point { bytes: 2048.0, time, bandwidth: Some(Spread::exactly(1e9)), chosen: true };
        let lines = ["ring, 2 KiB", "2 \u{b5}s (1 \u{b5}s to 4 \u{b5}s)", "1 GB/s", "the library's choice"];
        assert_eq!(hint(&line, &point), lines.join("\n"));
        let alone = Point { bandwidth: None, chosen: false, ..point };
        assert_eq!(hint(&line, &alone), lines[..2].join("\n"));
    }
}
