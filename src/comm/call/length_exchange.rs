//! Calls with a layout that ask the other ranks of their host before they begin ([`crate::algo::LengthExchange`]).
//!
//! What is prepared is the question. The engine puts it to them, and has the call itself made out of the answers: at the
//! first time, and again when they differ from the last ones.

use std::sync::Arc;

use parking_lot::Mutex;

use super::placement::Placement;
use crate::algo::{Algorithm, LengthExchange, ParcelDigests, length_exchange_plan};
use crate::base::{Call, Collective, Error, Rank, Result};
use crate::executor::{Prepared, Program, Question};
use crate::plan::{Block, BlockLayout, PlanRequest};
use crate::topology::Topology;
use crate::transport::SingleCopy;

/// The question of a call, and how it goes on.
pub(in crate::comm) fn prepare(
    call: &Call,
    algorithm: &'static Algorithm,
    request: &PlanRequest,
    placement: &Placement,
    single_copy: SingleCopy,
    ports: &[u32],
) -> Prepared {
    let mut exchange = LengthExchange::of(request);
    let asked = exchange.request(request);
    let program = Program::compile(&length_exchange_plan(&asked), &asked, SingleCopy::Never).through(ports);
    let numbers = std::mem::take(&mut exchange.sent);
    let deferred = DeferredCall {
        call: *call,
        algorithm,
        whole: OwnedRequest::of(request),
        placement: placement.clone(),
        single_copy,
        ports: ports.to_vec(),
        latest: Mutex::new(None),
    };
    let then = Box::new(move |answers: &[u64]| deferred.complete(answers));
    let question = Question { numbers, answers: exchange.received, then };
    Prepared::asking(*call, program, question)
}

/// All that the call depends on but for the answers.
struct DeferredCall {
    call: Call,
    algorithm: &'static Algorithm,
    whole: OwnedRequest,
    placement: Placement,
    single_copy: SingleCopy,
    ports: Vec<u32>,
    /// The latest answers, and what was made of them.
    latest: Mutex<Option<(Vec<u64>, Arc<Prepared>)>>,
}

impl DeferredCall {
    fn complete(&self, answers: &[u64]) -> Result<Arc<Prepared>> {
        let mut latest = self.latest.lock();
        if let Some((_, prepared)) = latest.as_ref().filter(|(known, _)| known == answers) {
            return Ok(Arc::clone(prepared));
        }
        let host_lengths = lengths(answers, self.whole.element_bytes)?;
        let request = self.whole.request(&host_lengths);
        let plan = (self.algorithm.build)(&request);
        affordable(plan.scratch.saturating_mul(request.element_bytes))?;
        let digests = ParcelDigests::of(&request);
        let program = self.placement.compile(&plan, &request, self.single_copy);
        let program = program.labelled(&digests.sent, &digests.received).through(&self.ports);
        let prepared = Arc::new(Prepared::new(self.call, program));
        *latest = Some((answers.to_vec(), Arc::clone(&prepared)));
        Ok(prepared)
    }
}

/// The answers as lengths whose sum, in elements of so many bytes, is no more than memory can be.
fn lengths(answers: &[u64], element_bytes: usize) -> Result<Vec<usize>> {
    let whole = answers.iter().try_fold(0u64, |sum, len| sum.checked_add(*len));
    let bytes = whole.and_then(|whole| whole.checked_mul(element_bytes as u64));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let got = format!("{answers:?} elements in blocks of this host's ranks, which exceed memory");
        return Err(Error::InvalidArgument { what: "counts", got });
    }
    Ok(answers.iter().map(|len| *len as usize).collect())
}

/// Whether there is memory for what ranks have announced: better an error now than the end of the process.
fn affordable(bytes: usize) -> Result<()> {
    let refused = |_| {
        let text = format!("cannot get {bytes} bytes to collect blocks of the ranks of this host in");
        Error::system(text, std::io::Error::from(std::io::ErrorKind::OutOfMemory))
    };
    let mut memory = Vec::<u8>::new();
    memory.try_reserve_exact(bytes).map_err(refused)?;
    // Else the compiler may leave the attempt out.
    std::hint::black_box(memory.as_ptr());
    Ok(())
}

/// A request that owns what it speaks about.
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
    fn answers_that_no_memory_could_hold_are_refused_before_any_is_taken() {
        assert_eq!(lengths(&[3, 0, 5], 8).unwrap(), [3, 0, 5]);
        for answers in [vec![u64::MAX, 1], vec![1 << 61], vec![u64::MAX]] {
            assert!(matches!(lengths(&answers, 8), Err(Error::InvalidArgument { what: "counts", .. })));
        }
        assert!(affordable(1 << 20).is_ok());
        assert!(matches!(affordable(isize::MAX as usize), Err(Error::System { .. })));
    }
}
