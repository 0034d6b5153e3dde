//! Messages between a rank and a target on another host: their bytes.
//!
//! A message is a header of four words, a list of [`Series`], and data. The series are the places that are
//! accessed, in the order of the packed bytes: offsets in the target's window, or addresses in a dynamic one.
//! The origin knows the datatype, so none travels. Everything is in native byte order, as in all messages.
//!
//! What comes from another process is not believed. A message of wrong form is refused here. Whether places
//! are inside of the window is checked where they are accessed.

use crate::datatype::Datatype;

/// Most bytes of data that one message accesses. The next one is packed while the target handles it, and both
/// sides find it in their caches.
pub const MOST_DATA: usize = 60 << 10;
/// Most series of a message.
pub const MOST_SERIES: usize = 1024;
const WORD: usize = 8;
const HEADER: usize = 4 * WORD;
const SERIES: usize = 4 * WORD;
/// Bytes of the longest message.
pub const LONGEST: usize = HEADER + MOST_SERIES * SERIES + MOST_DATA;

/// What a message asks for, or that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Write the data.
    Put = 1,
    /// Send the data back.
    Get,
    /// Combine the data with the elements.
    Accumulate,
    /// Combine, and send the old elements back.
    GetAccumulate,
    /// Compare and swap: the data is the value that is compared, then the new one.
    Swap,
    /// Take the lock. The answer comes when it is taken.
    Lock,
    /// Give the lock back.
    Unlock,
    /// Answer to one of the others.
    Reply,
    /// Forget the lock that was asked for, and everything after.
    Forget,
}

const KINDS: [Kind; 9] = [
    Kind::Put,
    Kind::Get,
    Kind::Accumulate,
    Kind::GetAccumulate,
    Kind::Swap,
    Kind::Lock,
    Kind::Unlock,
    Kind::Reply,
    Kind::Forget,
];

/// The beginning of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Number of the operation, which its answer repeats.
    pub id: u64,
    /// Operator, kind of lock, or error class of an answer.
    pub detail: u32,
    /// Predefined datatype of the elements, for accumulates.
    pub code: u32,
    /// Bytes that are accessed.
    pub bytes: usize,
}

impl Header {
    /// A message that accesses nothing.
    pub fn plain(kind: Kind, id: u64, detail: u32) -> Header {
        Header { kind, id, detail, code: 0, bytes: 0 }
    }
}

/// Runs of one length at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// Place of the first byte.
    pub start: u64,
    /// Bytes of each run, at least 1.
    pub len: u64,
    /// Bytes from one run to the next.
    pub stride: i64,
    /// Number of runs, at least 1.
    pub count: u64,
}

impl Series {
    /// Number of bytes, if it is no more than a message may access.
    fn bytes(&self) -> Option<usize> {
        let bytes = self.len.checked_mul(self.count).and_then(|bytes| usize::try_from(bytes).ok());
        bytes.filter(|bytes| (1..=MOST_DATA).contains(bytes))
    }

    /// The first place and the end.
    pub fn span(&self) -> (i128, i128) {
        let first = i128::from(self.start);
        let last = first + i128::from(self.stride) * i128::from(self.count - 1);
        (first.min(last), first.max(last) + i128::from(self.len))
    }

    /// The place of each run.
    pub fn starts(&self) -> impl Iterator<Item = u64> {
        let Series { start, stride, count, .. } = *self;
        (0..count).map(move |number| start.wrapping_add_signed(stride.wrapping_mul(number.cast_signed())))
    }
}

/// A message that was received.
#[derive(Debug, PartialEq, Eq)]
pub struct Parsed<'a> {
    pub header: Header,
    pub series: Vec<Series>,
    pub data: &'a [u8],
}

/// The bytes of a message. Data follows.
pub fn begin(header: &Header, series: &[Series], data: usize) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEADER + series.len() * SERIES + data);
    let mut add = |word: u64| message.extend(word.to_ne_bytes());
    add(header.kind as u64 | u64::from(header.detail) << 32);
    add(header.id);
    add(u64::from(header.code) | (series.len() as u64) << 32);
    add(header.bytes as u64);
    for Series { start, len, stride, count } in series {
        [*start, *len, stride.cast_unsigned(), *count].into_iter().for_each(&mut add);
    }
    message
}

/// An answer without a failure, whose data is written where the message has it.
pub struct Reply(Vec<u8>);

impl Default for Reply {
    fn default() -> Reply {
        Reply::begun(0)
    }
}

impl Reply {
    fn begun(bytes: usize) -> Reply {
        // The number of the operation is written at the end.
        Reply(begin(&Header { bytes, ..Header::plain(Kind::Reply, 0, 0) }, &[], bytes))
    }

    /// An answer with a copy of data.
    pub fn copied(data: &[u8]) -> Reply {
        let mut reply = Reply::begun(data.len());
        reply.0.extend_from_slice(data);
        reply
    }

    /// An answer with `bytes` bytes of data, which `fill` writes.
    ///
    /// # Safety
    /// `fill` writes all of them.
    pub unsafe fn filled(bytes: usize, fill: impl FnOnce(*mut u8)) -> Reply {
        let mut reply = Reply::begun(bytes);
        fill(reply.0.spare_capacity_mut().as_mut_ptr().cast());
        // SAFETY: the capacity is the header and the data, which was just written.
        unsafe { reply.0.set_len(HEADER + bytes) };
        reply
    }

    /// The message that answers an operation.
    pub fn into_message(mut self, id: u64) -> Vec<u8> {
        self.0[WORD..2 * WORD].copy_from_slice(&id.to_ne_bytes());
        self.0
    }
}

/// Takes a message apart. `None`: it has a wrong form.
pub fn parse(message: &[u8]) -> Option<Parsed<'_>> {
    let (head, rest) = message.split_at_checked(HEADER)?;
    let word = |at: usize| {
        let mut bytes = [0; WORD];
        bytes.copy_from_slice(&head[at * WORD..(at + 1) * WORD]);
        u64::from_ne_bytes(bytes)
    };
    let kind = *KINDS.iter().find(|kind| **kind as u64 == word(0) & u64::from(u32::MAX))?;
    let (detail, id, code) = ((word(0) >> 32) as u32, word(1), word(2) as u32);
    let number = usize::try_from(word(2) >> 32).ok().filter(|number| *number <= MOST_SERIES)?;
    let bytes = usize::try_from(word(3)).ok().filter(|bytes| *bytes <= MOST_DATA)?;
    let (list, data) = rest.split_at_checked(number * SERIES)?;
    let series: Vec<Series> = list.chunks_exact(SERIES).map(series_of).collect();
    let listed = series.iter().try_fold(0usize, |sum, series| sum.checked_add(series.bytes()?))?;
    let accesses = !matches!(kind, Kind::Lock | Kind::Unlock | Kind::Reply | Kind::Forget);
    let wanted = if accesses { bytes } else { 0 };
    let sent = match kind {
        Kind::Put | Kind::Reply => bytes,
        Kind::Swap => 2 * bytes,
        Kind::Get | Kind::Lock | Kind::Unlock | Kind::Forget => 0,
        // Without an operand, for MPI_NO_OP.
        Kind::Accumulate | Kind::GetAccumulate => data.len().min(bytes),
    };
    let is_whole = data.len() == sent && (sent == 0 || sent == bytes || kind == Kind::Swap);
    (listed == wanted && is_whole).then_some(Parsed {
        header: Header { kind, id, detail, code, bytes },
        series,
        data,
    })
}

fn series_of(bytes: &[u8]) -> Series {
    let mut words = [0u64; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    let [start, len, stride, count] = words;
    Series { start, len, stride: stride.cast_signed(), count }
}

/// The places of packed bytes from `position` on: up to `most` bytes, of whole units. Elements begin at
/// `base`. Returns the number of bytes, too.
pub fn places(
    (datatype, count, base): (&Datatype, i64, usize),
    position: usize,
    most: usize,
    unit: usize,
) -> (Vec<Series>, usize) {
    let (series, len) = listed((datatype, count, base), position, most / unit * unit);
    // The list was full before the end, within a unit.
    if len % unit != 0 { listed((datatype, count, base), position, len / unit * unit) } else { (series, len) }
}

fn listed(
    (datatype, count, base): (&Datatype, i64, usize),
    position: usize,
    most: usize,
) -> (Vec<Series>, usize) {
    let (mut series, mut left): (Vec<Series>, usize) = (Vec::new(), most);
    for run in datatype.runs(count, position) {
        if left == 0 {
            break;
        }
        let len = run.len.min(left as u64);
        let start = base.wrapping_add_signed(run.offset as isize) as u64;
        if !series.last_mut().is_some_and(|last| extends(last, start, len)) {
            if series.len() == MOST_SERIES {
                break;
            }
            series.push(Series { start, len, stride: 0, count: 1 });
        }
        left -= len as usize;
    }
    (series, most - left)
}

/// Adds a run to a series, if it has its length and distance. A second run decides the distance.
fn extends(last: &mut Series, start: u64, len: u64) -> bool {
    let stride = start.wrapping_sub(last.start).cast_signed();
    if last.len != len || i64::try_from(last.count).ok().is_none_or(|count| stride % count != 0) {
        return false;
    }
    let stride = stride / last.count as i64;
    if last.count > 1 && stride != last.stride {
        return false;
    }
    (last.stride, last.count) = (stride, last.count + 1);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(header: &Header, series: &[Series], data: &[u8]) -> Vec<u8> {
        let mut message = begin(header, series, data.len());
        message.extend(data);
        message
    }

    #[test]
    fn a_message_comes_out_as_it_went_in() {
        let header = Header { kind: Kind::Put, id: 77, detail: 5, code: 9, bytes: 12 };
        let series = [Series { start: 8, len: 4, stride: -16, count: 3 }];
        let sent = message(&header, &series, &[1; 12]);
        assert_eq!(parse(&sent), Some(Parsed { header, series: series.to_vec(), data: &[1; 12] }));
        for kind in [Kind::Reply, Kind::Lock, Kind::Unlock, Kind::Forget] {
            let plain = Header::plain(kind, 77, 3);
            assert_eq!(parse(&message(&plain, &[], &[])).map(|parsed| parsed.header), Some(plain));
        }
    }

    #[test]
    fn messages_of_wrong_form_are_refused() {
        let header = Header { kind: Kind::Put, id: 0, detail: 0, code: 0, bytes: 8 };
        let good = Series { start: 0, len: 4, stride: 4, count: 2 };
        assert!(parse(&message(&header, &[good], &[0; 8])).is_some());
        assert!(parse(&[0; 7]).is_none());
        assert!(parse(&message(&header, &[good], &[0; 7])).is_none());
        assert!(parse(&message(&header, &[], &[0; 8])).is_none());
        for series in [
            Series { len: 0, ..good },
            Series { count: 0, ..good },
            Series { count: u64::MAX, ..good },
            Series { len: u64::MAX, count: u64::MAX, ..good },
            Series { len: 1 << 63, count: 2, ..good },
        ] {
            assert!(parse(&message(&header, &[series], &[0; 8])).is_none(), "{series:?}");
        }
        let huge = Header { bytes: MOST_DATA + 1, ..header };
        assert!(parse(&message(&huge, &[good], &[0; 8])).is_none());
        let mut odd = message(&header, &[good], &[0; 8]);
        odd[0] = 200;
        assert!(parse(&odd).is_none());
        let mut many = message(&header, &[good], &[0; 8]);
        many[20..24].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert!(parse(&many).is_none());
    }

    #[test]
    fn spans_of_hostile_series_do_not_overflow() {
        let series = Series { start: u64::MAX, len: 1, stride: i64::MIN, count: MOST_DATA as u64 };
        let (first, end) = series.span();
        assert!(first < 0 && end == i128::from(u64::MAX) + 1);
    }

    #[test]
    fn a_vector_is_one_series_and_units_stay_whole() {
        let int = Datatype::predefined(crate::constants::INT).unwrap();
        let vector = Datatype::vector(1000, 1, 3, int).unwrap();
        let (series, len) = places((&vector, 2, 100), 0, 4000, 4);
        assert_eq!((series, len), (vec![Series { start: 100, len: 4, stride: 12, count: 1000 }], 4000));
        let (series, len) = places((&vector, 2, 100), 4, 9, 4);
        assert_eq!((series, len), (vec![Series { start: 112, len: 4, stride: 12, count: 2 }], 8));
    }
}
