//! The two buffers of a call: the elements that it reads, and those that it writes.

use std::marker::PhantomData;

use crate::element::Element;

/// The buffers of a call, for as long as it borrows them.
pub(crate) struct Sides<'a, T> {
    raw: RawSides,
    borrowed: PhantomData<(&'a [T], &'a mut [T])>,
}

/// The buffers of a call. Only the one who runs the call knows how long they may be used.
#[derive(Clone, Copy)]
pub(crate) struct RawSides {
    pub send: *const u8,
    /// Elements that can be read.
    pub send_len: usize,
    pub recv: *mut u8,
    /// Elements that can be written.
    pub recv_len: usize,
}

impl<'a, T: Element> Sides<'a, T> {
    /// Two buffers.
    pub fn apart(send: &'a [T], recv: &'a mut [T]) -> Sides<'a, T> {
        let (send_len, recv_len) = (send.len(), recv.len());
        Sides::of(send.as_ptr(), send_len, recv.as_mut_ptr(), recv_len)
    }

    /// One buffer that is read and written: a call in place.
    pub fn same(data: &'a mut [T]) -> Sides<'a, T> {
        let (start, len) = (data.as_mut_ptr(), data.len());
        Sides::of(start, len, start, len)
    }

    /// One buffer with a block for each rank, of which block `rank` is read: a call in place.
    pub fn own_block(data: &'a mut [T], rank: usize, size: usize) -> Sides<'a, T> {
        let (start, len) = (data.as_mut_ptr(), data.len());
        let block = len / size;
        // The block ends within the buffer, because `rank` is below `size`.
        Sides::of(start.wrapping_add(rank * block), block, start, len)
    }

    fn of(send: *const T, send_len: usize, recv: *mut T, recv_len: usize) -> Sides<'a, T> {
        let raw = RawSides { send: send.cast(), send_len, recv: recv.cast(), recv_len };
        Sides { raw, borrowed: PhantomData }
    }

    /// The buffers without their borrow.
    pub fn raw(&self) -> RawSides {
        self.raw
    }
}
