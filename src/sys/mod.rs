//! The operating system, where unsafe is at home.

pub mod socket;
