//! MPI's functions that make and free datatypes.
//!
//! A function with int arguments and its `_c` twin are one function here. [`Form`] says which was called,
//! because the contents of a datatype depend on it.

use std::sync::Arc;

use super::{TYPES, get};
use crate::arguments::{DatatypeHandle, Form, InputOutput, Inputs, Output};
use crate::datatype::{Datatype, Distribution};
use crate::error::{Class, Error, Result};
use crate::table::FIRST;

fn length(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::new(Class::COUNT, format!("the count is {count}")))
}

fn dimensions(ndims: i32) -> Result<usize> {
    usize::try_from(ndims).map_err(|_| Error::new(Class::ARG, format!("an array of {ndims} dimensions")))
}

/// Gives a new datatype its handle.
fn tell<F: Form>(new: Arc<Datatype>, newtype: &Output<DatatypeHandle>) -> Result<()> {
    newtype.set(super::handle(if F::IS_LARGE { new.made_with_counts() } else { new }));
    Ok(())
}

/// `MPI_Type_contiguous`.
pub unsafe fn contiguous<F: Form>(
    count: i64,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    tell::<F>(Datatype::contiguous(count, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_vector`.
pub unsafe fn vector<F: Form>(
    count: i64,
    blocklength: i64,
    stride: i64,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    tell::<F>(Datatype::vector(count, blocklength, stride, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_create_hvector`.
pub unsafe fn hvector<F: Form>(
    count: i64,
    blocklength: i64,
    stride: i64,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    tell::<F>(Datatype::hvector(count, blocklength, stride, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_indexed`.
pub unsafe fn indexed<F: Form>(
    count: i64,
    blocklengths: Inputs<i64>,
    displacements: Inputs<i64>,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let n = length(count)?;
    let new = Datatype::indexed(&blocklengths.read(n)?, &displacements.read(n)?, &*get(oldtype)?)?;
    tell::<F>(new, &newtype)
}

/// `MPI_Type_create_hindexed`.
pub unsafe fn hindexed<F: Form>(
    count: i64,
    blocklengths: Inputs<i64>,
    displacements: Inputs<i64>,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let n = length(count)?;
    let new = Datatype::hindexed(&blocklengths.read(n)?, &displacements.read(n)?, &*get(oldtype)?)?;
    tell::<F>(new, &newtype)
}

/// `MPI_Type_create_indexed_block`.
pub unsafe fn indexed_block<F: Form>(
    count: i64,
    blocklength: i64,
    displacements: Inputs<i64>,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let displacements = displacements.read(length(count)?)?;
    tell::<F>(Datatype::indexed_block(blocklength, &displacements, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_create_hindexed_block`.
pub unsafe fn hindexed_block<F: Form>(
    count: i64,
    blocklength: i64,
    displacements: Inputs<i64>,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let displacements = displacements.read(length(count)?)?;
    tell::<F>(Datatype::hindexed_block(blocklength, &displacements, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_create_struct`.
pub unsafe fn structure<F: Form>(
    count: i64,
    blocklengths: Inputs<i64>,
    displacements: Inputs<i64>,
    types: Inputs<DatatypeHandle>,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let n = length(count)?;
    let types = types.read(n)?.into_iter().map(|handle| Ok(Arc::clone(&*get(handle)?)));
    let types: Vec<Arc<Datatype>> = types.collect::<Result<_>>()?;
    let new = Datatype::structure(&blocklengths.read(n)?, &displacements.read(n)?, &types)?;
    tell::<F>(new, &newtype)
}

/// `MPI_Type_create_resized`.
pub unsafe fn resized<F: Form>(
    oldtype: DatatypeHandle,
    lb: i64,
    extent: i64,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    tell::<F>(Datatype::resized(&*get(oldtype)?, lb, extent)?, &newtype)
}

/// `MPI_Type_create_subarray`.
pub unsafe fn subarray<F: Form>(
    ndims: i32,
    sizes: Inputs<i64>,
    subsizes: Inputs<i64>,
    starts: Inputs<i64>,
    order: i32,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let n = dimensions(ndims)?;
    let (sizes, subsizes, starts) = (sizes.read(n)?, subsizes.read(n)?, starts.read(n)?);
    tell::<F>(Datatype::subarray(&sizes, &subsizes, &starts, order, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_create_darray`.
pub unsafe fn darray<F: Form>(
    size: i64,
    rank: i32,
    ndims: i32,
    gsizes: Inputs<i64>,
    distribs: Inputs<i32>,
    dargs: Inputs<i32>,
    psizes: Inputs<i32>,
    order: i32,
    oldtype: DatatypeHandle,
    newtype: Output<DatatypeHandle>,
) -> Result<()> {
    let n = dimensions(ndims)?;
    let (gsizes, distribs) = (gsizes.read(n)?, distribs.read(n)?);
    let (dargs, psizes) = (dargs.read(n)?, psizes.read(n)?);
    let array = Distribution {
        size,
        rank: i64::from(rank),
        gsizes: &gsizes,
        distribs: &distribs,
        dargs: &dargs,
        psizes: &psizes,
        order,
    };
    tell::<F>(Datatype::darray(array, &*get(oldtype)?)?, &newtype)
}

/// `MPI_Type_create_f90_real`.
pub unsafe fn f90_real(precision: i32, range: i32, newtype: Output<DatatypeHandle>) -> Result<()> {
    newtype.set(super::handle(Datatype::f90_real(precision, range)?));
    Ok(())
}

/// `MPI_Type_create_f90_complex`.
pub unsafe fn f90_complex(precision: i32, range: i32, newtype: Output<DatatypeHandle>) -> Result<()> {
    newtype.set(super::handle(Datatype::f90_complex(precision, range)?));
    Ok(())
}

/// `MPI_Type_create_f90_integer`.
pub unsafe fn f90_integer(range: i32, newtype: Output<DatatypeHandle>) -> Result<()> {
    newtype.set(super::handle(Datatype::f90_integer(range)?));
    Ok(())
}

/// `MPI_Type_match_size`.
pub unsafe fn match_size(typeclass: i32, size: i64, datatype: Output<DatatypeHandle>) -> Result<()> {
    let size = i32::try_from(size).unwrap_or(i32::MAX);
    datatype.set(super::handle(Arc::clone(Datatype::match_size(typeclass, size)?)));
    Ok(())
}

/// `MPI_Type_get_value_index`. The result is `MPI_DATATYPE_NULL` if there is no such pair.
pub unsafe fn value_index(
    value: DatatypeHandle,
    index: DatatypeHandle,
    pair: Output<DatatypeHandle>,
) -> Result<()> {
    let found = Datatype::value_index(&**get(value)?, &**get(index)?);
    pair.set(found.map_or(DatatypeHandle::NULL, |pair| super::handle(Arc::clone(pair))));
    Ok(())
}

/// `MPI_Type_commit`.
pub unsafe fn commit(datatype: InputOutput<DatatypeHandle>) -> Result<()> {
    get(datatype.get())?.commit();
    Ok(())
}

/// `MPI_Type_free`. Operations under way go on.
pub unsafe fn free(datatype: InputOutput<DatatypeHandle>) -> Result<()> {
    let handle = datatype.get();
    if get(handle)?.is_predefined() || handle.0 < FIRST {
        return Err(Error::new(Class::TYPE, "a predefined datatype cannot be freed"));
    }
    super::with_attributes(handle, |attributes| attributes.delete_all(handle.0))?;
    TYPES.remove(handle.0)?;
    datatype.set(DatatypeHandle::NULL);
    Ok(())
}

/// `MPI_Type_dup`.
pub unsafe fn dup(oldtype: DatatypeHandle, newtype: Output<DatatypeHandle>) -> Result<()> {
    let attributes = super::with_attributes(oldtype, |attributes| attributes.copy(oldtype.0))?;
    newtype.set(super::handle_with(Datatype::dup(&*get(oldtype)?), attributes));
    Ok(())
}
