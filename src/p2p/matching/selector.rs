//! Envelopes (source and tag of a message) and selectors (which messages a receive accepts).

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use crate::base::Rank;

/// Tag of a message, chosen by its sender. Tags from 0 on belong to the user, negative ones to the doors in
/// `abi/`.
pub type Tag = i32;

/// The parts of a message that matching looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The sender.
    pub source: Rank,
    /// The tag that the sender gave to the message.
    pub tag: Tag,
}

/// The messages that a receive or a probe accepts: one source or any, one tag or any.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Selector {
    source: Rank,
    tag: Tag,
}

/// Values that stand for "any". No rank and no tag has them.
const ANY_SOURCE: Rank = Rank::MAX;
const ANY_TAG: Tag = Tag::MIN;

/// Number of classes of selectors: each of the two parts is given or not.
pub(super) const CLASSES: usize = 4;

impl Selector {
    /// Any source, any tag.
    pub const ANY: Selector = Selector { source: ANY_SOURCE, tag: ANY_TAG };

    /// Makes a selector; `None` means any. Any tag means any tag from 0 on, so the doors' own messages are
    /// received only by their tag.
    #[inline]
    pub fn new(source: Option<Rank>, tag: Option<Tag>) -> Selector {
        debug_assert!(source != Some(ANY_SOURCE) && tag != Some(ANY_TAG));
        Selector { source: source.unwrap_or(ANY_SOURCE), tag: tag.unwrap_or(ANY_TAG) }
    }

    /// The source, unless the selector accepts any.
    #[inline]
    pub fn source(self) -> Option<Rank> {
        (self.source != ANY_SOURCE).then_some(self.source)
    }

    /// The tag, unless the selector accepts any.
    #[inline]
    pub fn tag(self) -> Option<Tag> {
        (self.tag != ANY_TAG).then_some(self.tag)
    }

    /// Whether the selector accepts a message.
    pub fn accepts(self, envelope: Envelope) -> bool {
        envelope.selectors().as_slice().contains(&self)
    }

    pub(super) fn class(self) -> usize {
        usize::from(self.source == ANY_SOURCE) | usize::from(self.tag == ANY_TAG) << 1
    }
}

/// Writes a selector as "rank 3, tag 7" or "any rank, any tag".
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source() {
            Some(source) => write!(f, "rank {source}")?,
            None => f.write_str("any rank")?,
        }
        match self.tag() {
            Some(tag) => write!(f, ", tag {tag}"),
            None => f.write_str(", any tag"),
        }
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({self})")
    }
}

/// All selectors that accept one message.
pub(super) struct Acceptors([Selector; CLASSES], usize);

impl Acceptors {
    #[inline]
    pub fn as_slice(&self) -> &[Selector] {
        &self.0[..self.1]
    }
}

impl Envelope {
    /// All selectors that accept this message.
    #[inline]
    pub(super) fn selectors(self) -> Acceptors {
        let Envelope { source, tag } = self;
        let by_name = [Selector { source, tag }, Selector { source: ANY_SOURCE, tag }];
        let by_any = [Selector { source, tag: ANY_TAG }, Selector { source: ANY_SOURCE, tag: ANY_TAG }];
        let all = [by_name[0], by_name[1], by_any[0], by_any[1]];
        Acceptors(all, if tag >= 0 { CLASSES } else { by_name.len() })
    }
}

/// Hashes a selector, or a number, by one multiplication. Only ranks of the job choose the hashed values.
#[derive(Default)]
pub struct TagHasher(u64);

/// Builder of the hasher, for maps of selectors or numbers.
pub type BuildTagHasher = BuildHasherDefault<TagHasher>;

impl Hasher for TagHasher {
    #[inline]
    fn finish(&self) -> u64 {
        // Hash tables take the place from the low bits, and a fingerprint from the high ones.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    fn write_i32(&mut self, word: i32) {
        self.write_u32(word.cast_unsigned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_accepts_what_its_parts_say_and_any_tag_excludes_internal_ones() {
        let envelope = |source, tag| Envelope { source, tag };
        let selector = Selector::new;
        assert!(selector(Some(3), Some(7)).accepts(envelope(3, 7)));
        assert!(!selector(Some(3), Some(7)).accepts(envelope(4, 7)));
        assert!(!selector(Some(3), Some(7)).accepts(envelope(3, 8)));
        assert!(selector(None, Some(7)).accepts(envelope(3, 7)));
        assert!(selector(Some(3), None).accepts(envelope(3, Tag::MAX)));
        assert!(selector(None, None).accepts(envelope(0, 0)));
        assert!(!selector(None, None).accepts(envelope(0, -1)));
        assert!(selector(None, Some(-1)).accepts(envelope(0, -1)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "4,096 hashes, in safe code")]
    fn neighbouring_selectors_spread_over_the_slots_of_a_table() {
        use std::hash::BuildHasher;
        let places = (0..64u32).flat_map(|source| (0..64).map(move |tag| (source, tag)));
        let place = |(source, tag)| {
            let hash = BuildTagHasher::default().hash_one(Selector::new(Some(source), Some(tag)));
            hash & 0xfff
        };
        let taken: std::collections::HashSet<u64> = places.map(place).collect();
        // About as many of 4096 as random choices would take.
        assert!(taken.len() > 4096 / 2, "{}", taken.len());
    }

    #[test]
    fn selectors_read_as_in_messages() {
        assert_eq!(Selector::new(Some(3), None).to_string(), "rank 3, any tag");
        assert_eq!(Selector::new(None, Some(4)).to_string(), "any rank, tag 4");
    }
}
