//! The predefined datatypes as objects, found by their code.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use super::Datatype;
use super::basic::Basic;
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
