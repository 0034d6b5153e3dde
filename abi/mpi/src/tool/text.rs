//! Strings that these functions return, by the rules of MPI 5.0, section 15.3.3.

use crate::abi::TextLimit;
use crate::arguments::{InputOutput, TextPlace};

/// Writes as much of a string as fits into `place`, and its length with the zero to `length`. Without a
/// length nothing is written, without a place only the length.
pub(super) fn put(text: &str, place: Option<TextPlace>, length: Option<InputOutput<i32>>) {
    let Some(length) = length else { return };
    let room = usize::try_from(length.get()).unwrap_or(0);
    if let Some(place) = place.filter(|_| room > 0) {
        place.put(text.as_bytes(), TextLimit::Given(room));
    }
    length.set(text.len() as i32 + 1);
}
