//! Collective accesses in two phases.
//!
//! The range that the ranks access is cut into equal parts, one for each aggregator. An aggregator goes
//! through its part in rounds, each with a window. In a round of a write, each rank sends the aggregators its
//! runs inside their windows, and their data. The aggregator puts them together and writes each covered range
//! once. In a round of a read, ranks send runs, and the aggregator sends back what the file has of them.
//!
//! A window begins at the first byte that a rank has left. It ends where the first rank has sent its share of
//! `cb_buffer_size` bytes, so that no rank holds more than a few times that hint. If what is left of all
//! ranks fits, the round is the last one. Ranges where no rank has bytes cost no round. All memory is
//! reserved before the first round, so that every rank gets an error if one has too little.
//!
//! An aggregator writes only bytes that a rank has sent: it never writes back what it has read, so a rank
//! that is killed leaves no byte outside of the views. After a failure an aggregator leaves the file alone,
//! but goes on with the rounds. Then all ranks agree on the outcome.
//!
//! Without gain are parts that lie one after the other, as each rank can access its own at once: then, in
//! atomic mode, with overlapping filetypes, or if a hint asks for it, ranks access the file independently.

use std::sync::atomic::Ordering;

use super::aggregator::{self, HEAD, RUN, Window, put_request, take_answer};
use super::exchange::{Blocks, list};
use super::transfer::{Direction, Transfer};
use super::{File, agree};
use crate::comm::agreement::{gather, minimum};
use crate::error::{Class, Error, Result};

/// Borders of parts are multiples of this, and those of windows where possible. A share is no smaller.
const PAGE: u64 = 4096;
/// The place of a byte that does not exist.
const NOWHERE: u64 = u64::MAX;

/// Transfers the parts of all ranks. Returns the number of bytes of this rank's part. Collective.
pub fn run(file: &File, transfer: Result<Transfer>) -> Result<(Transfer, usize)> {
    let mut transfer = agree(&file.engine, transfer)?;
    let outcome = match plan(file, &transfer)? {
        None => file.transfer(&mut transfer),
        Some(plan) => {
            let (memory, reserved) = match Memory::reserve(&plan, transfer.direction) {
                Ok(memory) => (memory, Ok(())),
                Err(error) => (Memory::default(), Err(error)),
            };
            let (ranges, ends) = (plan.ranges(&transfer), vec![0; plan.aggregators as usize]);
            let rounds = Rounds { file, memory, reserved, ranges, ends, plan };
            match transfer.direction {
                Direction::Write => rounds.write(&transfer),
                Direction::Read => rounds.read(&mut transfer),
            }
        }
    };
    let bytes = agree(&file.engine, outcome)?;
    Ok((transfer, bytes))
}

/// The division of a collective access. Equal on all ranks, apart from the rank.
struct Plan {
    /// First byte of the range.
    start: u64,
    aggregators: u64,
    /// Bytes of the part of an aggregator.
    part: u64,
    /// Bytes of runs and data that a rank sends to an aggregator in a round, give or take one run.
    share: u64,
    rank: u32,
    size: u32,
}

/// The division; `None` if ranks access the file independently. Collective.
fn plan(file: &File, transfer: &Transfer) -> Result<Option<Plan>> {
    let (rank, size, bytes) = (file.engine.rank(), file.engine.size(), transfer.elements.bytes);
    let (start, end) = if bytes > 0 { transfer.range() } else { (0, 0) };
    let is_ascending = u64::from(transfer.view.is_ascending);
    let own = [start.cast_unsigned(), end.cast_unsigned(), is_ascending, bytes as u64];
    let mut all = gather(&file.engine, own)?;
    let hints = file.hints.lock().clone();
    let is_independent = !hints.is_buffered || file.is_atomic.load(Ordering::Relaxed);
    if is_independent || all.iter().any(|[_, _, is_ascending, _]| *is_ascending == 0) {
        return Ok(None);
    }
    // Other processes' numbers: no place lies behind the largest offset of files.
    all.retain(|[start, end, _, _]| start < end && i64::try_from(*end).is_ok());
    all.sort_unstable();
    if all.windows(2).all(|two| two[0][1] <= two[1][0]) {
        return Ok(None);
    }
    let start = all[0][0];
    let end = all.iter().map(|[_, end, ..]| *end).max().unwrap_or(start);
    let most = all.iter().map(|[.., bytes]| bytes.saturating_mul(RUN as u64 + 1)).max().unwrap_or(0);
    let aggregators = u64::from(hints.aggregators);
    let part = (end - start).div_ceil(aggregators).next_multiple_of(PAGE);
    let share = (hints.buffer_bytes / u64::from(size)).max(PAGE).min(most);
    Ok(Some(Plan { start, aggregators, part, share, rank, size }))
}

impl Plan {
    /// The rank of an aggregator, on which ranks are spread evenly.
    fn rank_of(&self, aggregator: usize) -> u32 {
        (aggregator as u64 * u64::from(self.size) / self.aggregators) as u32
    }

    /// The number of the aggregator that this rank is.
    fn aggregator_of(&self, rank: u32) -> Option<usize> {
        (0..self.aggregators as usize).find(|aggregator| self.rank_of(*aggregator) == rank)
    }

    /// The positions of a transfer in the part of each aggregator: the first, and the one behind the last.
    fn ranges(&self, transfer: &Transfer) -> Vec<(i64, i64)> {
        let mut first = transfer.position;
        let high = first + transfer.elements.bytes as i64;
        let end_of = |aggregator| self.start.saturating_add(self.part.saturating_mul(aggregator + 1));
        let parts = (0..self.aggregators).map(|aggregator| {
            let end = i64::try_from(end_of(aggregator)).unwrap_or(i64::MAX);
            let range = (first, transfer.view.position_at(end, first, high));
            first = range.1;
            range
        });
        parts.collect()
    }
}

/// The memory of all rounds.
#[derive(Default)]
struct Memory {
    /// To the aggregators, and back.
    requests: Blocks,
    answers: Blocks,
    /// From the ranks, and back.
    received: Blocks,
    replies: Blocks,
    /// A range of the file, and its greatest length.
    buffer: Vec<u8>,
    longest: usize,
}

impl Memory {
    fn reserve(plan: &Plan, direction: Direction) -> Result<Memory> {
        let one = plan.share as usize + HEAD + 2 * RUN;
        let sent = plan.aggregators as usize * one;
        let longest = plan.aggregator_of(plan.rank).map_or(0, |_| plan.size as usize * one);
        let for_read = |bytes| if direction == Direction::Read { bytes } else { 0 };
        Ok(Memory {
            requests: Blocks::reserve(sent)?,
            answers: Blocks::reserve(for_read(sent))?,
            received: Blocks::reserve(longest)?,
            replies: Blocks::reserve(for_read(longest))?,
            buffer: list(longest)?,
            longest,
        })
    }
}

impl Transfer {
    /// Place in the file behind the first bytes of a range of positions that fill a share; none if all fit.
    fn reach(&self, (first, last): (i64, i64), share: u64) -> u64 {
        let mut left = share;
        for run in self.view.runs(first, (last - first) as usize) {
            let len = run.len.min(left.saturating_sub(RUN as u64).max(1));
            left = left.saturating_sub(RUN as u64 + len);
            if left == 0 {
                return run.offset.cast_unsigned() + len;
            }
        }
        NOWHERE
    }
}

/// A window that begins at `start` and ends at `end` at the latest: at a border of pages, if there is one.
fn window(start: u64, end: u64) -> Window {
    let border = end / PAGE * PAGE;
    Window { start, end: if border > start { border } else { end }.min(i64::MAX as u64) }
}

/// Checks that windows follow each other: the limits come from other processes, and rounds have to end. All
/// ranks have the same limits.
fn check(limits: &[[u64; 2]], ends: &mut [u64]) -> Result<()> {
    for ([start, end], last) in limits.iter().zip(ends) {
        if *start != NOWHERE && (start < last || end <= start) {
            let text = format!("a process has left bytes from {start} to {end} of the file, behind {last}");
            return Err(Error::new(Class::INTERN, text));
        }
        *last = window(*start, *end).end;
    }
    Ok(())
}

/// The rounds of a collective access.
struct Rounds<'a> {
    file: &'a File,
    plan: Plan,
    memory: Memory,
    /// Whether this rank has the memory.
    reserved: Result<()>,
    /// The positions that are left to this rank, by aggregator.
    ranges: Vec<(i64, i64)>,
    /// Where the last window of each aggregator ended.
    ends: Vec<u64>,
}

/// A round.
struct Round {
    /// By aggregator: the window, and the positions of this rank in it.
    windows: Vec<(Window, (i64, i64))>,
    is_last: bool,
}

impl Rounds<'_> {
    /// The next round. Collective.
    fn next(&mut self, transfer: &Transfer) -> Result<Round> {
        let limits = self.ranges.iter().flat_map(|range| match range {
            (first, last) if first < last => {
                let start = transfer.view.offset_of(*first).cast_unsigned();
                [start, transfer.reach(*range, self.plan.share)]
            }
            _ => [NOWHERE; 2],
        });
        let mut limits: Vec<u64> = limits.chain([u64::from(self.reserved.is_ok())]).collect();
        minimum(&self.file.engine, &mut limits)?;
        if limits.pop() == Some(0) {
            agree(&self.file.engine, std::mem::replace(&mut self.reserved, Ok(())))?;
        }
        let limits = limits.as_chunks::<2>().0;
        check(limits, &mut self.ends)?;
        let windows = limits.iter().zip(&mut self.ranges).map(|([start, end], range)| {
            let (window, first) = (window(*start, *end), range.0);
            range.0 = transfer.view.position_at(window.end.cast_signed(), first, range.1);
            (window, (first, range.0))
        });
        Ok(Round { windows: windows.collect(), is_last: limits.iter().all(|[_, end]| *end == NOWHERE) })
    }

    /// Sends each aggregator the runs of this rank in its window. Collective.
    fn send(&mut self, transfer: &Transfer, round: &Round, with_data: bool) -> Result<Result<()>> {
        let mut outcome = Ok(());
        let Memory { requests, received, .. } = &mut self.memory;
        requests.clear();
        for rank in 0..self.plan.size {
            let range = self.plan.aggregator_of(rank).map(|aggregator| round.windows[aggregator].1);
            let put = requests.push(|block| match range {
                Some((first, last)) if first < last => put_request(transfer, first, last, with_data, block),
                _ => Ok(()),
            });
            outcome = outcome.and(put);
        }
        requests.exchange(&self.file.engine, received)?;
        Ok(outcome)
    }

    fn write(mut self, transfer: &Transfer) -> Result<usize> {
        let mut outcome = Ok(());
        let own = self.plan.aggregator_of(self.plan.rank);
        loop {
            let round = self.next(transfer)?;
            let sent = self.send(transfer, &round, true)?;
            outcome = outcome.and(sent);
            if let Some(own) = own
                && outcome.is_ok()
            {
                let Memory { received, buffer, longest, .. } = &mut self.memory;
                let space = (buffer, *longest);
                outcome =
                    aggregator::write(&self.file.disk, round.windows[own].0, received, self.plan.size, space);
            }
            if round.is_last {
                return outcome.map(|()| transfer.elements.bytes);
            }
        }
    }

    fn read(mut self, transfer: &mut Transfer) -> Result<usize> {
        let (mut outcome, mut bytes) = (Ok(()), transfer.elements.bytes);
        let (engine, size) = (&self.file.engine, self.plan.size);
        let own = self.plan.aggregator_of(self.plan.rank);
        loop {
            let round = self.next(transfer)?;
            let sent = self.send(transfer, &round, false)?;
            outcome = outcome.and(sent);
            let Memory { received, replies, answers, buffer, longest, .. } = &mut self.memory;
            if let Some(own) = own
                && outcome.is_ok()
            {
                let space = (buffer, *longest);
                outcome =
                    aggregator::read(&self.file.disk, round.windows[own].0, received, replies, size, space);
            }
            if own.is_none() || outcome.is_err() {
                replies.empty(size);
            }
            replies.exchange(engine, answers)?;
            for (number, (_, (first, last))) in round.windows.into_iter().enumerate() {
                if first < last {
                    let answer = answers.get(self.plan.rank_of(number));
                    match take_answer(transfer, first, last, answer) {
                        Ok(there) => bytes = bytes.min(there),
                        Err(error) => outcome = outcome.and(Err(error)),
                    }
                }
            }
            if round.is_last {
                return outcome.map(|()| bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_at_borders_of_pages_and_are_never_empty() {
        for (start, end, expected) in
            [(5, 10_000, 8192), (5, 4000, 4000), (8192, 8193, 8193), (1, 4096, 4096)]
        {
            assert_eq!(window(start, end), Window { start, end: expected });
        }
    }

    #[test]
    fn windows_that_do_not_follow_each_other_are_refused() {
        let mut ends = [0; 2];
        assert!(check(&[[0, 5000], [NOWHERE; 2]], &mut ends).is_ok());
        assert_eq!(ends[0], 4096);
        assert!(check(&[[4096, NOWHERE], [NOWHERE; 2]], &mut ends).is_ok());
        for limits in [[0, 0], [0, 1], [4000, 5000], [6000, 6000]] {
            assert!(check(&[limits], &mut [4096]).is_err(), "{limits:?}");
        }
    }

    #[test]
    fn aggregators_are_different_ranks() {
        for size in 1..20 {
            for aggregators in 1..=u64::from(size) {
                let plan = Plan { start: 0, aggregators, part: 0, share: 1, rank: 0, size };
                let ranks: Vec<u32> =
                    (0..aggregators as usize).map(|aggregator| plan.rank_of(aggregator)).collect();
                assert!(ranks.windows(2).all(|two| two[0] < two[1]) && ranks.iter().all(|rank| *rank < size));
            }
        }
    }
}
