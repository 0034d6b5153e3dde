//! A *bundle*: what the ranks of a direct call exchange at once, with one record of each rank and one end.
//!
//! A bundle holds one piece of a collective, or several collectives of a list. What it holds depends only on
//! what is equal on all ranks.

use std::ops::Range;

use super::kernels::KernelWork;
use super::piece::Piece;
use crate::base::Call;

/// Most collectives of a list in one bundle.
const MOST_PIECES: usize = 64;
/// What each piece has in a slot begins at a multiple of this.
pub const SLOT_GRAIN: usize = 256;
/// Tables of kernels begin at multiples of this.
const TABLE_GRAIN: usize = 16;

/// A piece, and where this rank has the buffers of its collective.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPiece {
    pub piece: Piece,
    /// Addresses of the whole buffers.
    pub send: usize,
    pub recv: usize,
    /// Where the piece begins on each side of a slot, on every rank.
    pub slot_at: usize,
}

/// What the leader launches for some pieces of a bundle.
#[derive(Clone, Debug)]
pub struct BundleWork {
    pub work: KernelWork,
    pub pieces: Range<usize>,
    /// Where its tables begin among those of the bundle.
    pub table_at: usize,
}

/// See the module head.
pub struct Bundle {
    /// The call as the other ranks see it.
    pub signature: Call,
    /// All pieces. The first one may be a part of its collective.
    pub pieces: Vec<PlacedPiece>,
    /// How many of them, from the first on, the bundle has if a rank needs a slot. Otherwise it has all, and
    /// the first one is its whole collective.
    pub fitting: usize,
    pub works: Vec<BundleWork>,
}

/// Limits of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct BundleLimits {
    /// Number of ranks.
    pub size: usize,
    /// Bytes of one side of a slot, if ranks have slots.
    pub slot: Option<usize>,
    /// Bytes of the tables of its kernels.
    pub table: usize,
}

impl Bundle {
    /// A bundle of one piece, which fits into a slot.
    pub fn of(first: PlacedPiece, limits: BundleLimits, signature: Call) -> Bundle {
        let mut bundle = Bundle { signature, pieces: Vec::new(), fitting: 0, works: Vec::new() };
        bundle.add(first, limits);
        bundle
    }

    /// Adds a whole collective of a list. `false`: the bundle is full.
    pub fn add(&mut self, placed: PlacedPiece, limits: BundleLimits) -> bool {
        let (number, work) = (self.pieces.len(), KernelWork::of(&placed.piece, limits.size));
        let table = work.map_or(0, |work| work.table_bytes());
        if number > 0 && (number == MOST_PIECES || self.table_bytes() + TABLE_GRAIN + table > limits.table) {
            return false;
        }
        let follows = self.fitting == number && self.pieces.iter().all(|placed| placed.piece.is_whole());
        let bytes = |piece: &Piece| piece.most_blocks(limits.size).saturating_mul(piece.bytes());
        let end = |placed: &PlacedPiece| placed.slot_at.saturating_add(bytes(&placed.piece));
        let slot_at = self.pieces.last().filter(|_| follows).map_or(0, end);
        let slot_at = slot_at.checked_next_multiple_of(SLOT_GRAIN).unwrap_or(usize::MAX);
        let placed = PlacedPiece { slot_at, ..placed };
        if number == 0 || follows && limits.slot.is_none_or(|slot| end(&placed) <= slot) {
            self.fitting = number + 1;
        }
        self.pieces.push(placed);
        if let Some(work) = work {
            self.add_work(work, number);
        }
        true
    }

    /// Adds the work for a piece. Copies are one launch for all pieces.
    fn add_work(&mut self, work: KernelWork, number: usize) {
        if let Some(last) = self.works.last_mut()
            && let Some(joined) = last.work.joined(work)
        {
            (last.work, last.pieces.end) = (joined, number + 1);
            return;
        }
        let table_at = self.table_bytes().next_multiple_of(TABLE_GRAIN);
        self.works.push(BundleWork { work, pieces: number..number + 1, table_at });
    }

    /// Whether it has more if all ranks' buffers can be used where they are.
    pub fn may_be_whole(&self) -> bool {
        let is_first_of_many = |placed: &PlacedPiece| placed.piece.first == 0 && !placed.piece.is_whole();
        self.fitting < self.pieces.len() || self.pieces.first().is_some_and(is_first_of_many)
    }

    /// What it has if all ranks' buffers can be used where they are, or if not.
    pub fn chosen(&self, is_whole: bool) -> Vec<PlacedPiece> {
        let whole = |placed: &PlacedPiece| PlacedPiece { piece: placed.piece.whole(), ..*placed };
        match is_whole {
            true => self.pieces.iter().map(whole).collect(),
            false => self.pieces[..self.fitting].to_vec(),
        }
    }

    /// Bytes of the tables of all its kernels.
    pub fn table_bytes(&self) -> usize {
        self.works.last().map_or(0, |last| last.table_at + last.work.table_bytes())
    }

    /// Number of launches for its first `pieces` pieces.
    pub fn launches(&self, pieces: usize) -> usize {
        let used = self.works.iter().filter(|work| work.pieces.start < pieces);
        used.map(|work| work.work.launches()).sum()
    }
}
