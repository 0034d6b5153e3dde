//! The anyccl engine: plans, transports, communicators. Exports no C symbol; the doors in `abi/` do.
//!
//! The rooms, with arrows downward only: `simulate`, `comm` → `backend` → `tuning` → `algo`, `progress` →
//! `cost`, `executor`, `p2p` → `plan`, `topology`, `reduce`, `endpoint` → `transport`, `bootstrap` → `memory`
//! → `sys`, `config`, `observe` → `base`. See docs/architecture.md.

pub mod algo;
pub mod backend;
pub mod base;
pub mod bootstrap;
pub mod comm;
pub mod config;
pub mod cost;
pub mod device;
pub mod endpoint;
pub mod executor;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod foreign_bytes;
pub mod memory;
pub mod observe;
pub mod p2p;
pub mod plan;
pub mod progress;
pub mod reduce;
pub mod simulate;
#[cfg(test)]
mod simulated_world;
pub mod sys;
pub mod topology;
pub mod transport;
pub mod tuning;
