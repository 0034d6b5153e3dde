//! The table of the operators that the program has made.

use anyccl_edge::Operators;

/// Operators that the program has made and not destroyed.
pub static OPERATORS: Operators = Operators::new();
