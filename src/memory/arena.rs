//! The arena: the memory of this process that its peers can read.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::carver::{Carver, LARGE_GRAIN};
use super::registrations::Registrations;
use crate::base::{Error, Result, exceeds_memory};
use crate::sys::owned::Owned;
use crate::sys::shared_memory::sealed;
use crate::sys::sparse_memory::{SparseMapping, discard, reasonable_bytes};

/// Unit in which the mapping is opened. It is large, so that there are few system calls and few kernel
/// mappings.
const OPEN_BYTES: usize = 64 << 20;
/// Bytes of freed memory that keep their pages, so that the next allocation need not pay for fresh ones.
const KEPT_BYTES: usize = 4 << 20;

/// The arena of this process. It is never freed, because buffers of the user lie in it.
static CURRENT: AtomicPtr<Arena> = AtomicPtr::new(null_mut());

/// All memory of one process that its peers can read. There is one per process, so that one descriptor per
/// peer is enough.
#[derive(Debug)]
pub struct Arena {
    /// Process that made the arena. A child of fork makes its own, because writes to this one would reach its
    /// parent's.
    process: u32,
    /// The parent's arena, in a child of fork.
    before: Option<&'static Arena>,
    fd: Owned<OwnedFd>,
    /// Identity of the file: it differs from that of any other file on this host.
    identity: (u64, u64),
    len: usize,
    /// Made by the first allocation; most processes never make it.
    mapping: OnceLock<SparseMapping>,
    /// Upper bound of the offsets that may be touched.
    open: AtomicUsize,
    ranges: Mutex<Ranges>,
}

#[derive(Debug)]
struct Ranges {
    carver: Carver,
    /// Upper bound of the free bytes that still have pages.
    kept: usize,
    registrations: Registrations,
}

impl Arena {
    /// The arena of this process, made if necessary.
    pub fn of_this_process() -> Result<&'static Arena> {
        if let Some(arena) = Arena::existing() {
            return Ok(arena);
        }
        let before = Arena::latest();
        let seen = before.map_or(null_mut(), |arena| std::ptr::from_ref(arena).cast_mut());
        let arena =
            Arena::new(before).map_err(|e| Error::system("cannot make shared memory (memfd_create)", e))?;
        let new = Box::into_raw(Box::new(arena));
        if CURRENT.compare_exchange(seen, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: `new` was not published, so this thread still owns it alone.
            drop(unsafe { Box::from_raw(new) });
        }
        // An arena of this process exists now, made by this or another thread. This thread cannot have forked
        // since.
        Arena::existing().ok_or_else(|| Error::Internal("an arena that was made is not there".into()))
    }

    /// The arena of this process, if it exists.
    pub(super) fn existing() -> Option<&'static Arena> {
        Arena::latest().filter(|arena| arena.process == std::process::id())
    }

    /// Whether `start` is memory of a process from which this one was forked.
    pub(super) fn is_inherited(start: *const u8) -> bool {
        let mut arenas = std::iter::successors(Arena::latest(), |arena| arena.before);
        arenas.any(|arena| arena.process != std::process::id() && arena.offset_of(start, 1).is_some())
    }

    /// The newest arena. It may be that of a parent.
    fn latest() -> Option<&'static Arena> {
        // SAFETY: NULL, or a box that was published with Release and is never freed.
        unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
    }

    /// Makes an arena. `before` is the parent's, in a child of fork.
    pub(crate) fn new(before: Option<&'static Arena>) -> io::Result<Arena> {
        let len = reasonable_bytes();
        let fd = sealed(len)?;
        let identity = identity(&fd)?;
        let fd = Owned::new(fd);
        let ranges =
            Mutex::new(Ranges { carver: Carver::new(0), kept: 0, registrations: Registrations::default() });
        let (mapping, open) = (OnceLock::new(), AtomicUsize::new(0));
        Ok(Arena { process: std::process::id(), before, fd, identity, len, mapping, open, ranges })
    }

    /// Holds the lock of the ranges.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> impl Drop {
        self.ranges.lock()
    }

    /// The file, which is passed to peers.
    pub fn descriptor(&self) -> &OwnedFd {
        &self.fd
    }

    /// Identity of the file: it differs from that of any other open file of this host.
    pub(super) fn identity(&self) -> (u64, u64) {
        self.identity
    }

    /// Whether `fd` is this arena. Then the peer is a thread of this process.
    pub(super) fn is(&self, fd: &OwnedFd) -> io::Result<bool> {
        Ok(identity(fd)? == self.identity)
    }

    /// Offset of these bytes in the arena, if all of them lie in it.
    #[inline]
    pub fn offset_of(&self, start: *const u8, bytes: usize) -> Option<usize> {
        let open = self.open.load(Ordering::Relaxed);
        let offset = start.addr().wrapping_sub(self.mapping.get()?.start().addr());
        (offset <= open && bytes <= open - offset).then_some(offset)
    }

    /// Address of the bytes at `offset`, if they may be touched.
    pub(super) fn at(&self, offset: usize, bytes: usize) -> Option<*const u8> {
        // Pairs with the Release in `make_ready`: everything below `open` was opened before.
        let open = self.open.load(Ordering::Acquire);
        let inside = offset <= open && bytes <= open - offset;
        Some(self.mapping.get().filter(|_| inside)?.start().wrapping_add(offset))
    }

    /// See [`super::allocate`].
    pub(crate) fn allocate(&self, bytes: usize) -> Result<*mut u8> {
        let refused = |e| Error::system(not_allocated(bytes), e);
        let mut ranges = self.ranges.lock();
        let mapping = self.mapping(&mut ranges).map_err(refused)?;
        let no_room = || refused(io::Error::from_raw_os_error(libc::ENOMEM));
        let (offset, len) = ranges.carver.take(bytes).ok_or_else(no_room)?;
        if let Err(error) = self.make_ready(mapping, offset, len) {
            ranges.carver.give_back(offset);
            // A part of the range may have got pages.
            self.discard_free(&mut ranges);
            return Err(refused(error));
        }
        Ok(mapping.start().wrapping_add(offset))
    }

    /// Frees an allocation. Returns whether `start` was one. It is an error while a part of it is registered;
    /// the allocation then stays.
    pub(crate) fn free(&self, start: *mut u8) -> Result<bool> {
        let Some(mapping) = self.mapping.get() else { return Ok(false) };
        let offset = start.addr().wrapping_sub(mapping.start().addr());
        let mut ranges = self.ranges.lock();
        let Some(bytes) = ranges.carver.len_at(offset) else { return Ok(false) };
        if let Some((part, len)) = ranges.registrations.first_in(start.addr(), bytes) {
            let text = format!("{len} bytes at {part:#x}, in the allocation at {start:p}, are registered");
            return Err(Error::InvalidUsage(text));
        }
        ranges.carver.give_back(offset);
        ranges.kept += bytes;
        if ranges.kept > KEPT_BYTES {
            self.discard_free(&mut ranges);
        }
        Ok(true)
    }

    /// Registers bytes of the arena. Returns whether they are part of one allocation. `None`: they lie
    /// outside of the arena.
    pub(super) fn register(&self, start: *const u8, bytes: usize) -> Option<bool> {
        let mapping = self.mapping.get()?;
        let offset = start.addr().wrapping_sub(mapping.start().addr());
        if offset >= mapping.len() {
            return None;
        }
        let mut ranges = self.ranges.lock();
        let is_live = ranges.carver.holds(offset, bytes);
        if is_live {
            ranges.registrations.add(start.addr(), bytes);
        }
        Some(is_live)
    }

    /// Offset of bytes that are part of one live allocation.
    pub(super) fn offset_in_allocation(&self, start: *const u8, bytes: usize) -> Option<usize> {
        let offset = start.addr().wrapping_sub(self.mapping.get()?.start().addr());
        self.ranges.lock().carver.holds(offset, bytes).then_some(offset)
    }

    /// Registers memory outside of the arena.
    pub(super) fn note(&self, start: *const u8, bytes: usize) {
        self.ranges.lock().registrations.add(start.addr(), bytes);
    }

    /// Removes one registration of exactly these bytes. Returns whether there was one.
    pub(super) fn deregister(&self, start: *const u8, bytes: usize) -> bool {
        self.ranges.lock().registrations.remove(start.addr(), bytes)
    }

    /// The mapping, made on first use. All of it is free then.
    fn mapping(&self, ranges: &mut Ranges) -> io::Result<&SparseMapping> {
        if let Some(mapping) = self.mapping.get() {
            return Ok(mapping);
        }
        let mut len = self.len;
        let mapping = loop {
            match SparseMapping::reserve(&self.fd, len) {
                // There may be fewer addresses than memory, for example under valgrind.
                Err(_) if len > OPEN_BYTES => len /= 2,
                outcome => break outcome?,
            }
        };
        ranges.carver = Carver::new(len);
        // The lock of `ranges` is held, so no other thread makes one.
        Ok(self.mapping.get_or_init(|| mapping))
    }

    /// Opens the range and gives it pages, so that this does not happen in the middle of a collective.
    fn make_ready(&self, mapping: &SparseMapping, offset: usize, len: usize) -> io::Result<()> {
        let open = self.open.load(Ordering::Relaxed);
        if offset + len > open {
            let wanted = (offset + len).next_multiple_of(OPEN_BYTES).min(mapping.len());
            mapping.open(open, wanted)?;
            self.open.store(wanted, Ordering::Release);
        }
        mapping.populate(offset, len)
    }

    /// Takes the pages of all free memory away.
    fn discard_free(&self, ranges: &mut Ranges) {
        let open = self.open.load(Ordering::Relaxed);
        for (offset, len) in ranges.carver.free_below(open) {
            let (from, to) = (offset.next_multiple_of(LARGE_GRAIN), (offset + len).min(open));
            let to = to - to % LARGE_GRAIN;
            if from < to {
                // If the kernel cannot do it, the pages stay, and later allocations use them.
                let _ = discard(&self.fd, from, to - from);
            }
        }
        ranges.kept = 0;
    }
}

pub(super) fn identity(fd: &OwnedFd) -> io::Result<(u64, u64)> {
    let metadata = std::fs::File::from(fd.try_clone()?).metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

fn not_allocated(bytes: usize) -> String {
    match bytes.cast_signed() {
        ..0 => format!("cannot allocate {}", exceeds_memory(bytes as u64, "bytes")),
        _ => format!("cannot allocate {bytes} bytes that peers can read"),
    }
}
