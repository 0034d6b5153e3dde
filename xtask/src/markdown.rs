//! Markdown of generated pages.

use std::fmt::Write;

/// Appends a Markdown table.
pub fn table(page: &mut String, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        page.push('|');
        for cell in cells {
            // An unescaped bar would end the cell.
            let _ = write!(page, " {} |", cell.replace('|', "\\|"));
        }
        page.push('\n');
    };
    line(&mut heads.iter().map(|head| (*head).to_owned()));
    line(&mut heads.iter().map(|_| "---".to_owned()));
    for row in rows {
        line(&mut row.into_iter());
    }
}
