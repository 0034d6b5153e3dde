//! The configuration struct with which a communicator is made.
//!
//! It begins with its size, a magic number and the version that defined its members. Newer versions append
//! members, sometimes into former padding. A library accepts an older struct and fills in the rest; it
//! refuses one whose version is newer than its size. So the size must fit the version, and every member that
//! we leave open must be marked undefined: the smallest number for integers, NULL for pointers.

use std::ffi::{c_int, c_void};

const MAGIC: u32 = 0xcafe_beef;
const UNDEFINED: u32 = i32::MIN.cast_unsigned();
/// Room for every known version, with a reserve.
const WORDS: usize = 40;

/// Offset of the first member after the head. It says whether calls block.
pub const BLOCKING: usize = 16;

/// The struct. The library reads it and writes its defaults into it.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    words: [u32; WORDS],
}

impl Config {
    /// A struct of `bytes` bytes. All its members are undefined: pointers at the offsets `pointers`, integers
    /// elsewhere.
    pub const fn new(bytes: usize, version: c_int, pointers: &[usize]) -> Config {
        assert!(bytes <= 4 * WORDS);
        let mut words = [0; WORDS];
        let mut at = BLOCKING / 4;
        while at < bytes / 4 {
            words[at] = UNDEFINED;
            at += 1;
        }
        words[0] = bytes as u32;
        words[2] = MAGIC;
        words[3] = version.cast_unsigned();
        let mut at = 0;
        while at < pointers.len() {
            words[pointers[at] / 4] = 0;
            words[pointers[at] / 4 + 1] = 0;
            at += 1;
        }
        Config { words }
    }

    /// Sets the member at an offset.
    pub const fn with(mut self, offset: usize, value: u32) -> Config {
        self.words[offset / 4] = value;
        self
    }

    /// Pointer for the library.
    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    /// The size that the struct states.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.words[0] as usize
    }

    /// The member at an offset.
    #[cfg(test)]
    pub fn member(&self, offset: usize) -> u32 {
        self.words[offset / 4]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_undefined_pointers_null_and_nothing_is_behind_the_end() {
        let config = Config::new(48, 21800, &[32]).with(BLOCKING, 1);
        assert_eq!((config.bytes(), config.member(4)), (48, 0));
        assert_eq!((config.member(8), config.member(12)), (MAGIC, 21800));
        assert_eq!((config.member(16), config.member(20)), (1, UNDEFINED));
        assert_eq!((config.member(32), config.member(36)), (0, 0));
        assert_eq!((config.member(40), config.member(44)), (UNDEFINED, UNDEFINED));
        assert!((48..4 * WORDS).step_by(4).all(|offset| config.member(offset) == 0));
    }
}
