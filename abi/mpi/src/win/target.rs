//! The memory of a rank, as this process reads and writes it.

use std::io;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use anyccl_engine::sys::process_memory::RemoteProcess;

use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};

/// Bytes of another process that are copied at a time: the kernel copies less than 2 GiB.
const PIECE: usize = 64 << 20;
/// Runs of them that are listed at a time.
const RUNS: usize = 8192;

/// The memory of a rank.
pub struct Target {
    pub place: Place,
    /// Address of the first byte: in this process, or in the other one. 0 in a dynamic window.
    pub base: usize,
    /// Number of bytes; of no meaning in a dynamic window.
    pub bytes: u64,
    pub disp_unit: i64,
}

/// Where the memory is.
pub enum Place {
    /// In this process, which may have mapped it.
    Here,
    /// In another process.
    There(RemoteProcess),
    /// On another host. Only messages reach it.
    Distant,
}

/// Elements in the memory of a rank.
#[derive(Clone, Copy)]
pub struct Elements<'a> {
    pub datatype: &'a Datatype,
    pub count: i64,
    /// Address to which offsets of the datatype are relative.
    pub base: usize,
}

impl Elements<'_> {
    /// The address of packed byte `position`, if `len` bytes from it on are one run.
    pub fn run(&self, position: usize) -> Option<usize> {
        let (offset, _) = self.datatype.run_for(self.count)?;
        Some(self.base.wrapping_add_signed(offset as isize).wrapping_add(position))
    }

    /// Runs of packed bytes, by address and length, and their bytes altogether: `len`, or fewer if the runs
    /// are many.
    fn runs(&self, position: usize, len: usize) -> (Vec<(u64, usize)>, usize) {
        let (mut left, mut runs) = (len, Vec::new());
        for run in self.datatype.runs(self.count, position).take(RUNS) {
            let len = left.min(usize::try_from(run.len).unwrap_or(usize::MAX));
            runs.push((self.base.wrapping_add_signed(run.offset as isize) as u64, len));
            left -= len;
            if left == 0 {
                break;
            }
        }
        (runs, len - left)
    }
}

impl Place {
    /// Copies packed bytes of elements to `dst`.
    ///
    /// # Safety
    /// The elements lie inside the memory of this target; `dst` is writable for `len` bytes.
    pub unsafe fn read(&self, of: Elements, position: usize, dst: *mut u8, len: usize) -> Result<()> {
        let process = match self {
            Place::There(process) => process,
            Place::Distant => return Err(out_of_reach()),
            Place::Here => {
                if let Some(run) = of.run(position) {
                    // SAFETY: promised by the caller.
                    unsafe { load(std::ptr::with_exposed_provenance(run), dst, len) };
                    return Ok(());
                }
                let base = std::ptr::with_exposed_provenance(of.base);
                // SAFETY: promised by the caller. Others may write the bytes: they are only copied.
                unsafe { of.datatype.gather(of.count, base, position, dst, len) };
                return Ok(());
            }
        };
        let mut done = 0;
        while done < len {
            let (runs, piece) = of.runs(position + done, PIECE.min(len - done));
            // SAFETY: promised by the caller.
            unsafe { process.read_runs(&runs, dst.wrapping_add(done)) }.map_err(|error| failed(&error))?;
            done += piece;
        }
        Ok(())
    }

    /// Copies `len` bytes at `src` to packed bytes of elements.
    ///
    /// # Safety
    /// The elements lie inside the memory of this target; `src` is readable for `len` bytes.
    pub unsafe fn write(&self, of: Elements, position: usize, src: *const u8, len: usize) -> Result<()> {
        let process = match self {
            Place::There(process) => process,
            Place::Distant => return Err(out_of_reach()),
            Place::Here => {
                if let Some(run) = of.run(position) {
                    // SAFETY: promised by the caller.
                    unsafe { store(src, std::ptr::with_exposed_provenance_mut(run), len) };
                    return Ok(());
                }
                let base = std::ptr::with_exposed_provenance_mut(of.base);
                // SAFETY: promised by the caller.
                unsafe { of.datatype.scatter(of.count, base, position, src, len) };
                return Ok(());
            }
        };
        let mut done = 0;
        while done < len {
            let (runs, piece) = of.runs(position + done, PIECE.min(len - done));
            // SAFETY: promised by the caller: the other process has given its memory for such writes.
            unsafe { process.write_runs(&runs, src.wrapping_add(done)) }.map_err(|error| failed(&error))?;
            done += piece;
        }
        Ok(())
    }
}

/// Copies from shared memory. An aligned word is read at once.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes.
pub unsafe fn load(src: *const u8, dst: *mut u8, len: usize) {
    let is_aligned = len.is_power_of_two() && len <= 8 && src.addr().is_multiple_of(len);
    let place = src.cast_mut();
    let word = match len {
        // SAFETY: promised by the caller; aligned.
        8 if is_aligned => unsafe { AtomicU64::from_ptr(place.cast()) }.load(Ordering::Relaxed),
        // SAFETY: as above.
        4 if is_aligned => unsafe { AtomicU32::from_ptr(place.cast()) }.load(Ordering::Relaxed).into(),
        // SAFETY: as above.
        2 if is_aligned => unsafe { AtomicU16::from_ptr(place.cast()) }.load(Ordering::Relaxed).into(),
        // SAFETY: as above.
        1 => unsafe { AtomicU8::from_ptr(place) }.load(Ordering::Relaxed).into(),
        _ => {
            // SAFETY: promised by the caller. The program may name overlapping memory of its own.
            unsafe { std::ptr::copy(src, dst, len) };
            return;
        }
    };
    let bytes = word.to_le_bytes();
    // SAFETY: promised by the caller; `word` has at least `len` bytes, the lowest first.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), dst, len) };
}

/// Copies to shared memory. An aligned word is written at once.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes.
pub unsafe fn store(src: *const u8, dst: *mut u8, len: usize) {
    if !(len.is_power_of_two() && len <= 8 && dst.addr().is_multiple_of(len)) {
        // SAFETY: promised by the caller. The program may name overlapping memory of its own.
        unsafe { std::ptr::copy(src, dst, len) };
        return;
    }
    let mut bytes = [0; 8];
    // SAFETY: promised by the caller; `len` is at most 8.
    unsafe { std::ptr::copy_nonoverlapping(src, bytes.as_mut_ptr(), len) };
    let word = u64::from_le_bytes(bytes);
    match len {
        // SAFETY: promised by the caller; aligned.
        8 => unsafe { AtomicU64::from_ptr(dst.cast()) }.store(word, Ordering::Relaxed),
        // SAFETY: as above.
        4 => unsafe { AtomicU32::from_ptr(dst.cast()) }.store(word as u32, Ordering::Relaxed),
        // SAFETY: as above.
        2 => unsafe { AtomicU16::from_ptr(dst.cast()) }.store(word as u16, Ordering::Relaxed),
        // SAFETY: as above.
        _ => unsafe { AtomicU8::from_ptr(dst) }.store(word as u8, Ordering::Relaxed),
    }
}

#[cold]
fn failed(error: &io::Error) -> Error {
    match error.raw_os_error() {
        Some(libc::EFAULT) => Error::new(Class::RMA_RANGE, "the target has no such memory now"),
        _ => Error::new(Class::OTHER, format!("cannot access the memory of the target: {error}")),
    }
}

#[cold]
fn out_of_reach() -> Error {
    Error::new(Class::INTERN, "the memory of a rank of another host was accessed directly")
}
