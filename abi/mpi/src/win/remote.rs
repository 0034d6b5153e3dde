//! Typed elements in the memory of a rank: the target of an access, after its checks.

use std::sync::Arc;

use super::Win;
use super::control::PIECES;
use super::dynamic::joined;
use super::target::{Elements, Place as Where, Target};
use super::wire::{self, Series};
use crate::arguments::DatatypeHandle;
use crate::constants::{PROC_NULL, WIN_FLAVOR_DYNAMIC};
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::types::committed;

/// The arguments of an access that name the target.
pub struct Place {
    pub rank: i32,
    pub disp: i64,
    pub count: i64,
    pub datatype: DatatypeHandle,
}

/// Elements of a rank that may be accessed.
pub struct Remote<'a> {
    pub win: &'a Win,
    pub rank: u32,
    pub datatype: Arc<Datatype>,
    count: i64,
    target: &'a Target,
    base: usize,
    /// Bytes of data.
    pub bytes: usize,
}

impl Win {
    /// The target of an access. `None`: it is `MPI_PROC_NULL`, and nothing is accessed.
    pub(super) fn remote(&self, place: &Place) -> Result<Option<Remote<'_>>> {
        if place.rank == PROC_NULL {
            return Ok(None);
        }
        let rank = self.check_rank(place.rank)?;
        let datatype = Arc::clone(&*committed(place.datatype)?);
        let count = place.count;
        if count < 0 {
            return Err(Error::new(Class::COUNT, format!("target_count is {count}, less than 0")));
        }
        self.check_access(rank)?;
        let target = &self.targets[rank as usize];
        let bytes = datatype.size().checked_mul(count).and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.ok_or_else(|| Error::new(Class::COUNT, "the target's elements exceed memory"))?;
        let is_dynamic = self.flavor == WIN_FLAVOR_DYNAMIC;
        if place.disp < 0 && !is_dynamic {
            return Err(Error::new(Class::DISP, format!("target_disp is {}, less than 0", place.disp)));
        }
        let offset = i128::from(place.disp) * i128::from(target.disp_unit);
        let base = (target.base as i128 + offset) as usize;
        let remote = Remote { win: self, rank, datatype, count, target, base, bytes };
        if bytes > 0 && is_dynamic && remote.is_distant() {
            // Only the target knows what it has attached.
        } else if bytes > 0 && is_dynamic {
            remote.check_attached()?;
        } else if bytes > 0 {
            let (start, end) = remote.span(offset);
            if start < 0 || end > i128::from(target.bytes) {
                let text = format!(
                    "bytes {start} to {end} of the window of rank {rank}, which has {}",
                    target.bytes
                );
                return Err(Error::new(Class::RMA_RANGE, text));
            }
        }
        Ok(Some(remote))
    }
}

impl Remote<'_> {
    /// The first byte of data and the end, where elements begin at `offset`. There are some bytes.
    fn span(&self, offset: i128) -> (i128, i128) {
        let last = i128::from(self.count - 1) * i128::from(self.datatype.extent());
        let start = offset + i128::from(self.datatype.true_lb());
        (start + last.min(0), start + i128::from(self.datatype.true_extent()) + last.max(0))
    }

    /// Refuses bytes that the target has not attached.
    fn check_attached(&self) -> Result<()> {
        let pieces = if self.rank == self.win.rank() {
            joined(self.win.attached.lock().iter().map(|(start, len)| (*start as u64, *len as u64)))
        } else {
            joined((0..PIECES).map(|entry| self.win.control.piece(self.rank, entry)))
        };
        let is_inside = |from: i128, to: i128| pieces.iter().any(|(start, end)| *start <= from && to <= *end);
        let (start, end) = self.span(self.base as i128);
        // A datatype may reach from one piece to another.
        let each = || {
            self.datatype.runs(self.count, 0).all(|run| {
                let from = self.base as i128 + i128::from(run.offset);
                is_inside(from, from + i128::from(run.len))
            })
        };
        if is_inside(start, end) || each() {
            return Ok(());
        }
        let text = format!("bytes {start:#x} to {end:#x}, which rank {} has not attached", self.rank);
        Err(Error::new(Class::RMA_RANGE, text))
    }

    /// Whether the target is on another host.
    pub fn is_distant(&self) -> bool {
        matches!(self.target.place, Where::Distant)
    }

    /// The places of packed bytes from `position` on, for a message. See [`wire::places`].
    pub fn places(&self, position: usize, most: usize, unit: usize) -> (Vec<Series>, usize) {
        wire::places((&self.datatype, self.count, self.base), position, most, unit)
    }

    /// The address of the elements, if they are one run in memory of this process.
    pub fn run_here(&self) -> Option<*mut u8> {
        let is_here = matches!(self.target.place, Where::Here);
        self.elements().run(0).filter(|_| is_here).map(std::ptr::with_exposed_provenance_mut)
    }

    fn elements(&self) -> Elements<'_> {
        Elements { datatype: &self.datatype, count: self.count, base: self.base }
    }

    /// Copies packed bytes from the target.
    ///
    /// # Safety
    /// `dst` is writable for `len` bytes, which the target has from `position` on.
    pub unsafe fn read(&self, position: usize, dst: *mut u8, len: usize) -> Result<()> {
        // SAFETY: the elements were checked; the rest is promised by the caller.
        unsafe { self.target.place.read(self.elements(), position, dst, len) }
    }

    /// Copies packed bytes to the target.
    ///
    /// # Safety
    /// `src` is readable for `len` bytes, which the target has from `position` on.
    pub unsafe fn write(&self, position: usize, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: the elements were checked; the rest is promised by the caller.
        unsafe { self.target.place.write(self.elements(), position, src, len) }
    }

    /// Refuses more data than the target's elements have room for, or of which they have less.
    pub fn check_room(&self, origin: usize, is_written: bool) -> Result<()> {
        let (from, to) = if is_written { (origin, self.bytes) } else { (self.bytes, origin) };
        if from <= to {
            return Ok(());
        }
        let text = format!("{from} bytes are sent to elements of {to} bytes");
        Err(Error::new(Class::TRUNCATE, text))
    }
}
