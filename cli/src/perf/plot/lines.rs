//! Lines over sizes with two logarithmic axes: time above, bandwidth below, and one legend for both.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::series::{Figure, Panel, Series};
use super::style::{Drawn, FAINT, FONT, INK, LINES, bytes, short};

const WIDTH: u32 = 1140;
const LEGEND: u32 = 240;
const HEIGHT: u32 = 900;
const TITLE: u32 = 22;
const LETTERS: u32 = 15;
/// Distance between two lines of the legend.
const LINE: i32 = 22;

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Done = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Draws the figure as the text of an SVG file.
pub fn draw(figure: &Figure) -> Drawn {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
        root.fill(&WHITE)?;
        let below = root.titled(&figure.title, (FONT, TITLE).into_font().color(&INK))?;
        let (left, right) = below.split_horizontally(WIDTH - LEGEND);
        for (area, panel) in left.split_evenly((2, 1)).iter().zip(&figure.panels) {
            draw_panel(area, panel)?;
        }
        draw_legend(&right, &figure.panels[0].series)?;
        root.present()?;
    }
    Ok(text)
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Done {
    let points = || panel.series.iter().flat_map(|line| &line.points);
    let x = range(points().map(|point| point.0), 1.2);
    let y = range(points().map(|point| point.1), 1.5);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(x.log_scale().base(2.0), y.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("bytes")
        .y_desc(panel.quantity)
        .x_labels(14)
        .y_labels(8)
        .x_label_formatter(&|x| bytes(*x))
        .y_label_formatter(&|y| short(*y))
        .label_style((FONT, LETTERS, &INK))
        .axis_style(INK)
        .bold_line_style(FAINT)
        .light_line_style(WHITE)
        .draw()?;
    for (at, line) in panel.series.iter().enumerate() {
        let (stroke, point) = styles(at);
        chart.draw_series(LineSeries::new(line.points.iter().copied(), stroke))?;
        chart.draw_series(line.points.iter().map(|&at| Circle::new(at, 3, point)))?;
    }
    Ok(())
}

fn draw_legend(area: &Area<'_>, series: &[Series]) -> Done {
    for (at, line) in series.iter().enumerate() {
        let (stroke, point) = styles(at);
        let y = LINE * (at as i32 + 1);
        area.draw(&PathElement::new([(0, y), (24, y)], stroke))?;
        area.draw(&Circle::new((12, y), 3, point))?;
        let middle = Pos::new(HPos::Left, VPos::Center);
        let style = TextStyle::from((FONT, LETTERS).into_font()).color(&INK).pos(middle);
        area.draw(&Text::new(line.name.as_str(), (32, y), style))?;
    }
    Ok(())
}

/// Styles of a line's stroke and points. On the second round through the palette the points are hollow.
fn styles(at: usize) -> (ShapeStyle, ShapeStyle) {
    let colour = LINES[at % LINES.len()];
    let point = if (at / LINES.len()).is_multiple_of(2) { colour.filled() } else { colour.stroke_width(1) };
    (colour.stroke_width(2), point)
}

/// A range from slightly below the smallest number to slightly above the largest.
fn range(numbers: impl Iterator<Item = f64> + Clone, room: f64) -> std::ops::Range<f64> {
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.fold(0.0, f64::max);
    if low > high { 1.0..10.0 } else { low / room..high * room }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::plot::series::Series;

    fn figure(names: &[&str], points: &[(f64, f64)]) -> Figure {
        let series =
            || names.iter().map(|name| Series { name: (*name).into(), points: points.to_vec() }).collect();
        let panel = |quantity| Panel { quantity, series: series() };
        Figure { title: "a < b & c".into(), panels: [panel("time"), panel("bandwidth")] }
    }

    #[test]
    fn each_line_is_drawn_in_both_panels_and_named_once() {
        let names = ["ring", "two_shot", "c", "d", "e", "f", "g", "h", "i"];
        let svg = draw(&figure(&names, &[(8.0, 1.0), (1024.0, 2.0), (65536.0, 30.0)])).unwrap();
        assert_eq!(svg.matches("ring").count(), 1, "{svg}");
        // Each line has a circle for each point, in each panel, and one beside its name.
        assert_eq!(svg.matches("<circle").count(), 2 * 9 * 3 + 9, "{svg}");
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("64K"), "{svg}");
    }

    #[test]
    fn one_point_and_no_point_are_drawn_too() {
        assert!(draw(&figure(&["ring"], &[(8.0, 1.0)])).unwrap().contains("<circle"));
        assert!(draw(&figure(&["ring"], &[])).unwrap().ends_with("</svg>\n"));
        assert!(draw(&figure(&[], &[])).unwrap().contains("bandwidth"));
    }
}
