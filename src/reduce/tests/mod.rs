//! Tests of the reduction kernels.
//!
//! `oracle` says what one combination gives, in plain scalar code that shares nothing with the
//! kernels; `values` makes elements, the awkward ones included; `memory` calls a kernel on unaligned
//! memory in each allowed placement. The conversions are compared with the oracle over all patterns
//! (`formats`), the kernels by table (`kernels`), exhaustively on 8 bits and by property
//! (`properties`).

mod float8;
mod formats;
mod kernels;
mod memory;
mod oracle;
mod properties;
mod scale;
mod values;
