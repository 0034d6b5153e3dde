//! NCCL's datatypes.

use anyccl_edge::check::invalid;
use anyccl_engine::base::{Datatype, Result};

use crate::types::ncclDataType_t;

/// The engine's datatypes, indexed by NCCL's numbers.
const DATATYPES: [Datatype; 12] = [
    Datatype::Int8,
    Datatype::Uint8,
    Datatype::Int32,
    Datatype::Uint32,
    Datatype::Int64,
    Datatype::Uint64,
    Datatype::Float16,
    Datatype::Float32,
    Datatype::Float64,
    Datatype::Bfloat16,
    Datatype::Float8E4m3,
    Datatype::Float8E5m2,
];

/// The datatype with this number.
#[inline]
pub fn datatype_of(number: ncclDataType_t) -> Result<Datatype> {
    match usize::try_from(number).ok().and_then(|number| DATATYPES.get(number)) {
        Some(datatype) => Ok(*datatype),
        None => invalid("datatype", format!("{number}; accepted: 0 to {}", DATATYPES.len() - 1)),
    }
}
