//! What all targets of fuzzing share: the type of a row, how its memory is counted, and how a test replays
//! inputs and their mutations.
//!
//! The tests of other crates compile this folder by its path, so it uses nothing of the engine.

pub mod memory;
#[cfg(test)]
mod mutation;
#[cfg(test)]
pub mod replay;

/// Bytes of memory that each byte of input may cost, besides [`Target::room`].
const PER_BYTE: usize = 64;

/// A parser of bytes that another process, or a person, has written.
#[derive(Clone, Copy)]
pub struct Target {
    /// Name of the target, of its folder in `fuzz/corpus`, and of its file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Gives the bytes to the parser, and checks what must hold for any bytes.
    pub read: fn(&[u8]),
    /// Valid inputs, with which mutations begin.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Bytes of memory that a run may use for an empty input.
    pub room: usize,
}

impl Target {
    /// Gives the bytes to the parser.
    ///
    /// # Panics
    /// If the parser breaks a rule, or takes more memory than the bytes warrant.
    pub fn run(&self, bytes: &[u8]) {
        let used = memory::most_used(|| (self.read)(bytes));
        let most = self.room + PER_BYTE * bytes.len();
        assert!(
            used <= most,
            "{} bytes made {} use {used} bytes of memory, not {most}",
            bytes.len(),
            self.name
        );
    }
}

/// Cuts the input into a few first bytes, which choose how the rest is used, and the rest. Missing bytes are
/// zero.
pub fn split<const N: usize>(bytes: &[u8]) -> ([u8; N], &[u8]) {
    let (head, rest) = bytes.split_at(N.min(bytes.len()));
    (std::array::from_fn(|at| head.get(at).copied().unwrap_or(0)), rest)
}

/// Cuts bytes into pieces of `length` bytes, or into one if `length` is 0.
pub fn pieces(bytes: &[u8], length: u8) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(if length == 0 { bytes.len().max(1) } else { usize::from(length) })
}

/// Checks a sentence that a user is shown. It may quote what was read, so only its length is limited.
pub fn check_sentence(text: &str, input: &[u8]) {
    // A byte that is not UTF-8 becomes three, and a sentence quotes an input at most twice.
    assert!(text.len() <= 4096 + 6 * input.len(), "a sentence of {} bytes", text.len());
}
