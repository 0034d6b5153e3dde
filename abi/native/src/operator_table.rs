//! The table of operators of the program.

use anyccl_edge::Operators;

/// Operators that the program has made and not destroyed.
pub static OPERATORS: Operators = Operators::new();
