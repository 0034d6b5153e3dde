//! Views: the bytes of a file that a process sees, in order (MPI 5.0, section 14.3).
//!
//! A position counts the bytes that the view shows, from its displacement on. The filetype is repeated
//! without end; the bytes of its data are those that the view shows. In the representation `external32`,
//! positions count converted bytes.

use std::sync::Arc;

use super::representation::Representation;
use crate::constants::BYTE;
use crate::datatype::{Datatype, Run};
use crate::error::{Class, Error, Result};

/// A view.
#[derive(Clone, Debug)]
pub struct View {
    /// First byte of the file to which the filetype applies.
    pub displacement: i64,
    /// Unit of offsets.
    pub etype: Arc<Datatype>,
    /// The pattern of visible bytes, as the program has given it.
    pub filetype: Arc<Datatype>,
    /// Form of the data in the file.
    pub representation: Representation,
    /// The pattern of visible bytes in the file.
    layout: Arc<Datatype>,
    /// Bytes of an etype in the file.
    pub etype_bytes: i64,
    /// Whether the bytes of the view have ascending places in the file.
    pub is_ascending: bool,
}

impl View {
    /// The view of a file that was just opened: all bytes.
    pub fn bytes() -> View {
        let byte = Datatype::predefined(BYTE).expect("MPI_BYTE is predefined");
        View {
            displacement: 0,
            etype: Arc::clone(byte),
            filetype: Arc::clone(byte),
            representation: Representation::Native,
            layout: Arc::clone(byte),
            etype_bytes: 1,
            is_ascending: true,
        }
    }

    /// A view, after the checks of its arguments.
    pub fn new(
        displacement: i64,
        etype: Arc<Datatype>,
        filetype: Arc<Datatype>,
        representation: Representation,
    ) -> Result<View> {
        if displacement < 0 {
            return Err(Error::new(Class::DISP, format!("disp is {displacement}, less than 0")));
        }
        if etype.size() == 0 || filetype.size() % etype.size() != 0 {
            let text = format!(
                "a filetype of {} bytes is not made of etypes of {} bytes",
                filetype.size(),
                etype.size()
            );
            return Err(Error::new(Class::TYPE, text));
        }
        let etype_bytes = representation.bytes_of(&etype, 1)?;
        let layout = representation.layout(&etype, &filetype)?;
        let is_ascending = check_places(&layout, displacement)?;
        Ok(View { displacement, etype, filetype, representation, layout, etype_bytes, is_ascending })
    }

    /// The runs of the file that hold `bytes` bytes from `position` on, in order, with their places in the
    /// file.
    pub fn runs(&self, position: i64, bytes: usize) -> impl Iterator<Item = Run> {
        let size = self.layout.size();
        let end = position.cast_unsigned() + bytes as u64;
        let count = if size == 0 { 0 } else { end.div_ceil(size.cast_unsigned()).cast_signed() };
        let mut left = bytes as u64;
        self.layout.runs(count, position as usize).map_while(move |run| {
            let len = run.len.min(left);
            left -= len;
            (len > 0).then_some(Run { offset: run.offset + self.displacement, len })
        })
    }

    /// Place in the file of the byte at a position.
    pub fn offset_of(&self, position: i64) -> i64 {
        self.runs(position, 1).next().map_or(self.displacement, |run| run.offset)
    }

    /// Place in the file of the first byte of an etype.
    pub fn byte_at(&self, etype: i64) -> Result<i64> {
        let position = etype.checked_mul(self.etype_bytes).filter(|position| *position >= 0);
        let text = || format!("offset {etype} is no place in the view");
        let position = position.ok_or_else(|| Error::new(Class::ARG, text()))?;
        self.check_range(position, 1)?;
        Ok(self.offset_of(position))
    }

    /// Refuses a range that ends behind the last possible byte of a file, or goes back before the first.
    pub fn check_range(&self, position: i64, bytes: usize) -> Result<()> {
        let last = (i128::from(position) + bytes as i128 - 1).max(0);
        let tiles = last / i128::from(self.layout.size().max(1));
        let (displacement, true_lb) = (i128::from(self.displacement), i128::from(self.layout.true_lb()));
        let moved = tiles * i128::from(self.layout.extent());
        let start = displacement + true_lb + moved.min(0);
        let end = displacement + true_lb + i128::from(self.layout.true_extent()) + moved.max(0);
        if start >= 0 && end <= i128::from(i64::MAX) {
            return Ok(());
        }
        let text = "the access goes behind the last possible byte of a file, or back before the first";
        Err(Error::new(Class::ARG, text))
    }

    /// First position from `low` to `high` whose byte lies at `offset` in the file or behind it; `high` if
    /// there is none. The view is ascending.
    pub fn position_at(&self, offset: i64, low: i64, high: i64) -> i64 {
        let (mut low, mut high) = (low, high);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.offset_of(middle) < offset {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Number of etypes that begin before the first byte of the view that a file of `size` bytes does not
    /// have.
    pub fn etypes_in(&self, size: i64) -> Result<i64> {
        let layout = &self.layout;
        if layout.size() == 0 || size <= self.displacement {
            return Ok(0);
        }
        let (size, extent) = (size - self.displacement, layout.extent());
        // The first repetition that ends behind the file.
        let last = layout.true_lb() + layout.true_extent();
        let tile = match size - last {
            before if before < 0 => 0,
            before if extent > 0 => before / extent + 1,
            _ => {
                let text = "the view has no end, as the extent of its filetype is not positive";
                return Err(Error::new(Class::ARG, text));
            }
        };
        let (mut position, start) = (tile.saturating_mul(layout.size()), tile * extent);
        for run in layout.runs(1, 0) {
            let there = (size - start - run.offset).clamp(0, run.len.cast_signed());
            position = position.saturating_add(there);
            if there < run.len.cast_signed() {
                break;
            }
        }
        Ok(position.cast_unsigned().div_ceil(self.etype_bytes.cast_unsigned()).cast_signed())
    }
}

/// Refuses a pattern whose bytes begin before the file or go backwards. Returns whether it is ascending: no
/// byte occurs twice, in the pattern or its repetitions.
fn check_places(layout: &Datatype, displacement: i64) -> Result<bool> {
    let (mut start, mut end, mut first, mut is_ascending) = (i64::MIN, i64::MIN, None, true);
    for run in layout.runs(1, 0) {
        if run.offset + displacement < 0 || run.offset < start {
            return Err(Error::new(
                Class::IO,
                "the displacements of a filetype must not descend, and not begin before the file",
            ));
        }
        is_ascending &= run.offset >= end;
        first = first.or(Some(run.offset));
        (start, end) = (run.offset, run.offset + run.len as i64);
    }
    Ok(is_ascending && first.is_none_or(|first| first + layout.extent() >= end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::INT;

    fn int() -> Arc<Datatype> {
        Arc::clone(Datatype::predefined(INT).unwrap())
    }

    /// Every third int, from byte 8 on.
    fn thirds() -> View {
        let vector = Datatype::resized(&int(), 0, 12).unwrap();
        View::new(8, int(), vector, Representation::Native).unwrap()
    }

    #[test]
    fn the_runs_of_a_view_are_those_of_its_repeated_filetype() {
        let runs: Vec<_> = thirds().runs(2, 8).map(|run| (run.offset, run.len)).collect();
        assert_eq!(runs, [(10, 2), (20, 4), (32, 2)]);
        let bytes: Vec<_> = View::bytes().runs(5, 100).map(|run| (run.offset, run.len)).collect();
        assert_eq!(bytes, [(5, 100)]);
    }

    #[test]
    fn positions_are_found_by_their_places_in_the_file() {
        let view = thirds();
        for offset in 0..60 {
            let expected = (0..20).find(|at| view.offset_of(*at) >= offset).unwrap_or(20);
            assert_eq!(view.position_at(offset, 0, 20), expected, "at byte {offset}");
        }
        assert_eq!([0, 8, 9, 12, 20, 21].map(|size| view.etypes_in(size).unwrap()), [0, 0, 1, 1, 1, 2]);
    }

    #[test]
    fn the_end_of_a_file_is_the_first_byte_of_a_view_that_is_not_there() {
        let view = |filetype| View::new(4, int(), filetype, Representation::Native).unwrap();
        let three = Datatype::contiguous(3, &int()).unwrap();
        for extent in [1, 3, 4, 5, 8, 12, 13, 40] {
            let view = view(Datatype::resized(&three, 0, extent).unwrap());
            for size in 0..80 {
                let first = (0..).find(|at| view.offset_of(*at) >= size).unwrap();
                assert_eq!(view.etypes_in(size).unwrap(), (first + 3) / 4, "extent {extent}, {size} bytes");
            }
        }
        for extent in [0, -4] {
            let view = view(Datatype::resized(&three, 0, extent).unwrap());
            assert_eq!(view.etypes_in(12).unwrap(), 2);
            assert!(view.etypes_in(16).is_err());
        }
        let back = view(Datatype::resized(&int(), 0, -4).unwrap());
        assert!(back.check_range(0, 8).is_ok() && back.check_range(0, 9).is_err());
    }

    #[test]
    fn impossible_views_are_refused() {
        let error = |view: Result<View>| view.err().unwrap().class;
        assert_eq!(error(View::new(-5, int(), int(), Representation::Native)), Class::DISP);
        let three = Datatype::contiguous(3, Datatype::predefined(BYTE).unwrap()).unwrap();
        assert_eq!(error(View::new(0, int(), three, Representation::Native)), Class::TYPE);
        let twice = Datatype::resized(&Datatype::contiguous(2, &int()).unwrap(), 0, 4).unwrap();
        assert!(!View::new(0, int(), twice, Representation::Native).unwrap().is_ascending);
        assert!(thirds().check_range(i64::MAX / 2, 1 << 40).is_err());
    }
}
