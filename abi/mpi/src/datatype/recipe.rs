//! The recipe of a datatype, for MPI_Type_get_envelope and MPI_Type_get_contents.
//!
//! A recipe keeps the arguments of the constructor in 64 bits. [`Datatype::contents`] sorts them into the
//! arrays of the standard (section 5.1.13). A datatype that a `_c` constructor made reports through the array
//! of counts, all others report through integers and addresses.

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

impl Recipe {
    /// Whether it is that of MPI_Type_create_f90_real, _complex or _integer.
    pub fn is_sized_fortran(&self) -> bool {
        matches!(self, Recipe::F90Real { .. } | Recipe::F90Complex { .. } | Recipe::F90Integer { .. })
    }

    pub fn combiner(&self) -> i32 {
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
    pub fn arguments(&self) -> Arguments<'_> {
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
pub(super) struct Arguments<'a> {
    /// Arguments of type int in every form, before the sizes.
    pub first: Vec<i64>,
    /// Arguments of type int or MPI_Count.
    pub sizes: Vec<i64>,
    /// Arguments of type int in every form, after the sizes.
    pub last: Vec<i64>,
    /// Arguments of type MPI_Aint or MPI_Count.
    pub displacements: &'a [i64],
    /// Lower bound and extent, of type MPI_Aint or MPI_Count.
    pub marks: Option<[i64; 2]>,
}
