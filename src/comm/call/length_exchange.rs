//! Calls with a layout whose ranks first exchange lengths within their host
//! ([`crate::algo::LengthExchange`]).
//!
//! This module prepares the exchange. The engine runs it, and has the call itself prepared from the received
//! lengths: the first time, and again whenever they differ from the latest ones.

use std::sync::Arc;

use parking_lot::Mutex;

use super::placement::Placement;
use crate::algo::{Algorithm, LengthExchange, ParcelDigests, length_exchange_plan};
use crate::base::{Call, Collective, Error, Rank, Result};
use crate::executor::{PreExchange, Prepared, Program};
use crate::plan::{Block, BlockLayout, PlanRequest};
use crate::topology::Topology;
use crate::transport::SingleCopy;

/// Prepares the length exchange of a call, with a function that prepares the call after it.
pub(in crate::comm) fn prepare(
    call: &Call,
    algorithm: &'static Algorithm,
    request: &PlanRequest,
    placement: &Placement,
    single_copy: SingleCopy,
    endpoints: &[u32],
) -> Prepared {
    let mut exchange = LengthExchange::of(request);
    let lengths_only = exchange.request(request);
    let plan = length_exchange_plan(&lengths_only);
    let program = Program::compile(&plan, &lengths_only, SingleCopy::Never).through(endpoints);
    let sent = std::mem::take(&mut exchange.sent);
    let deferred = DeferredCall {
        call: *call,
        algorithm,
        whole: OwnedRequest::of(request),
        placement: placement.clone(),
        single_copy,
        endpoints: endpoints.to_vec(),
        latest: Mutex::new(None),
    };
    let complete = Box::new(move |received: &[u64]| deferred.complete(received));
    let exchange = PreExchange { sent, received: exchange.received, complete };
    Prepared::after_exchange(*call, program, exchange)
}

/// A call that cannot be planned before its lengths are known, with everything else that it depends on.
struct DeferredCall {
    call: Call,
    algorithm: &'static Algorithm,
    whole: OwnedRequest,
    placement: Placement,
    single_copy: SingleCopy,
    endpoints: Vec<u32>,
    /// The latest received lengths, and the call that was prepared from them.
    latest: Mutex<Option<(Vec<u64>, Arc<Prepared>)>>,
}

impl DeferredCall {
    fn complete(&self, received: &[u64]) -> Result<Arc<Prepared>> {
        let mut latest = self.latest.lock();
        if let Some((_, prepared)) = latest.as_ref().filter(|(known, _)| known == received) {
            return Ok(Arc::clone(prepared));
        }
        let host_lengths = lengths(received, self.whole.element_bytes)?;
        let request = self.whole.request(&host_lengths);
        let plan = (self.algorithm.build)(&request);
        check_memory(plan.scratch.saturating_mul(request.element_bytes))?;
        let digests = ParcelDigests::of(&request);
        let program = self.placement.compile(&plan, &request, self.single_copy);
        let program = program.with_digests(&digests.sent, &digests.received).through(&self.endpoints);
        let prepared = Arc::new(Prepared::new(self.call, program));
        *latest = Some((received.to_vec(), Arc::clone(&prepared)));
        Ok(prepared)
    }
}

/// Converts the received numbers to lengths. Refuses them if their sum, in elements of `element_bytes`,
/// exceeds memory.
fn lengths(received: &[u64], element_bytes: usize) -> Result<Vec<usize>> {
    let whole = received.iter().try_fold(0u64, |sum, len| sum.checked_add(*len));
    let bytes = whole.and_then(|whole| whole.checked_mul(element_bytes as u64));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let got = format!("{received:?} elements in blocks of this host's ranks, which exceed memory");
        return Err(Error::InvalidArgument { what: "counts", got });
    }
    Ok(received.iter().map(|len| *len as usize).collect())
}

/// Checks that there is memory for the blocks of the other ranks. An error now is better than an abort of the
/// process later.
fn check_memory(bytes: usize) -> Result<()> {
    let refused = |_| {
        let text = format!("cannot allocate {bytes} bytes to collect the blocks of the ranks of this host");
        Error::system(text, std::io::Error::from(std::io::ErrorKind::OutOfMemory))
    };
    let mut memory = Vec::<u8>::new();
    memory.try_reserve_exact(bytes).map_err(refused)?;
    // Without this, the compiler may remove the allocation.
    std::hint::black_box(memory.as_ptr());
    Ok(())
}

/// A plan request that owns its topology and blocks.
struct OwnedRequest {
    collective: Collective,
    rank: Rank,
    root: Rank,
    element_bytes: usize,
    in_place: bool,
    chunk_bytes: usize,
    topology: Topology,
    input: Vec<Block>,
    output: Vec<Block>,
}

impl OwnedRequest {
    fn of(request: &PlanRequest) -> OwnedRequest {
        let PlanRequest {
            collective,
            rank,
            root,
            element_bytes,
            in_place,
            chunk_bytes,
            topology,
            layout,
            ..
        } = *request;
        OwnedRequest {
            collective,
            rank,
            root,
            element_bytes,
            in_place,
            chunk_bytes,
            topology: topology.clone(),
            input: layout.input.to_vec(),
            output: layout.output.to_vec(),
        }
    }

    fn request<'a>(&'a self, host_lengths: &'a [usize]) -> PlanRequest<'a> {
        let OwnedRequest { collective, rank, root, element_bytes, in_place, chunk_bytes, .. } = *self;
        PlanRequest {
            collective,
            size: self.topology.size(),
            rank,
            root,
            count: 0,
            element_bytes,
            in_place,
            chunk_bytes,
            topology: &self.topology,
            layout: BlockLayout {
                input: &self.input,
                output: &self.output,
                host_lengths,
                ..BlockLayout::NONE
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn received_lengths_that_exceed_memory_are_refused_before_memory_is_allocated() {
        assert_eq!(lengths(&[3, 0, 5], 8).unwrap(), [3, 0, 5]);
        for received in [vec![u64::MAX, 1], vec![1 << 61], vec![u64::MAX]] {
            assert!(matches!(lengths(&received, 8), Err(Error::InvalidArgument { what: "counts", .. })));
        }
        assert!(check_memory(1 << 20).is_ok());
        assert!(matches!(check_memory(isize::MAX as usize), Err(Error::System { .. })));
    }
}
