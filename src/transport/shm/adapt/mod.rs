//! Choices that a link makes from its own measurements: none of them needs the agreement of another rank.

pub mod cache_distance;
pub mod cma_choice;
pub mod store_mode;
