//! The recipe of a datatype, for MPI_Type_get_envelope and MPI_Type_get_contents.
//!
//! A recipe keeps the arguments of the constructor in 64 bits. [`Datatype::contents`] sorts them into the
//! arrays of the standard (section 5.1.13). A datatype that a `_c` constructor made reports through the array
//! of counts, all others report through integers and addresses.

use std::sync::Arc;

use super::Datatype;
use crate::constants as c;

/// A constructor and its arguments.
#[derive(Debug)]
pub(super) enum Recipe {
    Named,
    Dup,
    Contiguous { count: i64 },
    Vector { count: i64, blocklength: i64, stride: i64 },
    Hvector { count: i64, blocklength: i64, stride: i64 },
    Indexed { blocklengths: Box<[i64]>, displacements: Box<[i64]> },
    Hindexed { blocklengths: Box<[i64]>, displacements: Box<[i64]> },
    IndexedBlock { blocklength: i64, displacements: Box<[i64]> },
    HindexedBlock { blocklength: i64, displacements: Box<[i64]> },
    Struct { blocklengths: Box<[i64]>, displacements: Box<[i64]> },
    Subarray { sizes: Box<[i64]>, subsizes: Box<[i64]>, starts: Box<[i64]>, order: i32 },
    Darray { size: i64, rank: i64, gsizes: Box<[i64]>, distribution: Box<[i64]>, order: i32 },
    F90Real { precision: i64, range: i64 },
    F90Complex { precision: i64, range: i64 },
    F90Integer { range: i64 },
    Resized { lb: i64, extent: i64 },
}

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

impl Recipe {
    /// Whether it is that of MPI_Type_create_f90_real, _complex or _integer.
    pub fn is_sized_fortran(&self) -> bool {
        matches!(self, Recipe::F90Real { .. } | Recipe::F90Complex { .. } | Recipe::F90Integer { .. })
    }

    fn combiner(&self) -> i32 {
        match self {
            Recipe::Named => c::COMBINER_NAMED,
            Recipe::Dup => c::COMBINER_DUP,
            Recipe::Contiguous { .. } => c::COMBINER_CONTIGUOUS,
            Recipe::Vector { .. } => c::COMBINER_VECTOR,
            Recipe::Hvector { .. } => c::COMBINER_HVECTOR,
            Recipe::Indexed { .. } => c::COMBINER_INDEXED,
            Recipe::Hindexed { .. } => c::COMBINER_HINDEXED,
            Recipe::IndexedBlock { .. } => c::COMBINER_INDEXED_BLOCK,
            Recipe::HindexedBlock { .. } => c::COMBINER_HINDEXED_BLOCK,
            Recipe::Struct { .. } => c::COMBINER_STRUCT,
            Recipe::Subarray { .. } => c::COMBINER_SUBARRAY,
            Recipe::Darray { .. } => c::COMBINER_DARRAY,
            Recipe::F90Real { .. } => c::COMBINER_F90_REAL,
            Recipe::F90Complex { .. } => c::COMBINER_F90_COMPLEX,
            Recipe::F90Integer { .. } => c::COMBINER_F90_INTEGER,
            Recipe::Resized { .. } => c::COMBINER_RESIZED,
        }
    }

    /// The arguments in three parts: those that are int in every form, those that are int or count, and those
    /// that are MPI_Aint or count. An order comes after the sizes, as the last of the integers.
    fn arguments(&self) -> Arguments<'_> {
        let mut all = Arguments::default();
        match self {
            Recipe::Named | Recipe::Dup => {}
            Recipe::Contiguous { count } => all.sizes.push(*count),
            Recipe::Vector { count, blocklength, stride } => all.sizes.extend([count, blocklength, stride]),
            Recipe::Hvector { count, blocklength, stride } => {
                all.sizes.extend([count, blocklength]);
                all.displacements = std::slice::from_ref(stride);
            }
            Recipe::Indexed { blocklengths, displacements } => {
                all.sizes.push(blocklengths.len() as i64);
                all.sizes.extend(blocklengths);
                all.sizes.extend(displacements);
            }
            Recipe::Hindexed { blocklengths, displacements }
            | Recipe::Struct { blocklengths, displacements } => {
                all.sizes.push(blocklengths.len() as i64);
                all.sizes.extend(blocklengths);
                all.displacements = displacements;
            }
            Recipe::IndexedBlock { blocklength, displacements } => {
                all.sizes.extend([displacements.len() as i64, *blocklength]);
                all.sizes.extend(displacements);
            }
            Recipe::HindexedBlock { blocklength, displacements } => {
                all.sizes.extend([displacements.len() as i64, *blocklength]);
                all.displacements = displacements;
            }
            Recipe::Subarray { sizes, subsizes, starts, order } => {
                all.first.push(sizes.len() as i64);
                all.sizes.extend(sizes.iter().chain(subsizes).chain(starts));
                all.last.push((*order).into());
            }
            Recipe::Darray { size, rank, gsizes, distribution, order } => {
                all.first.extend([*size, *rank, gsizes.len() as i64]);
                all.sizes.extend(gsizes);
                all.last.extend(distribution);
                all.last.push((*order).into());
            }
            Recipe::F90Real { precision, range } | Recipe::F90Complex { precision, range } => {
                all.first.extend([precision, range]);
            }
            Recipe::F90Integer { range } => all.first.push(*range),
            Recipe::Resized { lb, extent } => all.marks = Some([*lb, *extent]),
        }
        all
    }
}

/// Arguments of a constructor, grouped by their types.
#[derive(Default)]
struct Arguments<'a> {
    /// Arguments of type int in every form, before the sizes.
    first: Vec<i64>,
    /// Arguments of type int or MPI_Count.
    sizes: Vec<i64>,
    /// Arguments of type int in every form, after the sizes.
    last: Vec<i64>,
    /// Arguments of type MPI_Aint or MPI_Count.
    displacements: &'a [i64],
    /// Lower bound and extent, of type MPI_Aint or MPI_Count.
    marks: Option<[i64; 2]>,
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
