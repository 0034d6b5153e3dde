//! The buffers of replayed calls. A call takes buffers that no other call uses, of its own lengths.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyccl_engine::base::{Error, Rank, Result};

use crate::perf::region::{Memory, Region};
use crate::replay::call::{Action, CollectiveAction};

/// What the buffers of a call depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Bytes that are read.
    pub send: usize,
    /// Bytes that are written.
    pub recv: usize,
    /// In place: where the shorter of both lies in the longer one.
    pub in_place: Option<usize>,
}

/// Two buffers.
pub struct Buffers {
    shape: Shape,
    input: Region,
    output: Region,
}

impl Shape {
    /// The buffers of a call of this rank of a communicator.
    pub fn of(action: &Action, rank: Rank, size: u32) -> Shape {
        match action {
            Action::Collective(one) => Shape::of_collective(one, rank, size),
            Action::Send(message) => Shape { send: message.bytes() as usize, ..Shape::default() },
            Action::Receive(message) => Shape { recv: message.bytes() as usize, ..Shape::default() },
            Action::Probe(_) => Shape::default(),
        }
    }

    fn of_collective(one: &CollectiveAction, rank: Rank, size: u32) -> Shape {
        let element = one.datatype.bytes();
        if one.collective.has_layout() {
            let bytes = |lengths: &[u64]| lengths.iter().sum::<u64>() as usize * element;
            return Shape {
                send: bytes(&one.lengths.input),
                recv: bytes(&one.lengths.output),
                in_place: None,
            };
        }
        let count = one.count as usize;
        let send = one.collective.input_elements(size as usize, rank, one.root, count) * element;
        let recv = one.collective.output_elements(size as usize, rank, one.root, count) * element;
        let mine = if send == recv { 0 } else { rank as usize * count * element };
        Shape { send, recv, in_place: one.in_place.then_some(mine) }
    }

    fn allocate(self) -> Result<Buffers> {
        let (input, output) = match self.in_place {
            Some(_) => (self.send.max(self.recv), 0),
            None => (self.send, self.recv),
        };
        for bytes in [input, output] {
            let refused = |_| {
                let source = std::io::Error::from(std::io::ErrorKind::OutOfMemory);
                Error::system(format!("cannot allocate {bytes} bytes for a replayed call"), source)
            };
            // An error now is better than an abort of the process.
            Vec::<u8>::new().try_reserve_exact(bytes).map_err(refused)?;
        }
        let region = |bytes| Memory::Host.region(bytes);
        Ok(Buffers { shape: self, input: region(input)?, output: region(output)? })
    }
}

impl Buffers {
    /// Begin of what is read, and of what is written.
    pub fn pointers(&mut self) -> (*const u8, *mut u8) {
        let Shape { send, recv, in_place } = self.shape;
        match in_place {
            None => (self.input.pointer(0).cast_const(), self.output.pointer(0)),
            Some(mine) => {
                let whole = self.input.pointer(0);
                let at = |is_shorter: bool| whole.wrapping_add(if is_shorter { mine } else { 0 });
                (at(send < recv).cast_const(), at(recv < send))
            }
        }
    }
}

/// Buffers that no call uses.
#[derive(Default)]
pub struct Pool(Mutex<HashMap<Shape, Vec<Buffers>>>);

impl Pool {
    fn lock(&self) -> MutexGuard<'_, HashMap<Shape, Vec<Buffers>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Buffers of a shape, made if there are none.
    pub fn take(&self, shape: Shape) -> Result<Buffers> {
        let kept = self.lock().get_mut(&shape).and_then(Vec::pop);
        kept.map_or_else(|| shape.allocate(), Ok)
    }

    /// Takes buffers back.
    pub fn give(&self, buffers: Buffers) {
        self.lock().entry(buffers.shape).or_default().push(buffers);
    }
}
