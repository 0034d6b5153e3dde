//! The looks of the lines of a panel. Each has its own colour, shape of points and dashes, so that two of
//! these three may be lost: in print without colour, or where points lie close.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::figure::MOST_SERIES;
use super::theme::Palette;

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// An error is a bug here, or a lack of memory.
pub type Done<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
/// A place in a picture, in pixels.
pub type Pixel = (i32, i32);

/// How a line looks.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    at: usize,
    palette: &'a Palette,
}

/// Lengths of dashes and of the gaps between them; none is a solid line.
const DASHES: [Option<(i32, i32)>; 4] = [None, Some((9, 4)), Some((3, 3)), Some((16, 6))];

/// Corners of the shapes, around the point itself. A circle has none.
const CORNERS: [&[Pixel]; MOST_SERIES] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[(0, -6), (5, 0), (0, 6), (-5, 0)],
    &[(0, 5), (5, -4), (-5, -4)],
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    // A cross.
    &[
        (-5, -2),
        (-2, -2),
        (-2, -5),
        (2, -5),
        (2, -2),
        (5, -2),
        (5, 2),
        (2, 2),
        (2, 5),
        (-2, 5),
        (-2, 2),
        (-5, 2),
    ],
];
/// Shapes from here on are hollow, except the cross.
const HOLLOW: [usize; 2] = [5, 6];

impl Look<'_> {
    /// The look of the line `at` of a panel.
    pub fn of(at: usize, palette: &Palette) -> Look<'_> {
        Look { at: at % MOST_SERIES, palette }
    }

    pub fn colour(self) -> RGBColor {
        self.palette.lines[self.at]
    }

    /// Draws the line through these places.
    pub fn line(self, area: &Area<'_>, places: &[Pixel]) -> Done {
        let stroke = self.colour().stroke_width(2);
        match DASHES[self.at % DASHES.len()] {
            None => area.draw(&PathElement::new(places, stroke))?,
            Some((dash, gap)) => {
                area.draw(&DashedPathElement::new(places.iter().copied(), dash, gap, stroke))?;
            }
        }
        Ok(())
    }

    /// Draws a point.
    pub fn point(self, area: &Area<'_>, (x, y): Pixel) -> Done {
        let hollow = HOLLOW.contains(&self.at);
        let fill = if hollow { self.palette.background } else { self.colour() }.filled();
        let edge = self.colour().stroke_width(2);
        if CORNERS[self.at].is_empty() {
            area.draw(&Circle::new((x, y), 4, fill))?;
            return if hollow { Ok(area.draw(&Circle::new((x, y), 4, edge))?) } else { Ok(()) };
        }
        let mut corners: Vec<Pixel> = CORNERS[self.at].iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        area.draw(&Polygon::new(corners.clone(), fill))?;
        if hollow {
            corners.push(corners[0]);
            area.draw(&PathElement::new(corners, edge))?;
        }
        Ok(())
    }

    /// Draws how far repeats lie around a point, beside those of the other lines.
    pub fn whisker(self, area: &Area<'_>, x: i32, (low, high): (i32, i32)) -> Done {
        // In turn at the left and at the right, from the middle outwards.
        let offset = self.at as i32;
        let x = if offset % 2 == 0 { x - offset } else { x + offset + 1 };
        let stroke = self.colour().mix(0.6).stroke_width(1);
        let across = |y| PathElement::new(vec![(x - 3, y), (x + 3, y)], stroke);
        area.draw(&PathElement::new(vec![(x, low), (x, high)], stroke))?;
        area.draw(&across(low))?;
        Ok(area.draw(&across(high))?)
    }

    /// Draws the mark of what the library chooses.
    pub fn ring(self, area: &Area<'_>, place: Pixel) -> Done {
        Ok(area.draw(&Circle::new(place, 9, self.palette.ink.stroke_width(2)))?)
    }
}
