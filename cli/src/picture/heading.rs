//! The title of a picture, and the lines of text below it.

use plotters::prelude::*;

use super::FONT;
use super::marker::{Area, Done};
use super::theme::Palette;

const TITLE: u32 = 22;
const LETTERS: u32 = 14;
/// Distance between two lines of text.
const LINE: u32 = 20;
const MARGIN: u32 = 14;

/// Height of a title with so many lines of text.
pub fn height(notes: usize) -> u32 {
    MARGIN + TITLE + notes as u32 * LINE + MARGIN
}

/// Fills the background and writes the heading. Returns the area below it.
pub fn draw<'a>(root: &Area<'a>, palette: &Palette, title: &str, notes: &[String]) -> Done<Area<'a>> {
    root.fill(&palette.background)?;
    let write = |text: &str, size: u32, y: u32| {
        let style = TextStyle::from((FONT, size).into_font()).color(&palette.ink);
        root.draw(&Text::new(text.to_string(), (MARGIN as i32, y as i32), style))
    };
    write(title, TITLE, MARGIN)?;
    for (at, note) in notes.iter().enumerate() {
        write(note, LETTERS, MARGIN + TITLE + 10 + at as u32 * LINE)?;
    }
    Ok(root.split_vertically(height(notes.len())).1)
}
