//! The input and the output of a rank in a piece: where each is in the program's memory, and where the leader
//! finds it. A side that the leader cannot address where it is *moves*, to a slot or to memory of its own.

use super::buffers::SideBlocks;
use super::bundle::PlacedPiece;
use super::call::{DeviceCopy, StreamCopies};
use super::piece::Piece;
use super::unequal::SidePlaces;

/// One side of a rank's buffers: where it is, and where the leader finds it.
pub struct Side<'a> {
    /// Where its blocks are, if they differ in length.
    places: Option<&'a SidePlaces>,
    /// First byte of the piece in the program's buffer, or of the buffer if its blocks differ in length.
    start: u64,
    /// Bytes from one block to the next, if they do not.
    step: u64,
    pub blocks: usize,
    /// Whether it is memory of a device alone.
    pub is_on_device: bool,
    /// Whether the leader cannot find it where it is.
    pub must_move: bool,
    /// Where the leader finds it.
    pub seen: SideBlocks,
}

impl Side<'_> {
    /// A side whose blocks the leader finds where they are.
    pub fn of<'a>(buffer: usize, blocks: usize, piece: &Piece, places: Option<&'a SidePlaces>) -> Side<'a> {
        let (is_on_device, must_move) = (false, false);
        if let Some(places) = places {
            let blocks = if places.bytes() > 0 { blocks } else { 0 };
            let (start, step, seen) = (buffer as u64, 0, places.here());
            return Side { places: Some(places), start, step, blocks, is_on_device, must_move, seen };
        }
        let unit = piece.call.datatype.bytes() as u64;
        let (start, step) = (buffer as u64 + piece.first as u64 * unit, piece.call.count * unit);
        let seen = SideBlocks::Apart { start, step };
        Side { places, start, step, blocks, is_on_device, must_move, seen }
    }

    /// Moves it to a slot, or to memory of its own, if it must move. In a slot, the leader of another process
    /// knows where its blocks are.
    pub fn move_to(&mut self, address: u64, piece: &Piece, is_slot: bool) {
        if self.must_move {
            self.seen = match self.places {
                Some(places) if !is_slot => places.packed_at(address),
                _ => SideBlocks::Apart { start: address, step: piece.bytes() as u64 },
            };
        }
    }

    /// Whether something holds for the buffer, or for each of a list.
    pub fn has_all(&self, buffer: usize, holds: impl Fn(usize) -> bool) -> bool {
        match self.places {
            Some(places) => places.buffers().all(holds),
            None => holds(buffer),
        }
    }

    /// The buffer, whatever part of it the piece has. `None`: the rank has no block, or no device memory.
    pub fn mappable(&self, piece: &Piece) -> Option<Buffer> {
        let (start, bytes) = match self.places {
            Some(places) if !places.is_one_buffer => return None,
            Some(places) => places.span(),
            None => (self.start - piece.first_bytes(), self.blocks as u64 * self.step),
        };
        (self.blocks > 0 && bytes > 0 && self.is_on_device).then_some(Buffer { start, bytes })
    }

    /// Bytes of memory of its own that it needs.
    pub fn bytes_to_move(&self, piece: &Piece) -> usize {
        match self.places {
            _ if !self.must_move => 0,
            Some(places) => places.bytes(),
            None => self.blocks * piece.bytes(),
        }
    }

    /// Whether it has blocks, which must move.
    pub fn moves(&self) -> bool {
        self.blocks > 0 && self.must_move
    }

    /// The copies of all blocks to where the leader finds them.
    fn copies(&self, piece: &Piece) -> Vec<DeviceCopy> {
        if !self.moves() {
            return Vec::new();
        }
        if let Some(places) = self.places {
            return places.copies(piece.first_bytes() as usize, piece.bytes(), &self.seen);
        }
        // Blocks that follow each other on both sides are one run.
        let (runs, bytes) = match self.step == piece.bytes() as u64 {
            true => (1, self.blocks * piece.bytes()),
            false => (self.blocks, piece.bytes()),
        };
        let from = SideBlocks::Apart { start: self.start, step: self.step };
        let copy = |run| DeviceCopy { to: self.seen.place(run, 0), from: from.place(run, 0), bytes };
        (0..runs).map(copy).collect()
    }
}

/// A buffer of the program.
pub struct Buffer {
    pub start: u64,
    pub bytes: u64,
}

/// Both sides of a rank in a piece.
pub struct Sides<'a> {
    pub placed: &'a PlacedPiece,
    pub input: Side<'a>,
    pub output: Side<'a>,
}

impl Sides<'_> {
    /// Whether one of them must move.
    pub fn moves(&self) -> bool {
        self.input.moves() || self.output.moves()
    }
}

/// The copies of sides that move, before the kernels and after them.
pub fn copies_in_stream(sides: &[Sides], factor: Option<(u64, usize)>) -> StreamCopies {
    let back = |copy: DeviceCopy| DeviceCopy { to: copy.from, from: copy.to, ..copy };
    let before = |sides: &Sides| sides.input.copies(&sides.placed.piece);
    let after = |sides: &Sides| sides.output.copies(&sides.placed.piece);
    StreamCopies {
        before: sides.iter().flat_map(before).collect(),
        after: sides.iter().flat_map(after).map(back).collect(),
        factor,
    }
}
