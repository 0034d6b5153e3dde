//! Computes pi by an integral: each rank sums a part of it, and all get the total.
//!
//! ```sh
//! cargo build -p anyccl --examples
//! anyccl run -n 4 target/debug/examples/pi
//! ```

use std::f64::consts::PI;

use anyccl::{Communicator, Op, Result};

const STEPS: usize = 4_000_000;

fn main() -> Result<()> {
    let world = Communicator::world()?;
    let width = 1.0 / STEPS as f64;
    let part: f64 = (world.rank()..STEPS)
        .step_by(world.size())
        .map(|step| (step as f64 + 0.5) * width)
        .map(|x| width * 4.0 / (1.0 + x * x))
        .sum();

    let mut total = [part];
    world.all_reduce_in_place(&mut total, Op::Sum)?;
    assert!((total[0] - PI).abs() < 1e-9);
    if world.rank() == 0 {
        println!("pi is about {:.12}, by {} ranks", total[0], world.size());
    }
    world.close()
}
