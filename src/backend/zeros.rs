//! Memory for what another engine takes or gives in another form.

use crate::base::{Error, Result};
use crate::sys::zeroed::zeroed;

/// Makes `bytes` zeros. `what` they are for is told in the error.
pub(super) fn zeroed_for(bytes: usize, what: &str) -> Result<Vec<u8>> {
    zeroed(bytes).map_err(|error| Error::no_memory(bytes, what, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_says_what_the_memory_was_for() {
        assert_eq!(zeroed_for(2, "zeros").unwrap(), [0, 0]);
        assert!(zeroed_for(usize::MAX, "zeros").unwrap_err().to_string().contains("bytes of zeros"));
    }
}
