//! Memory of devices. The builtin engine does not move it yet; it is told from memory of the processor
//! ([`kinds`]), so that another engine gets it, or the caller a sentence.

pub mod kinds;

pub use kinds::Kinds;
