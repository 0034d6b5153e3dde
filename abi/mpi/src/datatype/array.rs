//! Parts of multidimensional arrays: MPI_Type_create_subarray and MPI_Type_create_darray.
//!
//! Both build the array dimension by dimension, beginning with the dimension that is contiguous in memory.
//! Every step is a vector, or a pair of blocks of the previous step, resized to the whole dimension. So the
//! layout consists of nested loops.

use std::sync::Arc;

use super::Datatype;
use super::bounds::product;
use super::recipe::Recipe;
use super::typemap::Typemap;
use crate::constants as c;
use crate::error::{Class, Error, Result};

/// An array distributed over processes: the arguments of MPI_Type_create_darray that describe it.
#[derive(Clone, Copy, Debug)]
pub struct Distribution<'a> {
    /// Number of processes.
    pub size: i64,
    /// The process for which the datatype is made.
    pub rank: i64,
    /// Elements of the whole array in each dimension.
    pub gsizes: &'a [i64],
    /// An `MPI_DISTRIBUTE_` constant for each dimension.
    pub distribs: &'a [i32],
    /// Elements of a block in each dimension, or `MPI_DISTRIBUTE_DFLT_DARG`.
    pub dargs: &'a [i32],
    /// Processes in each dimension.
    pub psizes: &'a [i32],
    /// `MPI_ORDER_C` or `MPI_ORDER_FORTRAN`.
    pub order: i32,
}

#[cold]
fn refused<T>(text: String) -> Result<T> {
    Err(Error::new(Class::ARG, text))
}

/// The dimensions from the contiguous one outwards.
fn inside_out(dims: usize, order: i32) -> Result<Box<dyn Iterator<Item = usize>>> {
    match order {
        c::ORDER_C => Ok(Box::new((0..dims).rev())),
        c::ORDER_FORTRAN => Ok(Box::new(0..dims)),
        _ => refused(format!("the order is {order}: it must be MPI_ORDER_C or MPI_ORDER_FORTRAN")),
    }
}

/// Refuses an array without dimensions and arrays of different lengths.
fn check_dims(dims: usize, others: &[usize]) -> Result<()> {
    if dims == 0 {
        return refused("the array has no dimensions: it must have at least one".into());
    }
    if others.iter().any(|other| *other != dims) {
        return refused(
            "the arrays of arguments differ in length: each has an entry for every dimension".into(),
        );
    }
    Ok(())
}

/// The elements of one dimension that a process has, when blocks of `darg` elements are dealt to `processes`
/// in turn.
fn cyclic(gsize: i64, darg: i64, coordinate: i64, processes: i64, inner: &Typemap) -> Result<Typemap> {
    let extent = inner.extent();
    let whole = product(gsize, extent, "extent")?;
    // The number of whole blocks of the array, and the length of the last block if it is shorter.
    let (blocks, rest) = (gsize / darg, gsize % darg);
    let mine = if blocks > coordinate { (blocks - coordinate - 1) / processes + 1 } else { 0 };
    let rest = if blocks % processes == coordinate { rest } else { 0 };
    let at = |block: i64| product(product(block, darg, "displacement")?, extent, "displacement");
    let stride = if mine > 1 { at(processes)? } else { 0 };
    let regular = inner.vector(mine, darg, stride)?;
    let start = if mine > 0 { at(coordinate)? } else { 0 };
    let tail = if rest > 0 { at(blocks)? } else { 0 };
    let parts = [(i64::from(mine > 0), start, &regular), (rest, tail, inner)];
    Typemap { align: 1, ..Typemap::structure(parts.into_iter())? }.resized(0, whole)
}

/// Checks that the processes of all dimensions are as many as there are.
fn check_processes(size: i64, gsizes: &[i64], psizes: &[i32]) -> Result<()> {
    let mut left = size;
    for (dim, (elements, processes)) in gsizes.iter().zip(psizes).enumerate() {
        let processes = i64::from(*processes);
        if *elements < 1 || processes < 1 || left % processes != 0 {
            return refused(format!(
                "dimension {dim} has {elements} elements for {processes} processes: the numbers of processes must \
                 multiply to {size}"
            ));
        }
        left /= processes;
    }
    if left == 1 {
        Ok(())
    } else {
        refused(format!("the processes of all dimensions do not multiply to {size}"))
    }
}

impl Datatype {
    /// A block of a multidimensional array (MPI_Type_create_subarray).
    pub fn subarray(
        sizes: &[i64],
        subsizes: &[i64],
        starts: &[i64],
        order: i32,
        oldtype: &Arc<Datatype>,
    ) -> Result<Arc<Datatype>> {
        let dims = sizes.len();
        check_dims(dims, &[subsizes.len(), starts.len()])?;
        for dim in 0..dims {
            let (size, subsize, start) = (sizes[dim], subsizes[dim], starts[dim]);
            if size < 1 || subsize < 0 || start < 0 || subsize > size || start > size - subsize {
                return refused(format!(
                    "dimension {dim} has {size} elements, of which {subsize} from {start} on were asked for"
                ));
            }
        }
        let mut typemap = oldtype.typemap.clone();
        for dim in inside_out(dims, order)? {
            let extent = typemap.extent();
            let start = product(starts[dim], extent, "displacement")?;
            let whole = product(sizes[dim], extent, "extent")?;
            let block = typemap.blocks(&mut [(subsizes[dim], start)].into_iter(), false)?;
            typemap = block.resized(0, whole)?;
        }
        if typemap.size == 0 {
            typemap.bounds = typemap.bounds.without_data();
        }
        let recipe =
            Recipe::Subarray { sizes: sizes.into(), subsizes: subsizes.into(), starts: starts.into(), order };
        Ok(Datatype::derived(typemap, recipe, std::slice::from_ref(oldtype)))
    }

    /// The part of a process of a distributed multidimensional array (MPI_Type_create_darray).
    pub fn darray(array: Distribution<'_>, oldtype: &Arc<Datatype>) -> Result<Arc<Datatype>> {
        let Distribution { size, rank, gsizes, distribs, dargs, psizes, order } = array;
        let dims = gsizes.len();
        check_dims(dims, &[distribs.len(), dargs.len(), psizes.len()])?;
        if size < 1 || rank < 0 || rank >= size {
            return refused(format!("rank {rank} is not one of {size} processes"));
        }
        check_processes(size, gsizes, psizes)?;
        // Processes are numbered in row-major order, whatever the order of the array.
        let mut coordinates = vec![0; dims];
        let mut rest = rank;
        for dim in (0..dims).rev() {
            coordinates[dim] = rest % i64::from(psizes[dim]);
            rest /= i64::from(psizes[dim]);
        }
        let mut typemap = oldtype.typemap.clone();
        for dim in inside_out(dims, order)? {
            let (gsize, processes) = (gsizes[dim], i64::from(psizes[dim]));
            let given = (dargs[dim] != c::DISTRIBUTE_DFLT_DARG).then(|| i64::from(dargs[dim]));
            let darg = match distribs[dim] {
                c::DISTRIBUTE_BLOCK => given.unwrap_or((gsize - 1) / processes + 1),
                c::DISTRIBUTE_CYCLIC => given.unwrap_or(1),
                c::DISTRIBUTE_NONE if processes == 1 => gsize,
                c::DISTRIBUTE_NONE => {
                    return refused(format!(
                        "dimension {dim} is not distributed but has {processes} processes"
                    ));
                }
                other => {
                    return refused(format!("the distribution of dimension {dim} is {other}, which is none"));
                }
            };
            if darg < 1 {
                return refused(format!("blocks of dimension {dim} have {darg} elements: at least 1"));
            }
            if distribs[dim] == c::DISTRIBUTE_BLOCK && i128::from(darg) * i128::from(processes) < gsize.into()
            {
                return refused(format!(
                    "{processes} blocks of {darg} elements do not hold the {gsize} elements of dimension {dim}"
                ));
            }
            typemap = cyclic(gsize, darg, coordinates[dim], processes, &typemap)?;
        }
        typemap.align = if typemap.size == 0 { 1 } else { oldtype.typemap.align };
        if typemap.size == 0 {
            typemap.bounds = typemap.bounds.without_data();
        }
        let distribution =
            distribs.iter().chain(dargs).chain(psizes).map(|number| i64::from(*number)).collect();
        let recipe = Recipe::Darray { size, rank, gsizes: gsizes.into(), distribution, order };
        Ok(Datatype::derived(typemap, recipe, std::slice::from_ref(oldtype)))
    }
}
