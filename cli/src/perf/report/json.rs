//! One JSON object, at the end: `{"header": {...}, "rows": [...], "pairs": [...], "warnings": [...]}`.

use std::io;

use super::whole::Measurements;

/// The text of the object.
pub fn json(measurements: &Measurements) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(measurements)?;
    text.push(b'\n');
    Ok(text)
}
