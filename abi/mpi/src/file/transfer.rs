//! Accesses: what a call reads or writes, and the independent way to do it.
//!
//! An [`Access`] has the arguments of a call. [`File::begin`] checks them, and makes a [`Transfer`]: a range
//! of positions in the view, and the memory for it. [`Transfer::run`] reads or writes run by run. No byte
//! outside the view is written.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::elements::Elements;
use super::view::View;
use super::{Disk, File};
use crate::arguments::DatatypeHandle;
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::status::Status;

/// Direction of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read,
    /// To the file.
    Write,
}

/// Where an access begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At an offset in etypes.
    Offset(i64),
    /// At the individual file pointer.
    Individual,
    /// At the shared file pointer.
    Shared,
}

/// The arguments of an access.
pub struct Access {
    pub direction: Direction,
    pub start: Start,
    pub buffer: *mut u8,
    pub count: i64,
    pub datatype: DatatypeHandle,
}

/// Bytes of a view that are read or written.
pub struct Transfer {
    pub view: Arc<View>,
    pub direction: Direction,
    /// First byte.
    pub position: i64,
    pub elements: Elements,
}

/// The memory of an access, before its place in the view is known.
pub struct Prepared {
    view: Arc<View>,
    direction: Direction,
    elements: Elements,
    /// Length in etypes.
    pub etypes: i64,
}

impl File {
    /// Checks an access and moves the file pointer behind it.
    ///
    /// # Safety
    /// The buffer is valid for the access until the transfer is dropped.
    pub(super) unsafe fn begin(&self, access: &Access) -> Result<Transfer> {
        // SAFETY: passed on from our caller.
        let prepared = unsafe { self.prepare(access) }?;
        let first = match access.start {
            Start::Offset(offset) => offset,
            // Refused before the pointer moves, if the access does not fit.
            Start::Individual => {
                let (first, etypes) = (self.state.lock().pointer, prepared.etypes);
                let transfer = prepared.at(first)?;
                self.advance(etypes)?;
                return Ok(transfer);
            }
            Start::Shared => self.shared()?.add(prepared.etypes)?,
        };
        prepared.at(first)
    }

    /// Checks an access.
    ///
    /// # Safety
    /// The buffer is valid for the access until the result is dropped.
    pub(super) unsafe fn prepare(&self, access: &Access) -> Result<Prepared> {
        self.check_access(access)?;
        let view = self.view();
        // SAFETY: passed on from our caller.
        let (elements, etypes) = unsafe { elements_of(access, &view) }?;
        Ok(Prepared { view, direction: access.direction, elements, etypes })
    }

    /// Refuses an access that the access mode excludes.
    fn check_access(&self, access: &Access) -> Result<()> {
        let has = |bits| self.amode & bits != 0;
        let is_written = access.direction == Direction::Write;
        if is_written && has(c::MODE_RDONLY) {
            return Err(Error::new(
                Class::READ_ONLY,
                format!("{} is open with MPI_MODE_RDONLY", self.title()),
            ));
        }
        if !is_written && has(c::MODE_WRONLY) {
            return Err(Error::new(Class::ACCESS, format!("{} is open with MPI_MODE_WRONLY", self.title())));
        }
        if has(c::MODE_SEQUENTIAL) && access.start != Start::Shared {
            let text = "a file with MPI_MODE_SEQUENTIAL is accessed at the shared file pointer only";
            return Err(Error::new(Class::UNSUPPORTED_OPERATION, text));
        }
        match access.start {
            Start::Offset(offset) if offset < 0 => {
                Err(Error::new(Class::ARG, format!("offset is {offset}, less than 0")))
            }
            Start::Offset(_) | Start::Individual | Start::Shared => Ok(()),
        }
    }

    /// Ends an access of which `bytes` bytes have been transferred. A file pointer goes back to the end of
    /// the file if that came before the end of the access.
    pub(super) fn finish(&self, start: Start, transfer: Transfer, bytes: usize) -> Result<Status> {
        let unit = transfer.view.etype_bytes as usize;
        let missing = transfer.elements.bytes.div_ceil(unit) - bytes.div_ceil(unit);
        if missing > 0 && start == Start::Individual {
            self.advance(-(missing as i64))?;
        }
        let bytes = transfer.elements.finish(bytes, transfer.direction == Direction::Write)?;
        Ok(Status { bytes, ..Status::SENT })
    }

    /// Runs an access without the other ranks.
    ///
    /// # Safety
    /// The buffer is valid for the access.
    pub(super) unsafe fn run(&self, access: &Access) -> Result<Status> {
        // SAFETY: passed on from our caller.
        let mut transfer = unsafe { self.begin(access) }?;
        match self.transfer(&mut transfer) {
            Ok(bytes) => self.finish(access.start, transfer, bytes),
            Err(error) => {
                // The next access begins where this one did.
                if access.start == Start::Individual {
                    let etypes = transfer.elements.bytes as i64 / transfer.view.etype_bytes;
                    self.advance(-etypes)?;
                }
                Err(error)
            }
        }
    }

    /// Transfers the bytes, in atomic mode under a lock. Returns their number.
    pub(super) fn transfer(&self, transfer: &mut Transfer) -> Result<usize> {
        if !self.is_atomic.load(Ordering::Relaxed) || transfer.elements.bytes == 0 {
            return transfer.run(&self.disk);
        }
        let _turn = self.atomic_turn.lock();
        let (start, end) = transfer.range();
        let _lock = self.disk.lock(start, end - start, transfer.direction == Direction::Write)?;
        transfer.run(&self.disk)
    }
}

/// The memory of an access, and its length in etypes.
///
/// # Safety
/// The buffer is valid for the access until the elements are dropped.
unsafe fn elements_of(access: &Access, view: &View) -> Result<(Elements, i64)> {
    let is_written = access.direction == Direction::Write;
    let Access { buffer, count, datatype, .. } = *access;
    // SAFETY: passed on from our caller.
    let elements = unsafe { Elements::of(buffer, count, datatype, view.representation, is_written) }?;
    let bytes = elements.bytes as i64;
    if bytes % view.etype_bytes != 0 {
        let text = format!("{bytes} bytes are no whole number of etypes of {} bytes", view.etype_bytes);
        return Err(Error::new(Class::IO, text));
    }
    if bytes > 0 && view.filetype.size() == 0 {
        return Err(Error::new(Class::IO, "the filetype of the view is empty, so no byte can be accessed"));
    }
    Ok((elements, bytes / view.etype_bytes))
}

impl Prepared {
    /// The transfer that begins at this etype of the view.
    pub fn at(self, first: i64) -> Result<Transfer> {
        let Prepared { view, direction, elements, .. } = self;
        let position = first.checked_mul(view.etype_bytes);
        let position = position.filter(|at| at.checked_add(elements.bytes as i64).is_some());
        let position =
            position.ok_or_else(|| Error::new(Class::ARG, format!("offset {first} is too large")))?;
        view.check_range(position, elements.bytes)?;
        Ok(Transfer { view, direction, position, elements })
    }
}

impl Transfer {
    /// First byte in the file, and the byte behind the last. There are some bytes.
    pub fn range(&self) -> (i64, i64) {
        let last = self.position + self.elements.bytes as i64 - 1;
        if self.view.is_ascending {
            return (self.view.offset_of(self.position), self.view.offset_of(last) + 1);
        }
        let runs = self.view.runs(self.position, self.elements.bytes);
        runs.fold((i64::MAX, 0), |(start, end), run| {
            (start.min(run.offset), end.max(run.offset + run.len as i64))
        })
    }

    /// Transfers the bytes. Returns their number, which is less than asked for if the file ends before.
    pub fn run(&mut self, disk: &Disk) -> Result<usize> {
        match self.direction {
            Direction::Read => self.read(disk),
            Direction::Write => self.write(disk),
        }
    }

    fn write(&self, disk: &Disk) -> Result<usize> {
        let (mut at, mut packed) = (0, Vec::new());
        for run in self.view.runs(self.position, self.elements.bytes) {
            let mut done = 0;
            while done < run.len as usize {
                let piece = self.elements.piece(at, run.len as usize - done, &mut packed)?;
                let len = piece.len();
                disk.write(piece, run.offset.cast_unsigned() + done as u64)?;
                done += len;
                at += len;
            }
        }
        Ok(at)
    }

    fn read(&mut self, disk: &Disk) -> Result<usize> {
        let (mut at, mut buffer) = (0, Vec::new());
        for run in self.view.runs(self.position, self.elements.bytes) {
            let mut done = 0;
            while done < run.len as usize {
                let place = run.offset.cast_unsigned() + done as u64;
                let len = run.len as usize - done;
                let (wanted, read) =
                    self.elements.fill(at, len, &mut buffer, |bytes| disk.read(bytes, place))?;
                done += read;
                at += read;
                if read < wanted {
                    return Ok(at);
                }
            }
        }
        Ok(at)
    }
}
