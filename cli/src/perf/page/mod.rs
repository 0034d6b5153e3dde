//! `--html`: one page with everything that was measured.
//!
//! The page has the facts of the run ([`facts`]), its warnings, the picture of `--plot`, and all measurements
//! as a table ([`table`]) and as the JSON object of `--json`. It needs no network: style and script are in
//! it, and its content security policy forbids to load anything. Without the script it shows the same. The
//! script sorts the table, shows the values of the point under the mouse, and switches lines off.

mod facts;
mod table;

use std::io;
use std::path::Path;

use super::plot;
use super::report::Measurements;
use crate::markup::escape;
use crate::picture::{Format, Heading, Theme};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Refuses a name that browsers would not show as a page.
pub fn check_name(path: &Path) -> Result<(), String> {
    match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("html") => Ok(()),
        _ => Err(format!("--html {}: a page ends in .html", path.display())),
    }
}

/// The text of the page.
pub fn page(measurements: &Measurements, theme: Theme) -> io::Result<Vec<u8>> {
    let title = escape(&format!("anyccl perf {}", measurements.header.what.name()));
    let description = escape(&plot::place(&measurements.header));
    let (scheme, variables) = (theme.color_scheme(), theme.variables());
    let head = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"{scheme}\">\n\
         <title>{title}: {description}</title>\n<style>\n{variables}{STYLE}</style>\n</head>\n"
    );
    let body = format!(
        "<body>\n<main>\n<h1>{title}</h1>\n<p>{description}</p>\n{facts}{warnings}{picture}{tables}</main>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        facts = facts::facts(&measurements.header),
        warnings = facts::warnings(&measurements.warnings),
        picture = picture(measurements, theme)?,
        tables = table::tables(measurements),
        data = data(measurements)?,
    );
    Ok((head + &body).into_bytes())
}

/// The picture, unless nothing was measured that can be drawn.
fn picture(measurements: &Measurements, theme: Theme) -> io::Result<String> {
    if !plot::can_draw(measurements) {
        return Ok(String::new());
    }
    let svg = plot::draw(measurements, &Heading::default(), 1, theme).map_err(io::Error::other)?;
    let svg = Format::Svg.encode(&svg, theme).map_err(io::Error::other)?;
    let svg = String::from_utf8_lossy(&svg);
    Ok(format!("<h2>Picture</h2>\n<figure class=\"scroll\">\n{svg}</figure>\n"))
}

/// The JSON object of `--json`, without the character that could end the element around it.
fn data(measurements: &Measurements) -> io::Result<String> {
    Ok(serde_json::to_string(measurements)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests;
