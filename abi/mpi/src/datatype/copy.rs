//! Copies between two typed buffers, for a send to oneself.

use super::Datatype;

/// Length of the buffer between two layouts that both have gaps. It fits the first-level cache.
const BUFFER: usize = 16 * 1024;

/// Typed memory: elements of a datatype at an address.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a, P> {
    /// Datatype of the elements.
    pub datatype: &'a Datatype,
    /// Number of elements.
    pub count: i64,
    /// Address of the first element.
    pub base: P,
}

impl<P> Typed<'_, P> {
    /// Packed length of all elements in bytes, at most `usize::MAX`.
    fn bytes(&self) -> usize {
        let bytes = i128::from(self.datatype.size()) * i128::from(self.count.max(0));
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

impl Datatype {
    /// Copies the elements of `source` to those of `target`, byte by byte of the packed form. Returns the
    /// number of bytes, which is that of the smaller side.
    ///
    /// # Safety
    ///
    /// The elements of `source` are readable and those of `target` writable, and they do not overlap.
    pub unsafe fn copy(source: Typed<'_, *const u8>, target: Typed<'_, *mut u8>) -> usize {
        let bytes = source.bytes().min(target.bytes());
        if let Some((offset, _)) = target.datatype.run_for(target.count) {
            let at = target.base.wrapping_offset(offset as isize);
            // SAFETY: the promise of the caller: the target is one run of at least `bytes`.
            return unsafe { source.datatype.gather(source.count, source.base, 0, at, bytes) };
        }
        if let Some((offset, _)) = source.datatype.run_for(source.count) {
            let at = source.base.wrapping_offset(offset as isize);
            // SAFETY: the promise of the caller: the source is one run of at least `bytes`.
            return unsafe { target.datatype.scatter(target.count, target.base, 0, at, bytes) };
        }
        let mut buffer = [std::mem::MaybeUninit::<u8>::uninit(); BUFFER];
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        let mut position = 0;
        while position < bytes {
            let len = BUFFER.min(bytes - position);
            // SAFETY: the promise of the caller; the buffer has `BUFFER` bytes.
            let len = unsafe { source.datatype.gather(source.count, source.base, position, buffer, len) };
            // SAFETY: the promise of the caller; the first `len` bytes of the buffer were just written.
            unsafe { target.datatype.scatter(target.count, target.base, position, buffer, len) };
            position += len;
        }
        bytes
    }
}
