//! Collectives.
//!
//! - `forms` has MPI's functions: three forms of each collective over one [`Script`], which says what the
//!   engine runs and what is packed before and unpacked after it.
//! - `barrier`, `gather`, `scatter`, `allgather`, `alltoall`, `reduction` and `reduce_scatter` make scripts;
//!   `inter` and `inter_reduction` make those on intercommunicators, `neighbor` those on topologies.
//! - `layout` decides what is packed; `typed` checks arguments; `fast` is the way of small calls.
//!
//! Data is bytes to the engine: ranks may describe it by different datatypes, of which only the signatures
//! agree. Reductions are on the engine's datatypes where it has them, else on opaque elements.

mod allgather;
mod alltoall;
mod barrier;
mod engine_call;
mod fast;
mod forms;
mod gather;
mod inter;
mod inter_reduction;
mod layout;
mod neighbor;
mod reduce_scatter;
mod reduction;
mod running;
mod scatter;
mod script;
mod small_call;
mod turns;
pub mod typed;
mod uniform;

pub use forms::*;
pub use running::Running;
pub use script::Script;
