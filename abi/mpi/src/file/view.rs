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

    /// Refuses a range that ends behind the last possible byte of a file.
    pub fn check_range(&self, position: i64, bytes: usize) -> Result<()> {
        let size = self.layout.size();
        let tiles =
            if size == 0 { 0 } else { i128::from(position) + bytes as i128 } / i128::from(size.max(1)) + 1;
        let far = i128::from(self.layout.extent().unsigned_abs()) + i128::from(self.layout.true_extent());
        let end =
            tiles * far + i128::from(self.displacement) + i128::from(self.layout.true_lb().unsigned_abs());
        if end <= i128::from(i64::MAX) {
            return Ok(());
        }
        Err(Error::new(Class::ARG, "the access ends behind the last possible byte of a file"))
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

    /// Number of etypes that begin in a file of `size` bytes.
    pub fn etypes_in(&self, size: i64) -> i64 {
        if self.layout.size() == 0 || size <= self.displacement {
            return 0;
        }
        // As many bytes as the file has, or a pattern of which each repetition is behind the last.
        let tiles = (size - self.displacement) / self.layout.extent().max(1) + 1;
        let most = tiles.saturating_mul(self.layout.size());
        (self.position_at(size, 0, most).cast_unsigned().div_ceil(self.etype_bytes.cast_unsigned()))
            .cast_signed()
    }
}

/// Refuses a pattern whose bytes begin before the file or go backwards. Returns whether it is ascending: no
/// byte occurs twice, in the pattern or its repetitions.
fn check_places(layout: &Datatype, displacement: i64) -> Result<bool> {
    let (mut start, mut end, mut first, mut is_ascending) = (i64::MIN, i64::MIN, None, true);
    for run in layout.runs(1, 0) {
        if run.offset + displacement < 0 || run.offset < start {
            return Err(Error::new(
                Class::TYPE,
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
        assert_eq!([0, 8, 9, 12, 20, 21].map(|size| view.etypes_in(size)), [0, 0, 1, 1, 1, 2]);
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
