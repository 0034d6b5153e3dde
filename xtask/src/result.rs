//! How a task ends.

/// Result of a task; its error is a message or an error of the system.
pub type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;
