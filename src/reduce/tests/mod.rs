//! Tests of the reduction kernels.
//!
//! `oracle` computes one combination, in plain scalar code that shares nothing with the kernels. `values`
//! makes elements, including awkward ones. `memory` calls a kernel on unaligned memory in each allowed
//! placement. The conversions are compared with the oracle over all patterns (`formats`). The kernels are
//! compared by table (`kernels`), exhaustively on 8 bits, and by property (`properties`). Narrow forms are
//! compared with their bounds (`wire`).

mod float8;
mod formats;
mod kernels;
mod memory;
mod oracle;
mod properties;
mod scale;
mod values;
mod wire;
