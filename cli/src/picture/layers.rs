//! Layers of a picture. Each is drawn by itself and becomes a group of the SVG file with a class, so that the
//! script of a page finds the parts of a picture.

use std::fmt::{Display, Write};

use plotters::prelude::*;

use super::Drawn;
use super::marker::{Area, Done, Pixel};
use crate::markup::escape;

/// A picture to which layers are added. Later ones lie above earlier ones.
pub struct Layers {
    size: (u32, u32),
    text: String,
}

impl Layers {
    /// An empty picture of this size in pixels.
    pub fn new(size: (u32, u32)) -> Layers {
        let (width, height) = size;
        let text = format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n"
        );
        Layers { size, text }
    }

    /// Adds a group of a class, with the layers that `add` adds.
    pub fn group(&mut self, class: &str, add: impl FnOnce(&mut Layers) -> Done) -> Done {
        let _ = writeln!(self.text, "<g class=\"{class}\">");
        add(self)?;
        self.text += "</g>\n";
        Ok(())
    }

    /// Adds what `draw` draws on an area of the picture's size.
    pub fn draw(&mut self, draw: impl FnOnce(&Area<'_>) -> Done) -> Done {
        let mut file = String::new();
        {
            let root = SVGBackend::with_string(&mut file, self.size).into_drawing_area();
            draw(&root)?;
            root.present()?;
        }
        // Without the first tag and the last, which are those of the whole picture.
        let (_, inside) = file.split_once(">\n").ok_or("plotters writes a tag in a line")?;
        self.text += inside.strip_suffix("</svg>\n").ok_or("plotters ends a picture with its tag")?;
        Ok(())
    }

    /// Adds a circle that nobody sees. Browsers show `hint` while the mouse is on it.
    pub fn hint(&mut self, (x, y): Pixel, radius: i32, hint: impl Display) {
        let hint = escape(&hint.to_string());
        let _ = writeln!(
            self.text,
            "<circle class=\"hint\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" \
             pointer-events=\"all\"><title>{hint}</title></circle>"
        );
    }

    /// The text of the file.
    pub fn end(self) -> Drawn {
        Ok(self.text + "</svg>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_what_was_drawn_without_the_tags_of_a_file() {
        let mut layers = Layers::new((40, 30));
        let dot = Circle::new((5, 6), 2, BLACK.filled());
        let add = |layers: &mut Layers| {
            layers.draw(|area| Ok(area.draw(&dot)?))?;
            layers.hint((5, 6), 9, "a < b");
            Ok(())
        };
        layers.group("series", add).unwrap();
        let file = layers.end().unwrap();
        let lines: Vec<&str> = file.lines().collect();
        assert_eq!(lines.len(), 6, "{file}");
        assert!(lines[0].starts_with("<svg width=\"40\" height=\"30\" viewBox=\"0 0 40 30\""), "{file}");
        assert_eq!((lines[1], lines[4], lines[5]), ("<g class=\"series\">", "</g>", "</svg>"));
        assert!(lines[2].starts_with("<circle cx=\"5\" cy=\"6\" r=\"2\""), "{file}");
        assert!(lines[3].ends_with("<title>a &lt; b</title></circle>"), "{file}");
    }
}
