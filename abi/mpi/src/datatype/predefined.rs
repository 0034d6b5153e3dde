//! The predefined datatypes as objects, found by their code.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use super::Datatype;
use super::basic::{Basic, ROWS};
use super::recipe::Recipe;
use super::typemap::Typemap;
use crate::constants as c;

/// First code of a datatype.
const FIRST: u32 = c::DATATYPE_NULL;
/// Number of codes from the first to the last.
const CODES: usize = (c::COMPLEX32 - FIRST + 1) as usize;

impl Datatype {
    /// The predefined datatype of this code. `None` for MPI_DATATYPE_NULL and for codes without a meaning.
    #[inline]
    pub fn predefined(code: u32) -> Option<&'static Arc<Datatype>> {
        static BY_CODE: OnceLock<[Option<Arc<Datatype>>; CODES]> = OnceLock::new();
        BY_CODE.get_or_init(all).get(code.wrapping_sub(FIRST) as usize)?.as_ref()
    }
}

/// Bytes of an element of each predefined datatype whose elements lie side by side without holes; else 0.
static SIZES: [u8; CODES] = sizes();

const fn sizes() -> [u8; CODES] {
    let (mut sizes, mut at) = ([0; CODES], 0);
    while at < ROWS.len() {
        let row = &ROWS[at];
        if row.size == row.extent {
            sizes[(row.code - FIRST) as usize] = row.size as u8;
        }
        at += 1;
    }
    sizes
}

impl Datatype {
    /// Bytes of an element of a predefined datatype whose elements lie side by side without holes.
    #[inline]
    pub fn predefined_size(code: u32) -> Option<usize> {
        let size = *SIZES.get(code.wrapping_sub(FIRST) as usize)?;
        if size == 0 { None } else { Some(usize::from(size)) }
    }
}

#[cold]
fn all() -> [Option<Arc<Datatype>>; CODES] {
    let mut by_code = [const { None }; CODES];
    for basic in Basic::all() {
        by_code[(basic.code - FIRST) as usize] = Some(Arc::new(Datatype {
            typemap: Typemap::basic(basic),
            basic: Some(basic),
            recipe: Recipe::Named,
            bases: Vec::new(),
            large: false,
            committed: AtomicBool::new(true),
        }));
    }
    by_code
}
