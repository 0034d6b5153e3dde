//! Collectives.
//!
//! - `forms` has MPI's functions: three forms of each collective over one [`Script`]. A script says what the
//!   engine runs, and what is packed before it and unpacked after it.
//! - `barrier`, `gather`, `scatter`, `allgather`, `alltoall`, `reduction` and `reduce_scatter` make scripts;
//!   `inter` makes those on intercommunicators, `neighbor` those on topologies.
//! - `layout` decides what is packed; `typed` checks arguments; `fast` is the fast path of small calls.
//!
//! To the engine, data is bytes: ranks may describe the same data by different datatypes that agree only in
//! their signatures. Reductions use the engine's datatypes if it has them, otherwise opaque elements.

mod allgather;
mod alltoall;
mod barrier;
mod blocks;
mod engine_call;
mod fast;
mod forms;
mod gather;
mod inter;
mod layout;
mod neighbor;
mod reduce_scatter;
mod reduced;
mod reduction;
mod running;
mod scatter;
mod script;
mod small_call;
pub mod typed;
mod uniform;

pub use forms::*;
pub use running::Running;
pub use script::Script;
