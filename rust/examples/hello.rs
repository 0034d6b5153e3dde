//! Each rank says who it is, in order.
//!
//! ```sh
//! cargo build -p anyccl --examples
//! anyccl run -n 4 target/debug/examples/hello
//! ```

use anyccl::{Communicator, Result};

fn main() -> Result<()> {
    let world = Communicator::world()?;
    for turn in 0..world.size() {
        if turn == world.rank() {
            println!(
                "rank {} of {}, {} of {} on its host",
                turn,
                world.size(),
                world.local_rank(),
                world.local_size()
            );
        }
        world.barrier()?;
    }
    world.close()
}
