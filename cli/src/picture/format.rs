//! Formats of files: SVG as it is drawn, or PNG. The ending of a name says which.

use std::path::Path;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::theme::{self, Theme};

/// The font of PNG files: letters of the machine would differ, or be missing in a container.
const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const FONT_FAMILY: &str = "DejaVu Sans";

/// Pixels of a PNG file for each of the drawing: enough for screens with fine pixels.
const SCALE: f32 = 2.0;
/// Upper limit of pixels in a PNG file: a heat map of hundreds of ranks gets fewer for each of the drawing.
const MOST_PIXELS: f32 = 1e8;

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text that browsers draw.
    Svg,
    /// Pixels.
    Png,
}

impl Format {
    /// The format that the ending of a name says; an error says which endings there are.
    pub fn of(path: &Path) -> Result<Format, String> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            _ => Err(format!("--plot {}: a picture ends in .svg or .png", path.display())),
        }
    }

    /// Encodes a picture that was drawn for this theme.
    pub fn encode(self, svg: &str, theme: Theme) -> Result<Vec<u8>, String> {
        match self {
            Format::Png => png(svg),
            Format::Svg if theme == Theme::Auto => Ok(with_style(svg).into_bytes()),
            Format::Svg => Ok(svg.as_bytes().to_vec()),
        }
    }
}

/// Puts the style sheet behind the first tag.
fn with_style(svg: &str) -> String {
    match svg.split_once(">\n") {
        Some((tag, rest)) => format!("{tag}>\n{}{rest}", theme::style()),
        None => svg.to_string(),
    }
}

/// Pixels for each of a drawing.
fn scale_of(width: f32, height: f32) -> f32 {
    SCALE.min((MOST_PIXELS / (width * height)).sqrt())
}

fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FONT_FAMILY);
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let scale = scale_of(tree.size().width(), tree.size().height());
    let size = tree.size().to_int_size().scale_by(scale).ok_or("the picture has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("the picture has no size")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!((of("a/b.svg"), of("b.PNG")), (Ok(Format::Svg), Ok(Format::Png)));
        for name in ["b", "b.pdf", ".svg", "b.svg.gz"] {
            let told = of(name).unwrap_err();
            assert!(told.contains(".svg or .png") && told.contains(name), "{told}");
        }
    }

    #[test]
    fn a_png_file_has_letters_and_twice_the_pixels() {
        let svg = |text: &str| {
            format!(
                "<svg width=\"60\" height=\"20\" xmlns=\"http://www.w3.org/2000/svg\">\n<rect width=\"60\" \
                 height=\"20\" fill=\"#FFFFFF\"/><text x=\"2\" y=\"15\" font-family=\"sans-serif\">{text}</text></svg>\n"
            )
        };
        let picture = |text: &str| {
            let file = Format::Png.encode(&svg(text), Theme::Auto).unwrap();
            Pixmap::decode_png(&file).unwrap()
        };
        let (empty, letters) = (picture(""), picture("10 \u{b5}s"));
        assert_eq!((letters.width(), letters.height()), (120, 40));
        let dark = |map: &Pixmap| map.pixels().iter().filter(|pixel| pixel.red() < 128).count();
        assert_eq!(dark(&empty), 0);
        assert!(dark(&letters) > 100, "{}", dark(&letters));
    }

    #[test]
    fn a_large_drawing_gets_fewer_pixels() {
        assert_eq!((scale_of(1320.0, 600.0), scale_of(1e4, 1e4), scale_of(2e4, 2e4)), (2.0, 1.0, 0.5));
    }

    #[test]
    fn only_an_svg_file_for_any_background_has_a_style_sheet() {
        let has = |format: Format, theme| {
            let file = format.encode("<svg>\n</svg>\n", theme).unwrap();
            String::from_utf8(file).unwrap().starts_with("<svg>\n<style>")
        };
        assert!(has(Format::Svg, Theme::Auto) && !has(Format::Svg, Theme::Dark));
    }
}
