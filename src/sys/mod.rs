//! The operating system, where unsafe is at home.

pub mod connect;
pub mod host;
pub mod interfaces;
pub mod listener;
pub mod poll;
pub mod socket;
pub mod thread;
