//! What an aggregator does in a round of a collective access: it reads or writes the runs of all ranks in its
//! window, each range of the file that they cover at once.

use super::Disk;
use super::exchange::{Blocks, damaged, list, resize};
use super::transfer::Transfer;
use crate::error::Result;

/// Gaps up to this length are read together with their neighbours.
const GAP: u64 = 64 << 10;
/// Bytes that describe a run in a request: its place and its length.
pub const RUN: usize = 16;
/// Bytes before the runs of a request, and before the data of an answer.
pub const HEAD: usize = 8;

/// A range of bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: u64,
    pub end: u64,
}

/// A run of a rank, with the place of its data in a buffer of all ranks.
#[derive(Clone, Copy)]
struct Piece {
    start: u64,
    len: usize,
    at: usize,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.len as u64
    }
}

/// Appends the runs of these positions: their number, the place and length of each, and if `with_data` is
/// set, their data.
pub fn put_request(
    transfer: &Transfer,
    first: i64,
    last: i64,
    with_data: bool,
    block: &mut Vec<u8>,
) -> Result<()> {
    let count_at = block.len();
    block.extend(0u64.to_ne_bytes());
    let mut count = 0u64;
    for run in transfer.view.runs(first, (last - first) as usize) {
        block.extend(run.offset.to_ne_bytes());
        block.extend(run.len.to_ne_bytes());
        count += 1;
    }
    block[count_at..count_at + HEAD].copy_from_slice(&count.to_ne_bytes());
    if with_data {
        let (mut at, mut packed) = ((first - transfer.position) as usize, Vec::new());
        let end = (last - transfer.position) as usize;
        while at < end {
            let piece = transfer.elements.piece(at, end - at, &mut packed)?;
            block.extend_from_slice(piece);
            at += piece.len();
        }
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Result<u64> {
    let word = bytes.get(at * 8..at * 8 + 8).and_then(|word| word.try_into().ok());
    word.map(u64::from_ne_bytes).ok_or_else(damaged)
}

/// Number of runs of a request.
fn count(block: &[u8]) -> Result<usize> {
    let most = block.len() / RUN;
    let count = if block.is_empty() { 0 } else { word(block, 0)? };
    usize::try_from(count).ok().filter(|count| *count <= most).ok_or_else(damaged)
}

/// Appends the runs of a request, which lie inside the window. Their data begins at `at`. Returns its end.
fn parse(block: &[u8], window: Window, mut at: usize, pieces: &mut Vec<Piece>) -> Result<usize> {
    for run in 0..count(block)? {
        let (start, len) = (word(block, 2 * run + 1)?, word(block, 2 * run + 2)?);
        let is_inside = start >= window.start && start.checked_add(len).is_some_and(|end| end <= window.end);
        let len = usize::try_from(len).ok().filter(|_| is_inside).ok_or_else(damaged)?;
        pieces.push(Piece { start, len, at });
        at = at.checked_add(len).ok_or_else(damaged)?;
    }
    Ok(at)
}

/// A list for the runs of all requests.
fn pieces(received: &Blocks, size: u32) -> Result<Vec<Piece>> {
    let counts = (0..size).map(|rank| count(received.get(rank)));
    list(counts.sum::<Result<usize>>()?)
}

/// Calls `access` for each range of the file that pieces cover, with the pieces in it. Gaps of up to `gap`
/// bytes belong to a range. A range has up to `longest` bytes, or one piece.
fn each_range(
    pieces: &mut [Piece],
    gap: u64,
    longest: usize,
    mut access: impl FnMut(Window, &[Piece]) -> Result<()>,
) -> Result<()> {
    pieces.sort_unstable_by_key(|piece| (piece.start, piece.at));
    let mut rest = &*pieces;
    while let Some(first) = rest.first() {
        let (start, mut end) = (first.start, first.end());
        let together = rest.iter().take_while(|piece| {
            let longer = end.max(piece.end());
            let is_near = piece.start <= end.saturating_add(gap);
            let fits = is_near && (longer == end || longer - start <= longest as u64);
            if fits {
                end = longer;
            }
            fits
        });
        let (these, others) = rest.split_at(together.count());
        access(Window { start, end }, these)?;
        rest = others;
    }
    Ok(())
}

/// Writes what the ranks have sent for a window. `buffer` has no room but for `longest` bytes.
pub fn write(
    disk: &Disk,
    window: Window,
    received: &mut Blocks,
    size: u32,
    (buffer, longest): (&mut Vec<u8>, usize),
) -> Result<()> {
    let mut pieces = pieces(received, size)?;
    for rank in 0..size {
        let place = received.place(rank);
        let at = place.offset + HEAD + RUN * count(received.get(rank))?;
        let end = parse(received.get(rank), window, at, &mut pieces)?;
        if end > place.end() && place.len > 0 {
            return Err(damaged());
        }
    }
    let data = &*received.bytes();
    each_range(&mut pieces, 0, longest, |range, pieces| {
        resize(buffer, (range.end - range.start) as usize)?;
        for piece in pieces {
            let at = (piece.start - range.start) as usize;
            buffer[at..at + piece.len].copy_from_slice(&data[piece.at..piece.at + piece.len]);
        }
        disk.write(buffer, range.start)
    })
}

/// Reads what the ranks have asked for. The answer for a rank has the end of what was read, and the data of
/// its runs.
pub fn read(
    disk: &Disk,
    window: Window,
    received: &Blocks,
    answers: &mut Blocks,
    size: u32,
    (buffer, longest): (&mut Vec<u8>, usize),
) -> Result<()> {
    let mut pieces = pieces(received, size)?;
    answers.clear();
    for rank in 0..size {
        answers.push(|block| {
            let before = block.len();
            let end = parse(received.get(rank), window, before + HEAD, &mut pieces)?;
            if end > block.capacity() {
                return Err(damaged());
            }
            let is_empty = received.get(rank).is_empty();
            block.resize(if is_empty { before } else { end }, 0);
            Ok(())
        })?;
    }
    let (mut end, data) = (u64::MAX, answers.bytes());
    each_range(&mut pieces, GAP, longest, |range, pieces| {
        resize(buffer, (range.end - range.start) as usize)?;
        let len = disk.read(buffer, range.start)?;
        if len < buffer.len() {
            end = end.min(range.start + len as u64);
        }
        for piece in pieces {
            let at = (piece.start - range.start) as usize;
            data[piece.at..piece.at + piece.len].copy_from_slice(&buffer[at..at + piece.len]);
        }
        Ok(())
    })?;
    for rank in 0..size {
        let place = answers.place(rank);
        if place.len > 0 {
            answers.bytes()[place.offset..place.offset + HEAD].copy_from_slice(&end.to_ne_bytes());
        }
    }
    Ok(())
}

/// Puts the answer of an aggregator for these positions into memory. Returns the number of bytes of the
/// transfer before the first that the file does not have; all, if it has those of the answer. An aggregator
/// that has failed has an empty answer.
pub fn take_answer(transfer: &mut Transfer, first: i64, last: i64, answer: &[u8]) -> Result<usize> {
    let mut at = (first - transfer.position) as usize;
    if answer.is_empty() {
        return Ok(at);
    }
    let (end, mut data) = (word(answer, 0)?, &answer[HEAD..]);
    let mut bytes = transfer.elements.bytes;
    for run in transfer.view.clone().runs(first, (last - first) as usize) {
        let (its, rest) = data.split_at_checked(run.len as usize).ok_or_else(damaged)?;
        let there = end.saturating_sub(run.offset.cast_unsigned()).min(run.len) as usize;
        transfer.elements.put(at, &its[..there]);
        if there < its.len() {
            bytes = bytes.min(at + there);
        }
        at += its.len();
        data = rest;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_several_ranks_are_joined_and_gaps_stay_unless_they_are_small() {
        let runs = [(10, 5), (0, 10), (12, 8), (30, 1), (13, 2)];
        let ranges = |gap, longest| {
            let mut pieces = runs.map(|(start, len)| Piece { start, len, at: 0 });
            let mut ranges = Vec::new();
            let note = |range: Window, pieces: &[Piece]| {
                assert!(pieces.iter().all(|it| it.start >= range.start && it.end() <= range.end));
                ranges.push((range.start, range.end, pieces.len()));
                Ok(())
            };
            each_range(&mut pieces, gap, longest, note).unwrap();
            ranges
        };
        assert_eq!(ranges(0, 100), [(0, 20, 4), (30, 31, 1)]);
        assert_eq!(ranges(10, 100), [(0, 31, 5)]);
        assert_eq!(ranges(10, 15), [(0, 15, 2), (12, 20, 2), (30, 31, 1)]);
        assert_eq!(ranges(0, 1), [(0, 10, 1), (10, 15, 1), (12, 20, 2), (30, 31, 1)]);
    }

    #[test]
    fn damaged_requests_are_refused() {
        let window = Window { start: 10, end: 20 };
        let request = |words: &[u64]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        let parsed = |words: &[u64]| parse(&request(words), window, 7, &mut Vec::new());
        assert_eq!(parsed(&[1, 10, 10]).unwrap(), 17);
        for words in [&[1, 9, 2][..], &[1, 19, 2], &[2, 10, 2], &[1, u64::MAX, 2], &[u64::MAX]] {
            assert!(parsed(words).is_err(), "{words:?}");
        }
    }
}
