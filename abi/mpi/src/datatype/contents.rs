//! Envelope and contents of a datatype, for MPI_Type_get_envelope and MPI_Type_get_contents.

use std::sync::Arc;

use super::Datatype;
use super::recipe::{Arguments, Recipe};

/// The constructor of a datatype, and the lengths of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Number of integers.
    pub integers: i64,
    /// Number of addresses.
    pub addresses: i64,
    /// Number of large counts.
    pub counts: i64,
    /// Number of datatypes.
    pub datatypes: i64,
    /// An `MPI_COMBINER_` constant.
    pub combiner: i32,
}

/// Arguments of the constructor of a datatype.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Arguments of type int.
    pub integers: Vec<i64>,
    /// Arguments of type MPI_Aint.
    pub addresses: Vec<i64>,
    /// Arguments of type MPI_Count.
    pub counts: Vec<i64>,
    /// Datatypes.
    pub datatypes: Vec<Arc<Datatype>>,
}

impl Datatype {
    /// Whether a constructor with MPI_Count arguments made it. Its contents are then in `counts`, and
    /// MPI_Type_get_envelope and MPI_Type_get_contents without `_c` must refuse it with MPI_ERR_TYPE.
    pub fn is_large(&self) -> bool {
        self.large
    }

    /// The combiner, as an `MPI_COMBINER_` constant.
    pub fn combiner(&self) -> i32 {
        self.recipe.combiner()
    }

    /// Combiner and the lengths of the contents.
    pub fn envelope(&self) -> Envelope {
        let contents = self.contents();
        Envelope {
            integers: contents.integers.len() as i64,
            addresses: contents.addresses.len() as i64,
            counts: contents.counts.len() as i64,
            datatypes: contents.datatypes.len() as i64,
            combiner: self.combiner(),
        }
    }

    /// The arguments of the constructor. A predefined datatype with a name has none.
    pub fn contents(&self) -> Contents {
        let Arguments { first, sizes, last, displacements, marks } = self.recipe.arguments();
        let mut contents = Contents { integers: first, datatypes: self.bases.clone(), ..Contents::default() };
        if self.large {
            contents.counts = sizes;
            contents.counts.extend(displacements);
            contents.counts.extend(marks.into_iter().flatten());
        } else {
            contents.integers.extend(sizes);
            contents.addresses.extend(displacements);
            contents.addresses.extend(marks.into_iter().flatten());
        }
        contents.integers.extend(last);
        contents
    }

    /// Marks a new datatype as made by a `_c` constructor. Must be called on the result of the constructor.
    /// It has no effect on datatypes whose constructor has no such form, nor once the datatype is shared.
    pub fn made_with_counts(mut self: Arc<Self>) -> Arc<Self> {
        let has_form = !matches!(self.recipe, Recipe::Named | Recipe::Dup) && !self.recipe.is_sized_fortran();
        if has_form && let Some(datatype) = Arc::get_mut(&mut self) {
            datatype.large = true;
        }
        self
    }
}
