//! Choices that a link makes from its own measurements. Ranks need not agree on any of them.

pub mod cache_distance;
pub mod cma_choice;
pub mod exchange_trial;
mod hysteresis;
pub mod store_mode;
mod trial;
