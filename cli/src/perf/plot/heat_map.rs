//! Two heat maps side by side: a number for each pair of ranks, darker for a larger one.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{Drawn, FONT, INK, heat, short};
use crate::perf::report::Values;

const TITLE: i32 = 22;
const LETTERS: i32 = 15;
/// Space around each map for the title and the numbers of the ranks.
const MARGIN: i32 = 70;
/// Size of a map. Few ranks have large cells, many have small ones.
const MAP: i32 = 520;
const SMALLEST_CELL: i32 = 14;
const LARGEST_CELL: i32 = 90;
/// Cell size below which a cell has no room for a number.
const READABLE_CELL: i32 = 40;

/// Draws the maps as the text of an SVG file.
pub fn draw(title: &str, maps: [&Values<'_>; 2]) -> Drawn {
    let ranks = maps[0].ranks().max(1) as i32;
    let cell = (MAP / ranks).clamp(SMALLEST_CELL, LARGEST_CELL);
    // A map of two ranks is narrower than its title.
    let side = (cell * ranks).max(300);
    let (width, height) = (2 * (side + 2 * MARGIN), cell * ranks + 2 * MARGIN + 2 * TITLE);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (width as u32, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        let below = root.titled(title, (FONT, TITLE).into_font().color(&INK))?;
        for (area, values) in below.split_evenly((1, 2)).iter().zip(maps) {
            draw_map(area, values, cell)?;
        }
        root.present()?;
    }
    Ok(text)
}

fn draw_map(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    values: &Values<'_>,
    cell: i32,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let ranks = values.ranks() as i32;
    let write = |text: String, at: (i32, i32)| area.draw(&Text::new(text, at, centred(LETTERS, &INK)));
    write(values.title.clone(), (MARGIN + (cell * ranks).max(300) / 2, LETTERS))?;
    write("to rank".into(), (MARGIN + cell * ranks / 2, MARGIN - 30))?;
    let (low, high) = values.range().unwrap_or((0.0, 1.0));
    // Numbers that are nearly equal look so.
    let spread = (high - low).max(high / 2.0).max(f64::MIN_POSITIVE);
    for from in 0..ranks {
        let middle = MARGIN + cell * from + cell / 2;
        write(from.to_string(), (middle, MARGIN - 10))?;
        write(format!("from {from}"), (MARGIN - 34, middle))?;
        for to in 0..ranks {
            let Some(value) = values.get(from as u32, to as u32) else { continue };
            let share = (value - low) / spread;
            let corner = (MARGIN + cell * to, MARGIN + cell * from);
            let end = (corner.0 + cell - 1, corner.1 + cell - 1);
            area.draw(&Rectangle::new([corner, end], heat(share).filled()))?;
            if cell >= READABLE_CELL {
                let colour = if share > 0.5 { &WHITE } else { &INK };
                let style = centred(LETTERS.min(cell / 3), colour);
                area.draw(&Text::new(short(value), (corner.0 + cell / 2, corner.1 + cell / 2), style))?;
            }
        }
    }
    Ok(())
}

/// Style of text centred on a point.
fn centred(size: i32, colour: &RGBColor) -> TextStyle<'_> {
    let style = TextStyle::from((FONT, size).into_font()).color(colour);
    style.pos(Pos::new(HPos::Center, VPos::Center))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::report::Matrix;

    #[test]
    fn there_is_a_cell_for_each_pair_whatever_the_number_of_ranks() {
        for ranks in [1, 2, 7, 40] {
            let matrix = Matrix::numbered(ranks);
            let svg = draw("here", [&matrix.latency(), &matrix.bandwidth()]).unwrap();
            let cells = 2 * (ranks * ranks - ranks) as usize;
            // The background is a rectangle, too.
            assert_eq!(svg.matches("<rect").count(), cells + 1, "{ranks}: {svg}");
            assert!(svg.contains("latency of") && svg.contains("bandwidth of"), "{svg}");
        }
    }
}
