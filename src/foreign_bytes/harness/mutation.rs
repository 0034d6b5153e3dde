//! Small changes to inputs, chosen by a seed.

/// Longest input that is made.
const LONGEST: usize = 4096;

/// Numbers that parsers tend to forget.
const NUMBERS: [u64; 10] =
    [0, 1, 0x7f, 0x80, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX as u64, 1 << 63, u64::MAX];
/// Characters that divide texts, or end numbers.
const CHARACTERS: &[u8] = b"0189+-.,:;=/[]{}\"'#%@ \t\r\n\0e\xff";

/// A stream of numbers that depends on its seed only (SplitMix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// One of a list that is not empty.
    pub fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// A range of `len` positions.
    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        start..start + self.below((len - start).min(64) + 1)
    }
}

/// An input with one to eight changes. Some of them take bytes from `other`.
pub fn mutated(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(8) {
        change(&mut bytes, other, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(10) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
        2 if !bytes.is_empty() => bytes[at] = *random.one_of(CHARACTERS),
        3 => {
            let width = *random.one_of(&[1, 2, 4, 8]);
            let near = random.one_of(&NUMBERS).wrapping_add(random.below(3) as u64).wrapping_sub(1);
            let number = if random.below(4) == 0 { bytes.len() as u64 } else { near };
            let places = bytes.iter_mut().skip(at).take(width);
            places.zip(number.to_le_bytes()).for_each(|(place, byte)| *place = byte);
        }
        4 => bytes.truncate(at),
        5 => drop(bytes.drain(random.range(bytes.len()))),
        6 => {
            let part = bytes[random.range(bytes.len())].to_vec();
            bytes.splice(at..at, part);
        }
        7 => {
            let part = other[random.range(other.len())].to_vec();
            bytes.splice(at..at, part);
        }
        8 => {
            bytes.truncate(at);
            bytes.extend(&other[random.below(other.len()).min(other.len())..]);
        }
        _ => bytes
            .insert(at, if random.below(2) == 0 { random.next() as u8 } else { *random.one_of(CHARACTERS) }),
    }
}
