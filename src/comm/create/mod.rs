//! How communicators are made: by joining a job, from the environment, through a store, or from another
//! communicator.
//!
//! [`join`] connects the ranks of a job. [`agreement`] is their first exchange, and [`backends`] opens their
//! other engines. [`formation`] makes communicators from an existing one. [`mod@world`] is the communicator
//! of the whole job.

mod agreement;
pub(in crate::comm) mod backends;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::comm) mod foreign_bytes;
mod formation;
mod join;
mod on_demand;
mod unequal_settings;
mod world;

#[cfg(test)]
pub(in crate::comm) use world::hold as hold_world;
pub use world::{is_world_of_parent, world, world_finalize, world_init, world_init_or_alone, world_now};
