//! Heat spreads along a rod that the ranks share. Before each step, neighbours exchange the cells at their
//! ends.
//!
//! ```sh
//! cargo build -p anyccl --examples
//! anyccl run -n 4 target/debug/examples/halo
//! ```

use anyccl::{Communicator, Op, Result};

/// Cells of each rank.
const CELLS: usize = 1000;
const STEPS: usize = 200;
/// Tags of messages to the left and to the right.
const LEFT: i32 = 0;
const RIGHT: i32 = 1;

fn main() -> Result<()> {
    let world = Communicator::world()?;
    let (rank, last) = (world.rank(), world.size() - 1);
    // A cell of a neighbour on each side. The ends of the rod are isolated.
    let mut cells = vec![0.0f64; CELLS + 2];
    if rank == 0 {
        cells[1] = 1.0;
    }
    let mut next = cells.clone();
    for _ in 0..STEPS {
        let (first_cell, last_cell) = ([cells[1]], [cells[CELLS]]);
        let (mut from_left, mut from_right) = (first_cell, last_cell);
        world.scope(|scope| {
            if rank > 0 {
                scope.receive(&mut from_left, rank - 1, RIGHT)?;
                scope.send(&first_cell, rank - 1, LEFT)?;
            }
            if rank < last {
                scope.receive(&mut from_right, rank + 1, LEFT)?;
                scope.send(&last_cell, rank + 1, RIGHT)?;
            }
            // The inner cells need no neighbour.
            spread(&cells, &mut next, 2..CELLS);
            Ok(())
        })?;
        (cells[0], cells[CELLS + 1]) = (from_left[0], from_right[0]);
        spread(&cells, &mut next, 1..2);
        spread(&cells, &mut next, CELLS..CELLS + 1);
        std::mem::swap(&mut cells, &mut next);
    }

    let mut heat = [cells[1..=CELLS].iter().sum::<f64>()];
    world.all_reduce_in_place(&mut heat, Op::Sum)?;
    assert!((heat[0] - 1.0).abs() < 1e-9, "heat has got lost");
    if rank == 0 {
        println!("after {STEPS} steps, the first cell has {:.4} of the heat", cells[1]);
    }
    world.close()
}

/// One step of the cells in a range.
fn spread(cells: &[f64], next: &mut [f64], range: std::ops::Range<usize>) {
    for at in range {
        next[at] = cells[at] + 0.25 * (cells[at - 1] - 2.0 * cells[at] + cells[at + 1]);
    }
}
