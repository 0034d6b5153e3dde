//! Phases and parts that the algorithms of several collectives share.
//!
//! - [`builder`] makes plans; [`single_rank`] is the whole plan of a single rank.
//! - [`segments`] cuts buffers into parts; [`blocks`] finds the block of each rank.
//! - [`ring`], [`hypercube`], [`binomial`] and [`direct`] are communication phases, over any buffers; [`pat`]
//!   has the trees of one.
//! - [`fold`] makes a power of two of any number of ranks; [`rotation`] turns the root into rank 0.
//! - [`staging`] passes chunks through memory that all ranks of a host see.

pub(super) mod binomial;
pub(super) mod blocks;
pub(super) mod builder;
pub(super) mod direct;
pub(super) mod fold;
pub(super) mod hypercube;
pub(super) mod pat;
pub(super) mod ring;
pub(super) mod rotation;
pub(super) mod segments;
pub(super) mod single_rank;
pub(super) mod staging;
