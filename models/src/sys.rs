//! The parts of the engine's room `sys` that models use, under the names by which its sources know them.

#[path = "../../src/sys/per_process.rs"]
pub mod per_process;
#[path = "../../src/sys/sync.rs"]
pub mod sync;

/// The number of forks before each thread of a model, in place of that of a process.
pub mod fork {
    use std::cell::Cell;

    loom::thread_local! {
        static EPOCH: Cell<u16> = Cell::new(0);
    }

    pub fn epoch() -> u16 {
        EPOCH.with(Cell::get)
    }

    pub fn last_epoch() -> u16 {
        epoch()
    }

    /// The calling thread is one of a child.
    pub fn be_a_child() {
        EPOCH.with(|epoch| epoch.set(1));
    }
}
