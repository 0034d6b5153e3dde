//! Choices that a link makes from its own measurements. None of them needs the agreement of another rank.

pub mod cache_distance;
pub mod cma_choice;
pub mod exchange_trial;
mod hysteresis;
pub mod store_mode;
mod trial;
