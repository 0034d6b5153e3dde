//! The title of a picture, and the lines of text below it. A picture inside a page may have neither.

use plotters::prelude::*;

use super::FONT;
use super::marker::{Area, Done};
use super::theme::Palette;

const TITLE: u32 = 22;
const LETTERS: u32 = 14;
/// Distance between two lines of text.
const LINE: u32 = 20;
const MARGIN: u32 = 14;

/// What stands above a picture.
#[derive(Default)]
pub struct Heading {
    /// The title; empty for none.
    pub title: String,
    /// Lines of text below it.
    pub notes: Vec<String>,
}

impl Heading {
    /// Height in pixels.
    pub fn height(&self) -> u32 {
        let title = if self.title.is_empty() { 0 } else { MARGIN + TITLE };
        title + self.notes.len() as u32 * LINE + MARGIN
    }

    /// Fills the background and writes the heading. Returns the area below it.
    pub fn draw<'a>(&self, root: &Area<'a>, palette: &Palette) -> Done<Area<'a>> {
        root.fill(&palette.background)?;
        let write = |text: &str, size: u32, y: u32| {
            let style = TextStyle::from((FONT, size).into_font()).color(&palette.ink);
            root.draw(&Text::new(text.to_string(), (MARGIN as i32, y as i32), style))
        };
        if !self.title.is_empty() {
            write(&self.title, TITLE, MARGIN)?;
        }
        for (at, note) in self.notes.iter().enumerate() {
            write(note, LETTERS, MARGIN + TITLE + 10 + at as u32 * LINE)?;
        }
        Ok(root.split_vertically(self.height()).1)
    }
}
