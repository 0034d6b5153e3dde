//! Memory of devices. The builtin engine does not move it yet. [`kinds`] tells it from memory of the
//! processor, so that another engine serves the call or the caller gets an error.

pub mod kernels;
pub mod kinds;

pub use kinds::Kinds;
