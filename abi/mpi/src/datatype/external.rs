//! The portable representation `external32`: big-endian, with the sizes of MPI's table (section 14.5.2).
//!
//! The signature gives the order of basic elements in the packed bytes. Runs of equal elements are gathered
//! into a small buffer, converted, and written; reading goes the other way. `long` (4 bytes), `wchar_t` (2
//! bytes) and `long double` (IEEE quadruple precision) have other sizes than in memory. A value that does not
//! fit is MPI_ERR_CONVERSION.

use std::ptr;

use super::Datatype;
use super::basic::{Basic, Form};
use super::bounds::narrow;
use super::quad;
use super::signature::{Signature, Unit};
use crate::error::{Class, Error, Result};

/// Upper limit of the bytes that are converted together. Every basic element fits.
const BUFFER: usize = 4096;

impl Basic {
    /// Bytes in `external32`.
    fn external_size(&self) -> usize {
        match self.form {
            Form::Scalars(_) | Form::LongDouble => self.size as usize,
            Form::Long { .. } => 4,
            Form::Wchar => 2,
            Form::Pair { value, index, .. } => {
                [value, index].iter().filter_map(|code| Basic::of(*code)).map(Basic::external_size).sum()
            }
        }
    }

    /// The two members of a pair.
    fn members(value: u32, index: u32) -> [&'static Basic; 2] {
        [value, index].map(|code| Basic::of(code).expect("members of pairs are in the table"))
    }

    /// Converts whole elements from their form in memory.
    fn encode(&self, native: &[u8], external: &mut [u8]) -> Result<()> {
        match self.form {
            Form::Scalars(bytes) => big_endian(bytes as usize, native, external),
            Form::Long { signed } => {
                for (from, to) in native.as_chunks::<8>().0.iter().zip(external.as_chunks_mut::<4>().0) {
                    let long = i64::from_ne_bytes(*from);
                    let fits = if signed { i32::try_from(long).is_ok() } else { u32::try_from(long).is_ok() };
                    if !fits {
                        let text =
                            format!("{long} of type long does not fit the 4 bytes it has in external32");
                        return Err(Error::new(Class::CONVERSION, text));
                    }
                    *to = (long as i32).to_be_bytes();
                }
            }
            Form::Wchar => {
                for (from, to) in native.as_chunks::<4>().0.iter().zip(external.as_chunks_mut::<2>().0) {
                    let wchar = u32::from_ne_bytes(*from);
                    let short = u16::try_from(wchar).map_err(|_| {
                        let text =
                            format!("wide character {wchar:#x} does not fit the 2 bytes of external32");
                        Error::new(Class::CONVERSION, text)
                    })?;
                    *to = short.to_be_bytes();
                }
            }
            Form::LongDouble => {
                for (from, to) in native.as_chunks::<16>().0.iter().zip(external.as_chunks_mut::<16>().0) {
                    *to = quad::from_long_double(*from).to_be_bytes();
                }
            }
            Form::Pair { value, index, .. } => {
                let [value, index] = Basic::members(value, index);
                let pairs = native.chunks_exact(self.size as usize);
                for (from, to) in pairs.zip(external.chunks_exact_mut(self.external_size())) {
                    let (from, to) =
                        (from.split_at(value.size as usize), to.split_at_mut(value.external_size()));
                    value.encode(from.0, to.0)?;
                    index.encode(from.1, to.1)?;
                }
            }
        }
        Ok(())
    }

    /// Converts whole elements into their form in memory.
    fn decode(&self, external: &[u8], native: &mut [u8]) {
        match self.form {
            Form::Scalars(bytes) => big_endian(bytes as usize, external, native),
            Form::Long { signed } => {
                for (from, to) in external.as_chunks::<4>().0.iter().zip(native.as_chunks_mut::<8>().0) {
                    let long = i32::from_be_bytes(*from);
                    *to = if signed { i64::from(long) } else { i64::from(long as u32) }.to_ne_bytes();
                }
            }
            Form::Wchar => {
                for (from, to) in external.as_chunks::<2>().0.iter().zip(native.as_chunks_mut::<4>().0) {
                    *to = u32::from(u16::from_be_bytes(*from)).to_ne_bytes();
                }
            }
            Form::LongDouble => {
                for (from, to) in external.as_chunks::<16>().0.iter().zip(native.as_chunks_mut::<16>().0) {
                    *to = quad::to_long_double(u128::from_be_bytes(*from));
                }
            }
            Form::Pair { value, index, .. } => {
                let [value, index] = Basic::members(value, index);
                let pairs = external.chunks_exact(self.external_size());
                for (from, to) in pairs.zip(native.chunks_exact_mut(self.size as usize)) {
                    let (from, to) =
                        (from.split_at(value.external_size()), to.split_at_mut(value.size as usize));
                    value.decode(from.0, to.0);
                    index.decode(from.1, to.1);
                }
            }
        }
    }
}

/// Copies scalars of `bytes` bytes from the order of this machine to big-endian order, or back.
fn big_endian(bytes: usize, from: &[u8], to: &mut [u8]) {
    fn swap<const N: usize>(from: &[u8], to: &mut [u8]) {
        for (from, to) in from.as_chunks::<N>().0.iter().zip(to.as_chunks_mut::<N>().0) {
            *to = *from;
            to.reverse();
        }
    }
    match bytes {
        2 if cfg!(target_endian = "little") => swap::<2>(from, to),
        4 if cfg!(target_endian = "little") => swap::<4>(from, to),
        8 if cfg!(target_endian = "little") => swap::<8>(from, to),
        16 if cfg!(target_endian = "little") => swap::<16>(from, to),
        _ => to.copy_from_slice(from),
    }
}

/// The position of a conversion, in packed bytes and in bytes of `external32`.
struct Conversion<'a> {
    datatype: &'a Datatype,
    count: i64,
    packed: usize,
    external: usize,
    /// Number of bytes of `external32` that are there.
    limit: usize,
    native_buffer: [u8; BUFFER],
    external_buffer: [u8; BUFFER],
}

/// Calls `step` for each run of equal basic elements, in order.
fn each(signature: &Signature, step: &mut dyn FnMut(&Basic, u64) -> Result<()>) -> Result<()> {
    match &signature.unit {
        Unit::Basic(basic) => step(basic, signature.count),
        Unit::Sequence(sequence) => {
            for _ in 0..signature.count {
                sequence.items.iter().try_for_each(|item| each(&item.signature, step))?;
            }
            Ok(())
        }
    }
}

/// Length of a signature in `external32`, in bytes.
fn external_bytes(signature: &Signature) -> i128 {
    let unit = match &signature.unit {
        Unit::Basic(basic) => basic.external_size() as i128,
        Unit::Sequence(sequence) => sequence.items.iter().map(|item| external_bytes(&item.signature)).sum(),
    };
    unit * i128::from(signature.count)
}

impl Conversion<'_> {
    fn new(datatype: &Datatype, count: i64, limit: usize) -> Conversion<'_> {
        let (native_buffer, external_buffer) = ([0; BUFFER], [0; BUFFER]);
        Conversion { datatype, count, packed: 0, external: 0, limit, native_buffer, external_buffer }
    }

    /// Calls `piece` for each piece that fits the buffers, with the basic element and the native and external
    /// length. Ends before the first basic element that is not there as a whole. Returns the number of packed
    /// bytes.
    fn run(mut self, mut piece: impl FnMut(&mut Self, &Basic, usize, usize) -> Result<()>) -> Result<usize> {
        let signature = self.datatype.typemap.signature.repeated(self.count as u64);
        each(&signature, &mut |basic, count| {
            let (native, external) = (basic.size as usize, basic.external_size());
            let mut left = count as usize;
            while left > 0 {
                let there = (self.limit - self.external) / external;
                if there == 0 {
                    self.limit = self.external;
                    break;
                }
                let some = left.min(BUFFER / native.max(external)).min(there);
                piece(&mut self, basic, some * native, some * external)?;
                self.packed += some * native;
                self.external += some * external;
                left -= some;
            }
            Ok(())
        })?;
        Ok(self.packed)
    }
}

impl Datatype {
    /// Bytes of `count` elements in `external32` (MPI_Pack_external_size).
    pub fn external32_size(&self, count: i64) -> Result<i64> {
        super::construct::check_count(count)?;
        // No element is longer than in memory, so the size in memory is the one to check.
        narrow(i128::from(self.size()) * i128::from(count), "size of all elements")?;
        Ok((external_bytes(&self.typemap.signature) * i128::from(count)) as i64)
    }

    /// Writes `count` elements at `base` to `target` as `external32` (MPI_Pack_external).
    ///
    /// # Safety
    ///
    /// The elements are readable, as for [`Datatype::gather`]. `target` is writable for
    /// [`Datatype::external32_size`] bytes and does not overlap them.
    pub unsafe fn pack_external(&self, count: i64, base: *const u8, target: *mut u8) -> Result<()> {
        let bytes = self.external32_size(count)? as usize;
        let conversion = Conversion::new(self, count, bytes);
        conversion.run(|at, basic, native, external| {
            let buffer = at.native_buffer.as_mut_ptr();
            // SAFETY: the promise of the caller; the buffer has room for `native` bytes.
            unsafe { at.datatype.gather(at.count, base, at.packed, buffer, native) };
            basic.encode(&at.native_buffer[..native], &mut at.external_buffer[..external])?;
            let target = target.wrapping_add(at.external);
            // SAFETY: all pieces together are as long as the target; the buffer has `external` bytes.
            unsafe { ptr::copy_nonoverlapping(at.external_buffer.as_ptr(), target, external) };
            Ok(())
        })?;
        Ok(())
    }

    /// Reads `count` elements at `base` from the `external32` bytes at `source` (MPI_Unpack_external).
    ///
    /// # Safety
    ///
    /// The elements are writable, as for [`Datatype::scatter`]. `source` is readable for
    /// [`Datatype::external32_size`] bytes and does not overlap them.
    pub unsafe fn unpack_external(&self, count: i64, base: *mut u8, source: *const u8) -> Result<()> {
        let bytes = self.external32_size(count)? as usize;
        // SAFETY: passed on from our caller.
        unsafe { self.unpack_external_part(count, base, source, bytes) }.map(drop)
    }

    /// Reads the basic elements at `base` that the first `bytes` of the `external32` bytes at `source` have.
    /// Returns their number of bytes in memory.
    ///
    /// # Safety
    ///
    /// The `count` elements are writable, as for [`Datatype::scatter`]. `source` is readable for `bytes`
    /// bytes and does not overlap them.
    pub unsafe fn unpack_external_part(
        &self,
        count: i64,
        base: *mut u8,
        source: *const u8,
        bytes: usize,
    ) -> Result<usize> {
        let count = match self.external32_size(1)? as usize {
            0 => 0,
            size => count.min(bytes.div_ceil(size) as i64),
        };
        Conversion::new(self, count, bytes).run(|at, basic, native, external| {
            let source = source.wrapping_add(at.external);
            // SAFETY: all pieces together are no longer than the source; the buffer has room for `external`
            // bytes.
            unsafe { ptr::copy_nonoverlapping(source, at.external_buffer.as_mut_ptr(), external) };
            basic.decode(&at.external_buffer[..external], &mut at.native_buffer[..native]);
            let buffer = at.native_buffer.as_ptr();
            // SAFETY: the promise of the caller; the buffer has `native` bytes.
            unsafe { at.datatype.scatter(at.count, base, at.packed, buffer, native) };
            Ok(())
        })
    }
}
