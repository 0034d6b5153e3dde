//! What a rank does with its own window for ranks of other hosts.
//!
//! The places come from another process: each is checked against the window, or against the memory that is
//! attached to a dynamic one.

use anyccl_engine::reduce::ReduceFn;

use super::Win;
use super::accumulate::may_be_in_place;
use super::combine::{LONGEST_COMPARED, Scratch, Step, is_comparable, step};
use super::dynamic::joined;
use super::target::{load, store};
use super::wire::{Kind, Parsed, Reply, Series};
use crate::arguments::OpHandle;
use crate::constants::WIN_FLAVOR_DYNAMIC;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};

/// Runs in the memory of this rank, which were checked.
struct Places<'a> {
    series: &'a [Series],
    base: usize,
}

impl Places<'_> {
    /// The address and length of each run.
    fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.series.iter().flat_map(|series| {
            series.starts().map(|start| (self.base.wrapping_add(start as usize), series.len as usize))
        })
    }

    /// The address of the elements and the operator, if it can combine them with the data of the message
    /// where both are, and no old elements are asked for.
    fn in_place(&self, message: &Parsed, basic: &Datatype, step: Step) -> Option<(*mut u8, ReduceFn)> {
        let ([run], Step::Combine(function)) = (self.series, step) else { return None };
        let is_plain = message.header.kind == Kind::Accumulate && basic.size() == basic.extent();
        let is_whole = run.count == 1 && message.data.len() == message.header.bytes;
        let to = std::ptr::with_exposed_provenance_mut(self.base.wrapping_add(run.start as usize));
        let may = may_be_in_place(message.data.as_ptr(), to, basic.size() as usize, message.header.bytes);
        (is_plain && is_whole && may).then_some((to, function))
    }

    /// # Safety
    /// `to` is writable for all bytes.
    unsafe fn read(&self, mut to: *mut u8) {
        for (start, len) in self.runs() {
            // SAFETY: the run lies in the window; the rest is promised by the caller.
            unsafe { load(std::ptr::with_exposed_provenance(start), to, len) };
            to = to.wrapping_add(len);
        }
    }

    /// # Safety
    /// `from` is readable for all bytes.
    unsafe fn write(&self, mut from: *const u8) {
        for (start, len) in self.runs() {
            // SAFETY: the run lies in the window; the rest is promised by the caller.
            unsafe { store(from, std::ptr::with_exposed_provenance_mut(start), len) };
            from = from.wrapping_add(len);
        }
    }
}

/// How an operation of another rank has ended. `None`: the lock for accumulates was taken; it must be tried
/// again.
pub type Applied = Option<Result<Reply>>;

impl Win {
    /// Does what a message asks for. The answer has the bytes.
    pub(super) fn apply(&self, message: &Parsed) -> Applied {
        // Held, so that no piece is detached meanwhile.
        let attached = self.attached.lock();
        let is_dynamic = self.flavor == WIN_FLAVOR_DYNAMIC;
        let own = &self.targets[self.rank() as usize];
        let window = [(0, i128::from(own.bytes))];
        let pieces = joined(attached.iter().map(|(start, len)| (*start as u64, *len as u64)));
        let known: &[(i128, i128)] = if is_dynamic { &pieces } else { &window };
        if let Some(outside) = message.series.iter().find(|series| !is_inside(series, known)) {
            let (start, end) = outside.span();
            let text = format!("bytes {start:#x} to {end:#x}, which are not in the window of that rank");
            return Some(Err(Error::new(Class::RMA_RANGE, text)));
        }
        let places = Places { series: &message.series, base: if is_dynamic { 0 } else { own.base } };
        match message.header.kind {
            Kind::Put => {
                // SAFETY: the message has as many bytes as the places.
                unsafe { places.write(message.data.as_ptr()) };
                Some(Ok(Reply::default()))
            }
            Kind::Get => {
                // SAFETY: the answer has room for the bytes of the places.
                let fill = |to| unsafe { places.read(to) };
                // SAFETY: the places have as many bytes.
                Some(Ok(unsafe { Reply::filled(message.header.bytes, fill) }))
            }
            Kind::Swap => self.swap(&places, message),
            _ => self.combine(&places, message),
        }
    }

    fn combine(&self, places: &Places, message: &Parsed) -> Applied {
        let (header, data) = (&message.header, message.data);
        let basic = Datatype::predefined(header.code).filter(|basic| {
            let size = basic.size() as usize;
            size > 0 && header.bytes.is_multiple_of(size)
        });
        let step = match step(OpHandle(header.detail), header.code) {
            Ok(step) => step,
            Err(error) => return Some(Err(error)),
        };
        let Some(basic) = basic else { return Some(Err(no_elements())) };
        let count = header.bytes / basic.size() as usize;
        if let Some((to, function)) = places.in_place(message, basic, step) {
            let lock = self.try_lock_atomic()?;
            // SAFETY: both places have `count` elements, and are aligned. Other accumulates wait for the
            // lock.
            unsafe { function(to, data.as_ptr(), to, count) };
            drop(lock);
            return Some(Ok(Reply::default()));
        }
        let mut scratch = Scratch::for_elements(basic, count);
        // SAFETY: the message has no more bytes than `count` elements.
        unsafe { scratch.incoming().copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        let lock = self.try_lock_atomic()?;
        // SAFETY: the buffer has room for `count` elements, which the places are.
        unsafe { places.read(scratch.old()) };
        let reply = if header.kind == Kind::GetAccumulate {
            // SAFETY: the buffer has that many bytes, which were just read.
            Reply::copied(unsafe { std::slice::from_raw_parts(scratch.old(), header.bytes) })
        } else {
            Reply::default()
        };
        if !data.is_empty()
            && let Some(written) = scratch.meet(step, count)
        {
            // SAFETY: the buffer has as many bytes as the places.
            unsafe { places.write(written) };
        }
        drop(lock);
        Some(Ok(reply))
    }

    fn swap(&self, places: &Places, message: &Parsed) -> Applied {
        let (bytes, code) = (message.header.bytes, message.header.code);
        let is_one = Datatype::predefined(code).is_some_and(|basic| basic.size() as usize == bytes);
        if !is_one || bytes > LONGEST_COMPARED || !is_comparable(code) {
            return Some(Err(no_elements()));
        }
        let (wanted, new) = message.data.split_at(bytes);
        let mut old = [0; LONGEST_COMPARED];
        let lock = self.try_lock_atomic()?;
        // SAFETY: the places have `bytes` bytes, for which the buffer has room.
        unsafe { places.read(old.as_mut_ptr()) };
        if old[..bytes] == *wanted {
            // SAFETY: `new` has as many bytes as the places.
            unsafe { places.write(new.as_ptr()) };
        }
        drop(lock);
        Some(Ok(Reply::copied(&old[..bytes])))
    }
}

#[cold]
fn no_elements() -> Error {
    Error::new(Class::TYPE, "the target was sent something else than such elements")
}

/// Whether a series lies in one piece of memory, or each of its runs does.
fn is_inside(series: &Series, pieces: &[(i128, i128)]) -> bool {
    let is_in_one = |from: i128, to: i128| pieces.iter().any(|(start, end)| *start <= from && to <= *end);
    let (from, to) = series.span();
    let each = || {
        // A run beyond 64 bits has its place outside of memory, which the span tells.
        from >= 0
            && to <= i128::from(u64::MAX)
            && series.starts().all(|start| {
                let from = i128::from(start);
                is_in_one(from, from + i128::from(series.len))
            })
    };
    is_in_one(from, to) || each()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_in_the_window_are_inside() {
        let good = Series { start: 8, len: 4, stride: -4, count: 3 };
        assert!(is_inside(&good, &[(0, 12)]) && !is_inside(&good, &[(0, 11)]));
        assert!(!is_inside(&Series { stride: -8, ..good }, &[(0, 12)]));
        assert!(!is_inside(&Series { start: u64::MAX - 1, ..good }, &[(0, 12)]));
        // From one piece to another, but not into the gap.
        let apart = Series { start: 0, len: 4, stride: 100, count: 2 };
        assert!(is_inside(&apart, &[(0, 4), (100, 104)]) && !is_inside(&apart, &[(0, 4), (101, 200)]));
        let around = Series { start: 0, len: 4, stride: i64::MIN, count: 3 };
        assert!(!is_inside(&around, &[(0, 12)]));
    }
}
