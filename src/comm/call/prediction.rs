//! Predicted times of calls.
//!
//! A tuning file has times of collectives in a job of so many ranks; in such a job they are the prediction.
//! Else the plans run on a model of the measured links ([`crate::simulate`]). Without a tuning file, the
//! formulas by which an algorithm is chosen say what it takes. All of it is equal on all ranks, since rank 0
//! sends its tuning.

use super::plan_cache::PlanCache;
use super::spec::CallSpec;
use super::unequal::Unequal;
use crate::algo::{Algorithm, NARROW};
use crate::base::{Call, CallKind, Collective, Result};
use crate::cost::Times;
use crate::p2p::{OutgoingMessage, RecvBuffer};
use crate::plan::{Block, PlanRequest};
use crate::simulate::{Limits, Model, simulate};
use crate::topology::Topology;
use crate::tuning::Links;

/// Limits that allow some milliseconds.
const LIMITS: Limits = Limits { plain: 10_000, messages: 20_000, events: 100_000 };

impl PlanCache {
    /// Number of groups of ranks that share memory.
    pub fn memories(&self, topology: &Topology) -> u32 {
        if self.some_tcp { topology.size() } else { topology.hosts() }
    }

    /// Predicted microseconds of a call. For a message, over the slower kind of link.
    pub fn predicted_us(&self, call: &Call, topology: &Topology) -> Result<f64> {
        let bytes = call.count.saturating_mul(call.datatype.bytes() as u64);
        if call.kind == CallKind::Transfer {
            return Ok(self.message_us(bytes, topology));
        }
        let request = self.request(call, 0, topology);
        let chosen = self.choose(call, &request)?;
        let Some(times) = &self.tuning.times else { return Ok(self.formula_us(chosen, &request)) };
        let blocks = if has_blocks(request.collective) { u64::from(request.size) } else { 1 };
        let larger = bytes.saturating_mul(blocks);
        let memories = self.memories(topology);
        let measured = times.collectives.us(request.collective, larger, request.size, memories);
        Ok(measured
            .or_else(|| self.simulated_us(times, chosen, &request))
            .unwrap_or_else(|| self.formula_us(chosen, &request)))
    }

    /// Predicted microseconds of a call of any kind. A call with a layout counts like one with equal blocks
    /// and as many bytes on this rank; a list like one buffer.
    pub fn predicted_us_of(&self, call: &CallSpec, topology: &Topology) -> Result<f64> {
        match call {
            CallSpec::Collective(operation, _) => self.predicted_us(&operation.call, topology),
            CallSpec::Unequal(operation, _) => self.unequal_us(operation, topology),
            CallSpec::List(list, _) => {
                let Some(first) = list.parts.first() else { return Ok(0.0) };
                let bytes: usize = list.parts.iter().map(|part| part.count * part.datatype.bytes()).sum();
                let call = list.call_on(first).call;
                let count = (bytes / first.datatype.bytes()) as u64;
                self.predicted_us(&Call { count, ..call }, topology)
            }
            CallSpec::Send(OutgoingMessage { count, datatype, .. })
            | CallSpec::Receive(_, RecvBuffer { count, datatype, .. })
            | CallSpec::ReceiveAll(_, RecvBuffer { count, datatype, .. }) => {
                Ok(self.message_us(count.saturating_mul(datatype.bytes() as u64), topology))
            }
        }
    }

    fn unequal_us(&self, operation: &Unequal, topology: &Topology) -> Result<f64> {
        let Unequal { collective, datatype, op, root, layout, .. } = *operation;
        let unit = datatype.bytes() as u64;
        let total = |blocks: &[Block]| blocks.iter().map(|block| block.len as u64).sum::<u64>();
        let Some(collective) = with_equal_blocks(collective) else {
            return Ok(layout.input.iter().map(|b| self.message_us(b.len as u64 * unit, topology)).sum());
        };
        let larger = if layout.input.len() > layout.output.len() { layout.input } else { layout.output };
        let count = total(layout.input).max(total(layout.output)).div_ceil(larger.len().max(1) as u64);
        self.predicted_us(
            &Call { kind: CallKind::Collective(collective), datatype, op, root, count },
            topology,
        )
    }

    fn message_us(&self, bytes: u64, topology: &Topology) -> f64 {
        let all_shm = self.memories(topology) == 1;
        let link = if all_shm { self.tuning.shm } else { self.tuning.tcp };
        let times = self.tuning.times.as_ref().map(|times| if all_shm { times.shm } else { times.tcp });
        let moving = times.and_then(|times| times.one_way.us(bytes));
        link.latency_us + moving.unwrap_or(link.us_per_byte * bytes as f64)
    }

    fn simulated_us(&self, times: &Times, chosen: &Algorithm, request: &PlanRequest) -> Option<f64> {
        let links = Links { shm: self.tuning.shm, tcp: self.tuning.tcp, times: *times };
        let model = Model::of_measured(&links, self.some_tcp);
        simulate(chosen, request, &model, &LIMITS).ok().map(|prediction| prediction.seconds * 1e6)
    }

    fn formula_us(&self, chosen: &Algorithm, request: &PlanRequest) -> f64 {
        if NARROW.iter().any(|row| std::ptr::eq(row, chosen)) {
            return self.tuning.predicted_us(chosen, request, self.some_tcp);
        }
        let candidates = self.tuning.candidates(request, self.some_tcp);
        let predicted = candidates.into_iter().find(|(algorithm, _)| algorithm.name == chosen.name);
        // An algorithm that the user names need not be a candidate; it has no prediction then.
        predicted.map_or(0.0, |(_, microseconds)| microseconds)
    }
}

/// The collective with equal blocks that does the same. `None`: each block is a message.
fn with_equal_blocks(collective: Collective) -> Option<Collective> {
    use Collective::*;
    Some(match collective {
        AllGatherV => AllGather,
        GatherV => Gather,
        ScatterV => Scatter,
        ReduceScatterV => ReduceScatter,
        AllToAllV => AllToAll,
        NeighborAllGatherV | NeighborAllToAllV => return None,
        equal => equal,
    })
}

/// Whether the larger buffer of a rank has a block for each rank.
fn has_blocks(collective: Collective) -> bool {
    use Collective::{AllReduce, Barrier, Broadcast, Exscan, Reduce, Scan};
    !matches!(collective, AllReduce | Reduce | Broadcast | Barrier | Scan | Exscan)
}

#[cfg(test)]
mod tests {
    use super::super::list::{List, Part};
    use super::super::unequal::Places;
    use super::*;
    use crate::base::{Datatype, ReduceOp};
    use crate::config::Config;
    use crate::plan::BlockLayout;
    use crate::tuning::Tuning;

    /// A file whose messages cost 1 us and 1 us per KiB, with an all_reduce as two ranks of one host measured
    /// it.
    const FILE: &str = "shm.latency_us = 1\nshm.gigabytes_per_second = 1.024\nshm.one_way_us = 1024:1 1048576:1024\n\
        shm.exchange_us = 1024:2 1048576:2048\nreduce.us = 1024:0.5\ncollectives.ranks = 2\ncollectives.hosts = 1\n\
        collectives.all_reduce.us = 8:7 1024:70";

    fn cache(ranks: u32, some_tcp: bool) -> (PlanCache, Topology) {
        let tuning = Tuning::from_config(&Config::default()).unwrap().with_links(Links::parse(FILE).unwrap());
        (PlanCache::new(tuning, some_tcp, false, ranks), Topology::one_host(ranks))
    }

    fn all_reduce(bytes: u64) -> Call {
        let kind = CallKind::Collective(Collective::AllReduce);
        Call { kind, datatype: Datatype::Float32, op: Some(ReduceOp::Sum), root: 0, count: bytes / 4 }
    }

    #[test]
    fn a_job_like_the_measured_one_takes_what_was_measured_and_others_are_simulated() {
        let us = |ranks, some_tcp, bytes| {
            let (cache, topology) = cache(ranks, some_tcp);
            cache.predicted_us(&all_reduce(bytes), &topology).unwrap()
        };
        assert_eq!((us(2, false, 8), us(2, false, 1024), us(2, false, 2048)), (7.0, 70.0, 140.0));
        // An exchange and a reduction, and the latency.
        let simulated = us(3, false, 1024);
        assert!((2.0..40.0).contains(&simulated), "{simulated}");
        assert!(us(2, true, 1024) != 70.0 && us(4, false, 1 << 20) > 2000.0);
    }

    #[test]
    fn calls_of_other_kinds_are_predicted_by_calls_with_equal_blocks_and_messages() {
        let (cache, topology) = cache(2, false);
        let blocks = [Block { offset: 0, len: 100 }, Block { offset: 100, len: 156 }];
        let layout = BlockLayout { input: &blocks[..1], output: &blocks, ..BlockLayout::NONE };
        let places = Places::Buffers { send: std::ptr::null(), recv: std::ptr::null_mut() };
        let (collective, datatype) = (Collective::AllGatherV, Datatype::Float32);
        let unequal = Unequal { collective, datatype, op: None, root: 0, layout, places };
        let kind = CallKind::Collective(Collective::AllGather);
        let equal = Call { kind, datatype, op: None, root: 0, count: 128 };
        let us = |call: &CallSpec| cache.predicted_us_of(call, &topology).unwrap();
        assert_eq!(us(&CallSpec::from(&unequal)), cache.predicted_us(&equal, &topology).unwrap());
        let neighbours = Unequal { collective: Collective::NeighborAllToAllV, ..unequal };
        assert_eq!(us(&CallSpec::from(&neighbours)), 1.0 + 400.0 / 1024.0);
        let part = Part { send: std::ptr::null(), recv: std::ptr::null_mut(), count: 128, datatype };
        let list =
            List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &[part; 2] };
        assert_eq!(us(&CallSpec::from(&list)), 70.0);
        assert_eq!(us(&CallSpec::from(&List { parts: &[], ..list })), 0.0);
    }
}
