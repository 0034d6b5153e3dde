//! Collective accesses in two phases.
//!
//! The range that the ranks access is cut into equal parts, one for each aggregator. An aggregator goes
//! through its part in windows of `cb_buffer_size` bytes, in rounds of which all ranks make equally many. In
//! a round of a write, each rank sends the aggregators its runs inside their windows, and their data. The
//! aggregator puts them together and writes each covered range once. In a round of a read, ranks send runs,
//! and the aggregator sends back what the file has of them.
//!
//! An aggregator writes only bytes that a rank has sent: it never writes back what it has read, so a rank
//! that is killed leaves no byte outside of the views. After a failure an aggregator leaves the file alone,
//! but goes on with the rounds. Then all ranks agree on the outcome.
//!
//! Without gain are parts that lie one after the other, as each rank can access its own at once: then, in
//! atomic mode, with overlapping filetypes, or if a hint asks for it, ranks access the file independently.

use std::sync::atomic::Ordering;

use super::exchange::{Blocks, damaged};
use super::transfer::{Direction, Transfer};
use super::{Disk, File, agree};
use crate::comm::agreement::gather;
use crate::datatype::Run;
use crate::error::Result;

/// Gaps up to this length are read together with their neighbours.
const GAP: u64 = 64 << 10;
/// Borders of parts are multiples of this.
const PAGE: u64 = 4096;

/// Transfers the parts of all ranks. Returns the number of bytes of this rank's part. Collective.
pub fn run(file: &File, transfer: Result<Transfer>) -> Result<(Transfer, usize)> {
    let mut transfer = agree(&file.engine, transfer)?;
    let outcome = match plan(file, &transfer)? {
        None => file.transfer(&mut transfer),
        Some(plan) => match transfer.direction {
            Direction::Write => plan.write(file, &transfer),
            Direction::Read => plan.read(file, &mut transfer),
        },
    };
    let bytes = agree(&file.engine, outcome)?;
    Ok((transfer, bytes))
}

/// The division of a collective access. Equal on all ranks.
struct Plan {
    /// First byte of the range, and the byte behind the last.
    start: u64,
    end: u64,
    aggregators: u64,
    /// Bytes of the part of an aggregator.
    part: u64,
    window: u64,
}

/// The division; `None` if ranks access the file independently. Collective.
fn plan(file: &File, transfer: &Transfer) -> Result<Option<Plan>> {
    let has_bytes = transfer.elements.bytes > 0;
    let (start, end) = if has_bytes { transfer.range() } else { (0, 0) };
    let is_ascending = u64::from(transfer.view.is_ascending);
    let mut all = gather(&file.engine, [start.cast_unsigned(), end.cast_unsigned(), is_ascending])?;
    let hints = file.hints.lock().clone();
    let is_independent = !hints.is_buffered || file.is_atomic.load(Ordering::Relaxed);
    if is_independent || all.iter().any(|[_, _, is_ascending]| *is_ascending == 0) {
        return Ok(None);
    }
    all.retain(|[start, end, _]| start < end);
    all.sort_unstable();
    if all.windows(2).all(|two| two[0][1] <= two[1][0]) {
        return Ok(None);
    }
    let start = all[0][0];
    let end = all.iter().map(|[_, end, _]| *end).max().unwrap_or(start);
    let aggregators = u64::from(hints.aggregators);
    let part = (end - start).div_ceil(aggregators).next_multiple_of(PAGE);
    Ok(Some(Plan { start, end, aggregators, part, window: hints.buffer_bytes }))
}

/// A range of bytes of the file.
#[derive(Clone, Copy)]
struct Window {
    start: u64,
    end: u64,
}

impl Plan {
    fn rounds(&self) -> u64 {
        self.part.div_ceil(self.window)
    }

    /// The rank of an aggregator, on which ranks are spread evenly.
    fn rank(&self, aggregator: u64, size: u32) -> u32 {
        (aggregator * u64::from(size) / self.aggregators) as u32
    }

    /// The window of an aggregator in a round.
    fn window(&self, aggregator: u64, round: u64) -> Window {
        let first = self.start.saturating_add(aggregator * self.part);
        let start = first.saturating_add(round * self.window);
        let end = start.saturating_add(self.window).min(first.saturating_add(self.part)).min(self.end);
        Window { start, end: end.max(start) }
    }

    /// The window of a rank in a round; `None` if it is no aggregator.
    fn window_of(&self, rank: u32, size: u32, round: u64) -> Option<Window> {
        let aggregator = (0..self.aggregators).find(|aggregator| self.rank(*aggregator, size) == rank)?;
        Some(self.window(aggregator, round))
    }

    /// The blocks for all ranks in a round: to each aggregator the runs of this rank in its window.
    /// `with_data` adds their data.
    fn requests(&self, file: &File, transfer: &Transfer, round: u64, with_data: bool) -> Blocks {
        let size = file.engine.size();
        let mut blocks = Blocks::with_capacity(size as usize);
        for rank in 0..size {
            blocks.push(|block| {
                let Some(window) = self.window_of(rank, size, round) else { return };
                let (first, last) = transfer.positions(window.start, window.end);
                if first < last {
                    put_request(transfer, first, last, with_data, block);
                }
            });
        }
        blocks
    }

    fn write(&self, file: &File, transfer: &Transfer) -> Result<usize> {
        let mut outcome = Ok(());
        for round in 0..self.rounds() {
            let received = self.requests(file, transfer, round, true).exchange(&file.engine)?;
            let window = self.window_of(file.engine.rank(), file.engine.size(), round);
            if let Some(window) = window
                && outcome.is_ok()
            {
                outcome = write_window(&file.disk, window, &received, file.engine.size());
            }
        }
        outcome.map(|()| transfer.elements.bytes)
    }

    fn read(&self, file: &File, transfer: &mut Transfer) -> Result<usize> {
        let size = file.engine.size();
        let (mut outcome, mut bytes) = (Ok(()), transfer.elements.bytes);
        for round in 0..self.rounds() {
            let received = self.requests(file, transfer, round, false).exchange(&file.engine)?;
            let answers = match self.window_of(file.engine.rank(), size, round) {
                Some(window) => answers(&file.disk, window, &received, size, &mut outcome)?,
                None => empty(size),
            };
            let answers = answers.exchange(&file.engine)?;
            for aggregator in 0..self.aggregators {
                let window = self.window(aggregator, round);
                let (first, last) = transfer.positions(window.start, window.end);
                if first < last {
                    let answer = answers.get(self.rank(aggregator, size) as usize);
                    bytes = bytes.min(take_answer(transfer, first, last, answer)?);
                }
            }
        }
        outcome.map(|()| bytes)
    }
}

fn empty(size: u32) -> Blocks {
    let mut blocks = Blocks::with_capacity(size as usize);
    (0..size).for_each(|_| blocks.push(|_| ()));
    blocks
}

impl Transfer {
    /// First position of this transfer inside a range of the file, and the position behind the last.
    fn positions(&self, start: u64, end: u64) -> (i64, i64) {
        let (low, high) = (self.position, self.position + self.elements.bytes as i64);
        let first = self.view.position_at(start.cast_signed(), low, high);
        (first, self.view.position_at(end.cast_signed(), first, high))
    }
}

/// Appends the runs of these positions: their number, the place and length of each, and their data.
fn put_request(transfer: &Transfer, first: i64, last: i64, with_data: bool, block: &mut Vec<u8>) {
    let count_at = block.len();
    block.extend(0u64.to_ne_bytes());
    let mut count = 0u64;
    for run in transfer.view.runs(first, (last - first) as usize) {
        block.extend(run.offset.to_ne_bytes());
        block.extend(run.len.to_ne_bytes());
        count += 1;
    }
    block[count_at..count_at + 8].copy_from_slice(&count.to_ne_bytes());
    if with_data {
        let (mut at, mut packed) = ((first - transfer.position) as usize, Vec::new());
        let end = (last - transfer.position) as usize;
        while at < end {
            let piece = transfer.elements.piece(at, end - at, &mut packed);
            block.extend_from_slice(piece);
            at += piece.len();
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u64> {
    let word = bytes.get(at * 8..at * 8 + 8).and_then(|word| word.try_into().ok());
    word.map(u64::from_ne_bytes).ok_or_else(damaged)
}

/// The runs of a request, which lie inside the window, and the data behind them.
fn parse(block: &[u8], window: Window) -> Result<(Vec<Run>, &[u8])> {
    if block.is_empty() {
        return Ok((Vec::new(), block));
    }
    let count = usize::try_from(word(block, 0)?).map_err(|_| damaged())?;
    let mut runs = Vec::new();
    for at in 0..count {
        let (offset, len) = (word(block, 2 * at + 1)?, word(block, 2 * at + 2)?);
        let is_inside =
            offset >= window.start && offset.checked_add(len).is_some_and(|end| end <= window.end);
        if !is_inside {
            return Err(damaged());
        }
        runs.push(Run { offset: offset.cast_signed(), len });
    }
    Ok((runs, &block[8 + 16 * count..]))
}

/// The ranges that runs cover. Gaps of up to `gap` bytes belong to them.
fn covered(mut runs: Vec<Run>, gap: u64) -> Vec<Window> {
    runs.sort_unstable_by_key(|run| run.offset);
    let mut ranges: Vec<Window> = Vec::new();
    for run in runs {
        let (start, end) = (run.offset.cast_unsigned(), run.offset.cast_unsigned() + run.len);
        match ranges.last_mut() {
            Some(last) if start <= last.end + gap => last.end = last.end.max(end),
            _ => ranges.push(Window { start, end }),
        }
    }
    ranges
}

/// Writes what the ranks have sent for a window.
fn write_window(disk: &Disk, window: Window, received: &Blocks, size: u32) -> Result<()> {
    let mut buffer = vec![0; (window.end - window.start) as usize];
    let mut all = Vec::new();
    for rank in 0..size as usize {
        let (runs, mut data) = parse(received.get(rank), window)?;
        for run in &runs {
            let (its, rest) = data.split_at_checked(run.len as usize).ok_or_else(damaged)?;
            let at = (run.offset.cast_unsigned() - window.start) as usize;
            buffer[at..at + its.len()].copy_from_slice(its);
            data = rest;
        }
        all.extend(runs);
    }
    for range in covered(all, 0) {
        let (start, end) = ((range.start - window.start) as usize, (range.end - window.start) as usize);
        disk.write(&buffer[start..end], range.start)?;
    }
    Ok(())
}

/// The answers of an aggregator in a round: for each rank the end of what was read, and the data of its runs.
/// After a failure, which `outcome` keeps, nothing was read.
fn answers(
    disk: &Disk,
    window: Window,
    received: &Blocks,
    size: u32,
    outcome: &mut Result<()>,
) -> Result<Blocks> {
    let requests: Result<Vec<_>> =
        (0..size as usize).map(|rank| Ok(parse(received.get(rank), window)?.0)).collect();
    let requests = requests?;
    let mut buffer = vec![0; (window.end - window.start) as usize];
    let mut end = u64::MAX;
    for range in covered(requests.iter().flatten().copied().collect(), GAP) {
        let bytes = &mut buffer[(range.start - window.start) as usize..(range.end - window.start) as usize];
        let read = if outcome.is_ok() { disk.read(bytes, range.start) } else { Ok(0) };
        let len = read.unwrap_or_else(|error| {
            *outcome = Err(error);
            0
        });
        if len < bytes.len() {
            end = end.min(range.start + len as u64);
        }
    }
    let mut blocks = Blocks::with_capacity(size as usize);
    for runs in requests {
        blocks.push(|block| {
            if !runs.is_empty() {
                block.extend(end.to_ne_bytes());
            }
            for run in runs {
                let at = (run.offset.cast_unsigned() - window.start) as usize;
                block.extend_from_slice(&buffer[at..at + run.len as usize]);
            }
        });
    }
    Ok(blocks)
}

/// Puts the answer of an aggregator for these positions into memory. Returns the number of bytes of the
/// transfer before the first that the file does not have; all, if it has those of the answer.
fn take_answer(transfer: &mut Transfer, first: i64, last: i64, answer: &[u8]) -> Result<usize> {
    let end = word(answer, 0)?;
    let (mut at, mut data) = ((first - transfer.position) as usize, &answer[8..]);
    let mut bytes = transfer.elements.bytes;
    let runs: Vec<_> = transfer.view.runs(first, (last - first) as usize).collect();
    for run in runs {
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
    fn windows_of_all_rounds_cover_the_range_once() {
        for (start, end, aggregators, window) in [(5, 100_000, 3, 4096), (0, 1, 4, 8192), (7, 9, 1, 4096)] {
            let part = u64::div_ceil(end - start, aggregators).next_multiple_of(PAGE);
            let plan = Plan { start, end, aggregators, part, window };
            let mut at = start;
            for aggregator in 0..aggregators {
                for round in 0..plan.rounds() {
                    let Window { start, end } = plan.window(aggregator, round);
                    if start < end {
                        assert_eq!(start, at);
                        at = end;
                    }
                }
            }
            assert_eq!(at, end);
        }
    }

    #[test]
    fn aggregators_are_different_ranks() {
        for size in 1..20 {
            for aggregators in 1..=u64::from(size) {
                let plan = Plan { start: 0, end: 0, aggregators, part: 0, window: 1 };
                let ranks: Vec<u32> =
                    (0..aggregators).map(|aggregator| plan.rank(aggregator, size)).collect();
                assert!(ranks.windows(2).all(|two| two[0] < two[1]) && ranks.iter().all(|rank| *rank < size));
            }
        }
    }

    #[test]
    fn runs_of_several_ranks_are_joined_and_gaps_stay_unless_they_are_small() {
        let runs = || [(10, 5), (0, 10), (12, 8), (30, 1)].map(|(offset, len)| Run { offset, len }).to_vec();
        let ranges = |gap| covered(runs(), gap).iter().map(|it| (it.start, it.end)).collect::<Vec<_>>();
        assert_eq!(ranges(0), [(0, 20), (30, 31)]);
        assert_eq!(ranges(10), [(0, 31)]);
    }

    #[test]
    fn damaged_requests_are_refused() {
        let window = Window { start: 10, end: 20 };
        let request = |words: &[u64]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        assert!(parse(&request(&[1, 10, 10]), window).is_ok());
        for words in [&[1, 9, 2][..], &[1, 19, 2], &[2, 10, 2], &[1, u64::MAX, 2], &[u64::MAX]] {
            assert!(parse(&request(words), window).is_err(), "{words:?}");
        }
    }
}
