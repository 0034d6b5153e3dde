//! Lines over sizes, both axes logarithmic: time above, bandwidth below, one legend.

use plotters::prelude::*;

use super::Drawn;
use super::series::{Figure, Panel};
use super::style::{FAINT, FONT, INK, LINES, bytes, short};

const WIDTH: u32 = 960;
const HEIGHT: u32 = 900;
const TITLE: u32 = 22;
const LETTERS: u32 = 15;

/// Draws; the text of an SVG file.
pub fn draw(figure: &Figure) -> Drawn {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
        root.fill(&WHITE)?;
        let below = root.titled(&figure.title, (FONT, TITLE).into_font().color(&INK))?;
        // The panel above has the legend.
        for (area, panel) in below.split_evenly((2, 1)).iter().zip(&figure.panels) {
            draw_panel(area, panel)?;
        }
        root.present()?;
    }
    Ok(text)
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    panel: &Panel,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
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
        let colour = LINES[at % LINES.len()];
        // The second round through the palette has hollow points.
        let point = if at < LINES.len() { colour.filled() } else { colour.stroke_width(1) };
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
        chart.draw_series(line.points.iter().map(|&at| Circle::new(at, 3, point)))?;
    }
    if points().next().is_some() {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .legend_area_size(30)
            .background_style(WHITE.mix(0.85))
            .border_style(FAINT)
            .label_font((FONT, LETTERS, &INK))
            .draw()?;
    }
    Ok(())
}

/// From a little below the smallest to a little above the largest.
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
    fn each_line_is_drawn_and_named_in_both_panels() {
        let names = ["ring", "two_shot", "c", "d", "e", "f", "g", "h", "i"];
        let svg = draw(&figure(&names, &[(8.0, 1.0), (1024.0, 2.0), (65536.0, 30.0)])).unwrap();
        assert_eq!(svg.matches("ring").count(), 2, "{svg}");
        // Each line has a circle for each point, in each panel.
        assert_eq!(svg.matches("<circle").count(), 2 * 9 * 3, "{svg}");
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("64K"), "{svg}");
    }

    #[test]
    fn one_point_and_no_point_are_drawn_too() {
        assert!(draw(&figure(&["ring"], &[(8.0, 1.0)])).unwrap().contains("<circle"));
        assert!(draw(&figure(&["ring"], &[])).unwrap().ends_with("</svg>\n"));
        assert!(draw(&figure(&[], &[])).unwrap().contains("bandwidth"));
    }
}
