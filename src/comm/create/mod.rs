//! How communicators come to be: by joining a job, from the environment, at a store, or from another
//! communicator.
//!
//! [`join`] connects the ranks of a job, [`agreement`] is what they find out together first, [`backends`]
//! which engines of others they have. [`formation`] makes communicators from one that is there. [`mod@world`]
//! is that of the whole job.

mod agreement;
mod backends;
mod by_store;
mod formation;
mod join;
mod world;

pub use world::{world, world_finalize, world_init, world_init_or_alone, world_now};
