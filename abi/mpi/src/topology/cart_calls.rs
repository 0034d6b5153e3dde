//! MPI's functions on grids (MPI 5.0, sections 8.5.1 and 8.5.5 to 8.5.7).

use std::sync::Arc;

use super::cart::Cart;
use super::{Topology, has_no, length};
use crate::arguments::{CommHandle, Inputs, Output, Outputs};
use crate::call::check_outside_callback;
use crate::comm::{Comm, create};
use crate::constants::UNDEFINED;
use crate::error::{Class, Error, Result};

/// Reads a grid that the program describes.
fn read(most: u32, ndims: i32, dims: &Inputs<i32>, periods: &Inputs<i32>) -> Result<Cart> {
    let len = length("ndims", ndims)?;
    let periods = periods.read(len)?.into_iter().map(|period| period != 0).collect();
    Cart::new(&dims.read(len)?, periods, most)
}

/// The grid of a communicator, and this process's rank.
fn grid(comm: CommHandle) -> Result<(Arc<Topology>, u32)> {
    let comm = Comm::from_handle(comm)?;
    match comm.topology() {
        Some(topology) if matches!(**topology, Topology::Cart(_)) => Ok((Arc::clone(topology), comm.rank())),
        _ => Err(has_no(&comm, "Cartesian topology")),
    }
}

fn cart(topology: &Topology) -> &Cart {
    match topology {
        Topology::Cart(cart) => cart,
        _ => unreachable!("`grid` has looked"),
    }
}

/// `MPI_Cart_create`. Processes without a place in the grid get `MPI_COMM_NULL`.
pub unsafe fn create(
    comm: CommHandle,
    ndims: i32,
    dims: Inputs<i32>,
    periods: Inputs<i32>,
    _reorder: i32,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    check_outside_callback()?;
    let parent = Comm::from_handle(comm)?.share();
    parent.check_intra()?;
    let cart = read(parent.size(), ndims, &dims, &periods)?;
    let color = (parent.rank() < cart.nodes()).then_some(0);
    newcomm.set(create::part(&parent, color, 0, "cart", |_| Some(Topology::Cart(cart)))?);
    Ok(())
}

/// `MPI_Cartdim_get`.
pub unsafe fn dim_get(comm: CommHandle, ndims: Output<i32>) -> Result<()> {
    let (topology, _) = grid(comm)?;
    ndims.set(cart(&topology).dims().len() as i32);
    Ok(())
}

/// Refuses arrays that are shorter than the number of dimensions.
fn check_room(cart: &Cart, maxdims: i32) -> Result<()> {
    if maxdims >= 0 && maxdims as usize >= cart.dims().len() {
        return Ok(());
    }
    let text = format!("maxdims is {maxdims}; the grid has {} dimensions", cart.dims().len());
    Err(Error::new(Class::ARG, text))
}

/// `MPI_Cart_get`.
pub unsafe fn get(
    comm: CommHandle,
    maxdims: i32,
    dims: Outputs<i32>,
    periods: Outputs<i32>,
    coords: Outputs<i32>,
) -> Result<()> {
    let (topology, rank) = grid(comm)?;
    let cart = cart(&topology);
    check_room(cart, maxdims)?;
    dims.set_all(cart.dims().iter().map(|dim| dim.cast_signed()))?;
    periods.set_all(cart.periods().iter().map(|period| i32::from(*period)))?;
    coords.set_all(cart.coords(rank).into_iter())
}

/// `MPI_Cart_rank`.
pub unsafe fn rank(comm: CommHandle, coords: Inputs<i32>, rank: Output<i32>) -> Result<()> {
    let (topology, _) = grid(comm)?;
    let cart = cart(&topology);
    rank.set(cart.rank(&coords.read(cart.dims().len())?)?.cast_signed());
    Ok(())
}

/// `MPI_Cart_coords`.
pub unsafe fn coords(comm: CommHandle, rank: i32, maxdims: i32, coords: Outputs<i32>) -> Result<()> {
    let (topology, _) = grid(comm)?;
    let cart = cart(&topology);
    check_room(cart, maxdims)?;
    let found = u32::try_from(rank).ok().filter(|rank| *rank < cart.nodes());
    let found = found.ok_or_else(|| {
        Error::new(Class::RANK, format!("rank {rank}; the grid has {} processes", cart.nodes()))
    })?;
    coords.set_all(cart.coords(found).into_iter())
}

/// `MPI_Cart_shift`.
pub unsafe fn shift(
    comm: CommHandle,
    direction: i32,
    disp: i32,
    source: Output<i32>,
    dest: Output<i32>,
) -> Result<()> {
    let (topology, rank) = grid(comm)?;
    let cart = cart(&topology);
    let dimension = usize::try_from(direction).ok().filter(|at| *at < cart.dims().len());
    let dimension = dimension.ok_or_else(|| {
        let text = format!("direction {direction}; the grid has {} dimensions", cart.dims().len());
        Error::new(Class::ARG, text)
    })?;
    source.set(cart.neighbor(rank, dimension, -i64::from(disp)));
    dest.set(cart.neighbor(rank, dimension, i64::from(disp)));
    Ok(())
}

/// `MPI_Cart_sub`.
pub unsafe fn sub(comm: CommHandle, remain: Inputs<i32>, newcomm: Output<CommHandle>) -> Result<()> {
    check_outside_callback()?;
    let (topology, rank) = grid(comm)?;
    let parent = Comm::from_handle(comm)?.share();
    let cart = cart(&topology);
    let remain: Vec<bool> = remain.read(cart.dims().len())?.into_iter().map(|remains| remains != 0).collect();
    let (part, color, key) = cart.sub(&remain, rank);
    let arranged = |_: &_| Some(Topology::Cart(part));
    newcomm.set(create::part(&parent, Some(color), key.cast_signed(), "sub", arranged)?);
    Ok(())
}

/// `MPI_Cart_map`.
pub unsafe fn map(
    comm: CommHandle,
    ndims: i32,
    dims: Inputs<i32>,
    periods: Inputs<i32>,
    newrank: Output<i32>,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    comm.check_intra()?;
    let cart = read(comm.size(), ndims, &dims, &periods)?;
    newrank.set(if comm.rank() < cart.nodes() { comm.rank().cast_signed() } else { UNDEFINED });
    Ok(())
}
