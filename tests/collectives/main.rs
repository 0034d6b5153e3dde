//! Collectives give the right bytes: every datatype and operator, algorithm, transport and number of ranks.
//!
//! `tests/` has one program per kind of question, because each links the whole engine. cargo-nextest gives
//! each test a process of its own. `cargo test --test collectives table::` runs the tests of one module as
//! threads of one process; with `-- --test-threads=1`, also those that count what their process holds.

#[path = "../common/mod.rs"]
mod common;

mod algorithms;
mod averages;
mod eight_bit_floats;
mod fabrics;
mod fixed_bits;
mod large;
mod lists;
mod mixed_hosts;
mod neighbors;
mod operators;
mod properties;
mod samples;
mod table;
mod unequal;
mod unequal_hosts;
mod wire;
