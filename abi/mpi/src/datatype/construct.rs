//! The constructors that take counts, block lengths and displacements.
//!
//! All arguments are 64 bits wide. A negative count is MPI_ERR_COUNT, a negative block length MPI_ERR_ARG,
//! and a size or bound beyond 64 bits MPI_ERR_VALUE_TOO_LARGE.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Datatype;
use super::bounds::product;
use super::recipe::Recipe;
use super::typemap::Typemap;
use crate::error::{Class, Error, Result};

/// Refuses a negative count.
pub(super) fn check_count(count: i64) -> Result<()> {
    if count < 0 {
        return Err(Error::new(Class::COUNT, format!("the count is {count}: it must not be negative")));
    }
    Ok(())
}

/// Refuses a negative blocklength.
fn check_blocklength(blocklength: i64) -> Result<()> {
    if blocklength < 0 {
        return Err(Error::new(
            Class::ARG,
            format!("a blocklength is {blocklength}: it must not be negative"),
        ));
    }
    Ok(())
}

/// Refuses arrays of different lengths and negative blocklengths.
fn check_blocks(blocklengths: &[i64], displacements: &[i64]) -> Result<()> {
    if blocklengths.len() != displacements.len() {
        return Err(Error::new(Class::ARG, "the arrays of blocklengths and displacements differ in length"));
    }
    blocklengths.iter().try_for_each(|blocklength| check_blocklength(*blocklength))
}

/// Converts displacements in elements to displacements in bytes.
fn in_bytes(displacements: &[i64], extent: i64) -> Result<Vec<i64>> {
    displacements.iter().map(|displacement| product(*displacement, extent, "displacement")).collect()
}

impl Datatype {
    /// A new datatype of this typemap.
    pub(super) fn derived(typemap: Typemap, recipe: Recipe, bases: &[Arc<Datatype>]) -> Arc<Datatype> {
        let bases = bases.to_vec();
        Arc::new(Datatype {
            typemap,
            basic: None,
            recipe,
            bases,
            large: false,
            committed: AtomicBool::new(false),
        })
    }

    /// A copy of the datatype (MPI_Type_dup), committed if the old one is.
    pub fn dup(oldtype: &Arc<Datatype>) -> Arc<Datatype> {
        let new = Datatype::derived(oldtype.typemap.clone(), Recipe::Dup, std::slice::from_ref(oldtype));
        if oldtype.is_committed() {
            new.commit();
        }
        new
    }

    /// `count` elements one after the other (MPI_Type_contiguous).
    pub fn contiguous(count: i64, oldtype: &Arc<Datatype>) -> Result<Arc<Datatype>> {
        check_count(count)?;
        let typemap = oldtype.typemap.contiguous(count)?;
        Ok(Datatype::derived(typemap, Recipe::Contiguous { count }, std::slice::from_ref(oldtype)))
    }

    /// `count` blocks of `blocklength` elements, `stride` elements apart (MPI_Type_vector).
    pub fn vector(
        count: i64,
        blocklength: i64,
        stride: i64,
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        check_count(count)?;
        check_blocklength(blocklength)?;
        // The stride of a single block has no effect and may have any value.
        let bytes = if count > 1 { product(stride, oldtype.extent(), "stride")? } else { 0 };
        let typemap = oldtype.typemap.vector(count, blocklength, bytes)?;
        Ok(Datatype::derived(
            typemap,
            Recipe::Vector { count, blocklength, stride },
            std::slice::from_ref(oldtype),
        ))
    }

    /// `count` blocks of `blocklength` elements, `stride` bytes apart (MPI_Type_create_hvector).
    pub fn hvector(
        count: i64,
        blocklength: i64,
        stride: i64,
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        check_count(count)?;
        check_blocklength(blocklength)?;
        let typemap = oldtype.typemap.vector(count, blocklength, stride)?;
        Ok(Datatype::derived(
            typemap,
            Recipe::Hvector { count, blocklength, stride },
            std::slice::from_ref(oldtype),
        ))
    }

    /// Blocks of these lengths at these displacements, in elements (MPI_Type_indexed).
    pub fn indexed(
        blocklengths: &[i64],
        displacements: &[i64],
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        check_blocks(blocklengths, displacements)?;
        let bytes = in_bytes(displacements, oldtype.extent())?;
        let mut blocks = blocklengths.iter().copied().zip(bytes);
        let typemap = oldtype.typemap.blocks(&mut blocks, false)?;
        let recipe =
            Recipe::Indexed { blocklengths: blocklengths.into(), displacements: displacements.into() };
        Ok(Datatype::derived(typemap, recipe, std::slice::from_ref(oldtype)))
    }

    /// Blocks of these lengths, in elements, at these displacements, in bytes (MPI_Type_create_hindexed).
    pub fn hindexed(
        blocklengths: &[i64],
        displacements: &[i64],
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        check_blocks(blocklengths, displacements)?;
        let mut blocks = blocklengths.iter().copied().zip(displacements.iter().copied());
        let typemap = oldtype.typemap.blocks(&mut blocks, false)?;
        let recipe =
            Recipe::Hindexed { blocklengths: blocklengths.into(), displacements: displacements.into() };
        Ok(Datatype::derived(typemap, recipe, std::slice::from_ref(oldtype)))
    }

    /// Blocks of one length at these displacements, in elements (MPI_Type_create_indexed_block).
    pub fn indexed_block(
        blocklength: i64,
        displacements: &[i64],
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        check_blocklength(blocklength)?;
        let bytes = in_bytes(displacements, oldtype.extent())?;
        let typemap = oldtype.typemap.blocks(&mut bytes.into_iter().map(|at| (blocklength, at)), true)?;
        let recipe = Recipe::IndexedBlock { blocklength, displacements: displacements.into() };
        Ok(Datatype::derived(typemap, recipe, std::slice::from_ref(oldtype)))
    }

    /// Blocks of one length, in elements, at these displacements, in bytes (MPI_Type_create_hindexed_block).
    pub fn hindexed_block(
        blocklength: i64,
        displacements: &[i64],
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        check_blocklength(blocklength)?;
        let typemap = oldtype.typemap.blocks(&mut displacements.iter().map(|at| (blocklength, *at)), true)?;
        let recipe = Recipe::HindexedBlock { blocklength, displacements: displacements.into() };
        Ok(Datatype::derived(typemap, recipe, std::slice::from_ref(oldtype)))
    }

    /// Blocks of several datatypes at these displacements, in bytes (MPI_Type_create_struct).
    pub fn structure(
        blocklengths: &[i64],
        displacements: &[i64],
        types: &[Arc<Datatype>],
    ) -> Result<Arc<Datatype>> {
        check_blocks(blocklengths, displacements)?;
        if types.len() != blocklengths.len() {
            return Err(Error::new(Class::ARG, "the arrays of blocklengths and datatypes differ in length"));
        }
        let members = blocklengths.iter().zip(displacements).zip(types);
        let members = members.map(|((blocklength, at), oldtype)| (*blocklength, *at, &oldtype.typemap));
        let typemap = Typemap::structure(members)?;
        let recipe =
            Recipe::Struct { blocklengths: blocklengths.into(), displacements: displacements.into() };
        Ok(Datatype::derived(typemap, recipe, types))
    }

    /// Data of this typemap between other bounds (MPI_Type_create_resized).
    pub fn resized(oldtype: &Arc<Datatype>, lb: i64, extent: i64) -> Result<Arc<Datatype>> {
        let typemap = oldtype.typemap.resized(lb, extent)?;
        Ok(Datatype::derived(typemap, Recipe::Resized { lb, extent }, std::slice::from_ref(oldtype)))
    }
}
