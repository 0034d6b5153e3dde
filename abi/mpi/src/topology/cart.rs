//! Grids: coordinates and ranks. Ranks are numbered row by row; the last coordinate changes fastest.

use crate::constants::PROC_NULL;
use crate::error::{Class, Error, Result};

/// A grid of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cart {
    dims: Vec<u32>,
    periods: Vec<bool>,
}

impl Cart {
    /// A grid of these dimensions. `periods` says which are periodic. It may have at most `most` processes.
    pub fn new(dims: &[i32], periods: Vec<bool>, most: u32) -> Result<Cart> {
        let checked: Option<Vec<u32>> =
            dims.iter().map(|dim| u32::try_from(*dim).ok().filter(|dim| *dim > 0)).collect();
        let Some(checked) = checked else {
            return Err(Error::new(Class::DIMS, format!("dimensions {dims:?}; each is at least 1")));
        };
        let nodes = checked.iter().try_fold(1u32, |nodes, dim| nodes.checked_mul(*dim));
        if nodes.is_none_or(|nodes| nodes > most) {
            let text = format!("a grid of {dims:?}; the communicator has {most} processes");
            return Err(Error::new(Class::DIMS, text));
        }
        Ok(Cart { dims: checked, periods })
    }

    /// Sizes of its dimensions.
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// Whether each dimension is periodic.
    pub fn periods(&self) -> &[bool] {
        &self.periods
    }

    /// Number of processes.
    pub fn nodes(&self) -> u32 {
        self.dims.iter().product()
    }

    /// Coordinates of a rank below the number of processes.
    pub fn coords(&self, rank: u32) -> Vec<i32> {
        let mut rest = rank;
        let mut coords: Vec<i32> = self
            .dims
            .iter()
            .rev()
            .map(|dim| {
                let coord = rest % dim;
                rest /= dim;
                coord.cast_signed()
            })
            .collect();
        coords.reverse();
        coords
    }

    /// Rank at coordinates. Coordinates outside the grid wrap around in a periodic dimension, and are refused
    /// in any other.
    pub fn rank(&self, coords: &[i32]) -> Result<u32> {
        let mut rank = 0;
        for (at, coord) in coords.iter().enumerate() {
            let place = self.place(at, i64::from(*coord)).ok_or_else(|| {
                let text = format!("coordinate {at} is {coord}; the dimension has {}", self.dims[at]);
                Error::new(Class::ARG, text)
            })?;
            rank = rank * self.dims[at] + place;
        }
        Ok(rank)
    }

    /// The index of a coordinate in a dimension; `None` if it is outside.
    fn place(&self, dimension: usize, coord: i64) -> Option<u32> {
        let dim = i64::from(self.dims[dimension]);
        let place = if self.periods[dimension] { coord.rem_euclid(dim) } else { coord };
        (0..dim).contains(&place).then_some(place as u32)
    }

    /// Rank at a distance in a dimension; `MPI_PROC_NULL` if it is outside.
    pub fn neighbor(&self, rank: u32, dimension: usize, distance: i64) -> i32 {
        let stride: u32 = self.dims[dimension + 1..].iter().product();
        let coord = rank / stride % self.dims[dimension];
        match self.place(dimension, i64::from(coord) + distance) {
            Some(place) => (rank - coord * stride + place * stride).cast_signed(),
            None => PROC_NULL,
        }
    }

    /// The two neighbours in each dimension, the lower one first.
    pub fn neighbors(&self, rank: u32) -> Vec<i32> {
        (0..self.dims.len())
            .flat_map(|dimension| [-1, 1].map(|distance| self.neighbor(rank, dimension, distance)))
            .collect()
    }

    /// The grid of the dimensions that remain. For a rank, also the number of its grid and its rank there.
    pub fn sub(&self, remain: &[bool], rank: u32) -> (Cart, u32, u32) {
        let mut part = Cart { dims: Vec::new(), periods: Vec::new() };
        let (mut color, mut key) = (0, 0);
        for (at, coord) in self.coords(rank).into_iter().enumerate() {
            let number = if remain[at] { &mut key } else { &mut color };
            *number = *number * self.dims[at] + coord.cast_unsigned();
            if remain[at] {
                part.dims.push(self.dims[at]);
                part.periods.push(self.periods[at]);
            }
        }
        (part, color, key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cart() -> impl Strategy<Value = Cart> {
        prop::collection::vec((1..5i32, any::<bool>()), 0..5).prop_map(|sides| {
            let (dims, periods): (Vec<_>, Vec<_>) = sides.into_iter().unzip();
            Cart::new(&dims, periods, 1000).unwrap()
        })
    }

    proptest! {
        #[test]
        fn each_rank_has_its_own_coordinates(cart in cart()) {
            for rank in 0..cart.nodes() {
                prop_assert_eq!(cart.rank(&cart.coords(rank)).unwrap(), rank);
            }
        }

        #[test]
        fn a_neighbor_of_mine_has_me_as_its_neighbor_on_the_other_side(cart in cart(), distance in -9..9i64) {
            for rank in 0..cart.nodes() {
                for dimension in 0..cart.dims().len() {
                    let there = cart.neighbor(rank, dimension, distance);
                    if there == PROC_NULL {
                        prop_assert!(!cart.periods()[dimension]);
                    } else {
                        let back = cart.neighbor(there.cast_unsigned(), dimension, -distance);
                        prop_assert_eq!(back, rank.cast_signed());
                        let mut coords = cart.coords(rank);
                        coords[dimension] += distance as i32;
                        prop_assert_eq!(cart.rank(&coords).unwrap(), there.cast_unsigned());
                    }
                }
            }
        }

        #[test]
        fn parts_of_a_grid_are_grids_that_cover_it_once(cart in cart(), remain: [bool; 5]) {
            let remain = &remain[..cart.dims().len()];
            let mut seen = std::collections::HashSet::new();
            for rank in 0..cart.nodes() {
                let (part, color, key) = cart.sub(remain, rank);
                prop_assert!(key < part.nodes());
                prop_assert!(color < cart.nodes() / part.nodes());
                prop_assert!(seen.insert((color, key)));
            }
        }
    }

    #[test]
    fn grids_that_are_too_large_or_empty_are_refused() {
        for dims in [&[2, 3][..], &[0], &[-1, -4], &[i32::MAX, i32::MAX]] {
            let error = Cart::new(dims, vec![false; dims.len()], 5).unwrap_err();
            assert_eq!(error.class, Class::DIMS);
        }
        assert_eq!(Cart::new(&[], vec![], 5).unwrap().nodes(), 1);
    }
}
