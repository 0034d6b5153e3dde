//! A writer of SVG: a few shapes, each one line of the file.

use std::fmt::Write;

use crate::markup::escape;

/// A picture to which shapes are added.
pub struct Svg {
    body: String,
}

/// A colour such as `#0072b2`.
pub type Colour<'a> = &'a str;

/// Position of text relative to its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// An empty picture.
    pub fn new() -> Svg {
        Svg { body: String::new() }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: Colour) {
        self.line(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        ));
    }

    /// A line without a head.
    pub fn stroke(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: Colour, width: f64) {
        self.line(format_args!(
            r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    /// A line with a head; `hollow` heads are circles. Viewers show `hint` when the mouse points at it.
    pub fn arrow(&mut self, from: (f64, f64), to: (f64, f64), style: &ArrowStyle, hint: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let ArrowStyle { colour, dashed, hollow } = style;
        let dash = if *dashed { r#" stroke-dasharray="5 3""# } else { "" };
        let ((x1, y1), (x2, y2)) = (from, (to.0 - 7.0 * ux, to.1 - 7.0 * uy));
        let head = if *hollow {
            let (x, y) = (to.0 - 3.5 * ux, to.1 - 3.5 * uy);
            format!(
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="white" stroke="{colour}" stroke-width="1.5"/>"#
            )
        } else {
            let corner = |side: f64| (x2 - side * 3.5 * uy, y2 + side * 3.5 * ux);
            let ((x, y), (ax, ay), (bx, by)) = (to, corner(1.0), corner(-1.0));
            format!(r#"<path d="M{x:.1} {y:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}Z" fill="{colour}"/>"#)
        };
        self.line(format_args!(
            r#"<g><title>{}</title><path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{colour}" stroke-width="1.5"{dash}/>{head}</g>"#,
            escape(hint)
        ));
    }

    /// Text.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: u32, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.line(format_args!(
            r##"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}" fill="#333333">{}</text>"##,
            escape(text)
        ));
    }

    /// The text of the file.
    pub fn finish(self, width: f64, height: f64) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn line(&mut self, shape: std::fmt::Arguments) {
        let _ = writeln!(self.body, "{shape}");
    }
}

/// How an arrow looks.
pub struct ArrowStyle {
    /// Colour of line and head.
    pub colour: String,
    /// Whether the line is dashed.
    pub dashed: bool,
    /// Whether the head is hollow.
    pub hollow: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_cannot_break_out() {
        let mut svg = Svg::new();
        svg.text((0.0, 0.0), Anchor::Start, 12, "a < b & </text>");
        let style = ArrowStyle { colour: "#000000".into(), dashed: true, hollow: false };
        svg.arrow((0.0, 0.0), (0.0, 0.0), &style, "<script>");
        let file = svg.finish(10.0, 20.0);
        assert!(file.contains("a &lt; b &amp; &lt;/text&gt;") && !file.contains("<script>"), "{file}");
        assert!(file.contains("viewBox=\"0 0 10 20\""), "{file}");
        assert!(!file.contains("NaN"), "an arrow without length: {file}");
    }
}
