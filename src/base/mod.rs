//! The types that every room shares. This room uses no other room.

mod call;
mod collective;
mod datatype;
mod error;
mod list_count;
mod mix;
mod rank;
mod reduce_op;
mod wire_format;

pub use call::{Call, CallKind, Formation, exceeds_memory};
pub use collective::Collective;
pub use datatype::Datatype;
pub use error::{BoxedResult, Error, Result};
pub use list_count::ListCount;
pub use mix::mix;
pub use rank::Rank;
pub use reduce_op::ReduceOp;
pub use wire_format::WireFormat;

/// Version of this library, from Cargo.toml.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
