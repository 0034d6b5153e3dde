//! The table of the algorithms whose messages between hosts are narrow.

use super::{all_reduce, all_reduce_cost, reduce_scatter, reduce_scatter_cost};
use crate::algo::algorithm::{Algorithm, Cost, always};
use crate::base::{Collective, WireFormat};
use crate::plan::PlanRequest;

const BF16: u8 = WireFormat::Bf16 as u8;
const F8: u8 = WireFormat::F8 as u8;
const INT8_BLOCK: u8 = WireFormat::Int8Block as u8;

/// Every algorithm for sums that travel in a narrow form. Names are those of the formats.
pub static NARROW: &[Algorithm] = &[
    row_of_all_reduce("bf16", all_reduce::<BF16>, Cost::ByHost(all_reduce_cost::<BF16>)),
    row_of_all_reduce("f8", all_reduce::<F8>, Cost::ByHost(all_reduce_cost::<F8>)),
    row_of_all_reduce("int8-block", all_reduce::<INT8_BLOCK>, Cost::ByHost(all_reduce_cost::<INT8_BLOCK>)),
    row_of_reduce_scatter("bf16", reduce_scatter::<BF16>, Cost::ByHost(reduce_scatter_cost::<BF16>)),
    row_of_reduce_scatter("f8", reduce_scatter::<F8>, Cost::ByHost(reduce_scatter_cost::<F8>)),
    row_of_reduce_scatter(
        "int8-block",
        reduce_scatter::<INT8_BLOCK>,
        Cost::ByHost(reduce_scatter_cost::<INT8_BLOCK>),
    ),
];

const fn row_of_all_reduce(
    name: &'static str,
    build: fn(&PlanRequest) -> crate::plan::Plan,
    cost: Cost,
) -> Algorithm {
    let summary = "a slice per local rank between hosts, narrow there, rounded twice";
    Algorithm { name, collective: Collective::AllReduce, summary, supports: always, build, cost }
}

const fn row_of_reduce_scatter(
    name: &'static str,
    build: fn(&PlanRequest) -> crate::plan::Plan,
    cost: Cost,
) -> Algorithm {
    let summary = "reduced within each host first, narrow between hosts, rounded once";
    Algorithm { name, collective: Collective::ReduceScatter, summary, supports: always, build, cost }
}

/// The algorithm of a collective for sums that travel in this format between hosts. `None`: there is none.
pub fn narrow(collective: Collective, format: WireFormat) -> Option<&'static Algorithm> {
    NARROW.iter().find(|row| row.collective == collective && row.name == format.name())
}
