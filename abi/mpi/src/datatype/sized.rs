//! Finds predefined datatypes by what they can hold: Fortran kinds by precision and range, any type by its
//! class and size, and pairs by their two members.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::Datatype;
use super::recipe::Recipe;
use crate::constants as c;
use crate::error::{Class, Error, Result};

/// Codes of gfortran's kinds of REAL and COMPLEX, with their decimal precision and decimal exponent range.
const REALS: &[(u32, u32, i32, i32)] = &[
    (c::REAL4, c::COMPLEX8, 6, 37),
    (c::REAL8, c::COMPLEX16, 15, 307),
    #[cfg(target_arch = "x86_64")]
    (c::LONG_DOUBLE, c::C_LONG_DOUBLE_COMPLEX, 18, 4931),
    (c::REAL16, c::COMPLEX32, 33, 4931),
];
/// Code and decimal exponent range of the kinds of INTEGER.
const INTEGERS: [(u32, i32); 5] =
    [(c::INTEGER1, 2), (c::INTEGER2, 4), (c::INTEGER4, 9), (c::INTEGER8, 18), (c::INTEGER16, 38)];

/// Returns the datatype for these arguments. The same arguments always give the same datatype, as MPI
/// requires.
fn interned(combiner: i32, precision: i32, range: i32, code: u32, recipe: Recipe) -> Arc<Datatype> {
    type Made = Mutex<HashMap<(i32, i32, i32), Arc<Datatype>>>;
    static MADE: OnceLock<Made> = OnceLock::new();
    let mut made = MADE.get_or_init(Made::default).lock();
    let new = || {
        let base = known(code);
        let datatype = Datatype::derived(base.typemap.clone(), recipe, &[]);
        datatype.commit();
        datatype
    };
    made.entry((combiner, precision, range)).or_insert_with(new).clone()
}

/// The predefined datatype of a code in this file.
fn known(code: u32) -> &'static Arc<Datatype> {
    Datatype::predefined(code).expect("a code of the standard")
}

/// Whether a kind that offers `offered` satisfies `asked`.
fn meets(asked: i32, offered: i32) -> bool {
    asked == c::UNDEFINED || asked <= offered
}

/// The first kind of REAL or COMPLEX that satisfies precision and range.
fn real(precision: i32, range: i32) -> Result<&'static (u32, u32, i32, i32)> {
    let found = REALS.iter().find(|kind| meets(precision, kind.2) && meets(range, kind.3));
    found.ok_or_else(|| {
        Error::new(
            Class::ARG,
            format!(
                "no kind of REAL has {precision} decimal digits and a range of {range}: at most 33 and 4931"
            ),
        )
    })
}

impl Datatype {
    /// The REAL of this decimal precision and exponent range, either may be MPI_UNDEFINED
    /// (MPI_Type_create_f90_real).
    pub fn f90_real(precision: i32, range: i32) -> Result<Arc<Datatype>> {
        let code = real(precision, range)?.0;
        let recipe = Recipe::F90Real { precision: precision.into(), range: range.into() };
        Ok(interned(c::COMBINER_F90_REAL, precision, range, code, recipe))
    }

    /// The COMPLEX of this decimal precision and exponent range, either may be MPI_UNDEFINED
    /// (MPI_Type_create_f90_complex).
    pub fn f90_complex(precision: i32, range: i32) -> Result<Arc<Datatype>> {
        let code = real(precision, range)?.1;
        let recipe = Recipe::F90Complex { precision: precision.into(), range: range.into() };
        Ok(interned(c::COMBINER_F90_COMPLEX, precision, range, code, recipe))
    }

    /// The INTEGER of this decimal exponent range (MPI_Type_create_f90_integer).
    pub fn f90_integer(range: i32) -> Result<Arc<Datatype>> {
        let Some((code, _)) = INTEGERS.iter().find(|kind| meets(range, kind.1)) else {
            return Err(Error::new(
                Class::ARG,
                format!("no kind of INTEGER has a range of {range}: at most 38"),
            ));
        };
        let recipe = Recipe::F90Integer { range: range.into() };
        Ok(interned(c::COMBINER_F90_INTEGER, 0, range, *code, recipe))
    }

    /// The predefined Fortran datatype of a class, an `MPI_TYPECLASS_` constant, and a size in bytes
    /// (MPI_Type_match_size).
    pub fn match_size(typeclass: i32, size: i32) -> Result<&'static Arc<Datatype>> {
        let code = match (typeclass, size) {
            (c::TYPECLASS_INTEGER, 1) => c::INTEGER1,
            (c::TYPECLASS_INTEGER, 2) => c::INTEGER2,
            (c::TYPECLASS_INTEGER, 4) => c::INTEGER4,
            (c::TYPECLASS_INTEGER, 8) => c::INTEGER8,
            (c::TYPECLASS_INTEGER, 16) => c::INTEGER16,
            (c::TYPECLASS_REAL, 2) => c::REAL2,
            (c::TYPECLASS_REAL, 4) => c::REAL4,
            (c::TYPECLASS_REAL, 8) => c::REAL8,
            (c::TYPECLASS_REAL, 16) => c::REAL16,
            (c::TYPECLASS_COMPLEX, 4) => c::COMPLEX4,
            (c::TYPECLASS_COMPLEX, 8) => c::COMPLEX8,
            (c::TYPECLASS_COMPLEX, 16) => c::COMPLEX16,
            (c::TYPECLASS_COMPLEX, 32) => c::COMPLEX32,
            (c::TYPECLASS_INTEGER | c::TYPECLASS_REAL | c::TYPECLASS_COMPLEX, _) => {
                return Err(Error::new(Class::ARG, format!("no datatype of this class has {size} bytes")));
            }
            _ => return Err(Error::new(Class::ARG, format!("{typeclass} is not a class of datatypes"))),
        };
        Ok(known(code))
    }

    /// The pair of a value and an index of these datatypes, if there is one (MPI_Type_get_value_index).
    pub fn value_index(value: &Datatype, index: &Datatype) -> Option<&'static Arc<Datatype>> {
        let code = match (value.code()?, index.code()?) {
            (c::FLOAT, c::INT) => c::FLOAT_INT,
            (c::DOUBLE, c::INT) => c::DOUBLE_INT,
            (c::LONG, c::INT) => c::LONG_INT,
            (c::INT, c::INT) => c::TWO_INT,
            (c::SHORT, c::INT) => c::SHORT_INT,
            (c::LONG_DOUBLE, c::INT) => c::LONG_DOUBLE_INT,
            (c::REAL, c::REAL) => c::TWO_REAL,
            (c::DOUBLE_PRECISION, c::DOUBLE_PRECISION) => c::TWO_DOUBLE_PRECISION,
            (c::INTEGER, c::INTEGER) => c::TWO_INTEGER,
            _ => return None,
        };
        Some(known(code))
    }
}
