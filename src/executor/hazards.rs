//! Write-after-read hazards: the sends of a round that read what a receive of the same round writes.
//!
//! The sends of a round in one memory are sorted by where they begin. The search for the sends that overlap a
//! span runs backwards from the end of the span. It stops where no earlier send reaches the start of the
//! span.

use super::steps::{Bytes, Hazard, PeerQueue, RecvStep, SendStep};
use crate::base::Collective;
use crate::plan::{Buffer, PlanRequest};
use crate::transport::SingleCopy;

/// Tells which buffers of a call lie in the same memory: input and output do if the call is in place.
pub(super) struct MemoryMap {
    /// Offsets of input and of output in bytes, if both lie in the same memory.
    pub starts: Option<(usize, usize)>,
}

impl MemoryMap {
    pub fn of(request: &PlanRequest) -> MemoryMap {
        let mine = request.rank as usize * request.count * request.element_bytes;
        let starts = request.in_place.then_some(match request.collective {
            Collective::AllGather | Collective::Gather => (mine, 0),
            Collective::ReduceScatter | Collective::Scatter => (0, mine),
            _ => (0, 0),
        });
        MemoryMap { starts }
    }

    /// The number of the memory in which a span lies, and the offset of the span there.
    pub fn place(&self, span: &Bytes) -> (usize, usize) {
        match (span.buffer, self.starts) {
            (Buffer::Scratch, _) => (2, span.offset),
            (Buffer::Input, None) => (0, span.offset),
            (Buffer::Output, None) => (1, span.offset),
            (Buffer::Input, Some((input, _))) => (0, input + span.offset),
            (Buffer::Output, Some((_, output))) => (0, output + span.offset),
        }
    }
}

/// A send in its round, lane and memory.
struct Sent {
    /// Round, lane, memory.
    place: (u32, u32, usize),
    start: usize,
    end: usize,
    /// The furthest end among this send and those sorted before it with the same `place`.
    reach: usize,
    hazard: Hazard,
}

/// Gives each receive its hazards. A send for which a receive waits must be copied, so its `single_copy`
/// becomes `Never`.
pub(super) fn add(sends: &mut [PeerQueue<SendStep>], recvs: &mut [PeerQueue<RecvStep>], map: &MemoryMap) {
    let sorted = sorted(sends, map);
    if sorted.is_empty() {
        return;
    }
    for step in recvs.iter_mut().flat_map(|queue| &mut queue.steps) {
        let (place, start, end) = extent((step.round, step.lane), &step.dst, map);
        let behind = sorted.partition_point(|sent| (sent.place, sent.start) < (place, end));
        let in_front = sorted[..behind].iter().rev();
        for sent in in_front.take_while(|sent| sent.place == place && sent.reach > start) {
            if sent.end > start && start < end {
                step.hazards.push(sent.hazard);
                sends[sent.hazard.queue as usize].steps[sent.hazard.position as usize].single_copy =
                    SingleCopy::Never;
            }
        }
    }
}

/// The non-empty sends, sorted by round, lane, memory and start.
fn sorted(sends: &[PeerQueue<SendStep>], map: &MemoryMap) -> Vec<Sent> {
    let mut sorted = Vec::new();
    for (queue, steps) in sends.iter().enumerate() {
        for (position, step) in steps.steps.iter().enumerate().filter(|(_, step)| step.span.len > 0) {
            let (place, start, end) = extent((step.round, step.lane), &step.span, map);
            let hazard = Hazard { queue: queue as u32, position: position as u32 };
            sorted.push(Sent { place, start, end, reach: end, hazard });
        }
    }
    sorted.sort_by_key(|sent| (sent.place, sent.start));
    for at in 1..sorted.len() {
        if sorted[at].place == sorted[at - 1].place {
            sorted[at].reach = sorted[at].reach.max(sorted[at - 1].reach);
        }
    }
    sorted
}

fn extent((round, lane): (u32, u32), span: &Bytes, map: &MemoryMap) -> ((u32, u32, usize), usize, usize) {
    let (memory, start) = map.place(span);
    ((round, lane, memory), start, start + span.len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Raw = (u32, u32, usize, usize, usize);

    fn bytes(&(_, _, buffer, offset, len): &Raw) -> Bytes {
        Bytes { buffer: [Buffer::Input, Buffer::Output, Buffer::Scratch][buffer], offset, len }
    }

    fn spans() -> impl Strategy<Value = Vec<Raw>> {
        prop::collection::vec((0u32..3, 0u32..2, 0usize..3, 0usize..30, 0usize..9), 0..40)
    }

    proptest! {
        #[test]
        fn the_hazards_are_the_sends_of_the_round_that_overlap(
            sent in spans(),
            received in spans(),
            is_in_place in any::<bool>(),
        ) {
            let map = MemoryMap { starts: is_in_place.then_some((3, 0)) };
            let send = |raw: &Raw| SendStep { lane: raw.1, round: raw.0, span: bytes(raw), count: 0, single_copy: SingleCopy::IfOversubscribed };
            let receive = |raw: &Raw| {
                RecvStep { lane: raw.1, round: raw.0, operand: None, dst: bytes(raw), count: 0, hazards: vec![], streamed: false }
            };
            // A few messages go to each peer.
            let queue = |(peer, raws): (usize, &[Raw])| PeerQueue { peer: peer as u32, steps: raws.iter().map(send).collect() };
            let mut sends: Vec<PeerQueue<SendStep>> = sent.chunks(3).enumerate().map(queue).collect();
            let mut recvs = vec![PeerQueue { peer: 0, steps: received.iter().map(receive).collect() }];
            add(&mut sends, &mut recvs, &map);

            let mut waited_for = vec![false; sent.len()];
            for (raw, step) in received.iter().zip(&recvs[0].steps) {
                let (place, start, end) = extent((raw.0, raw.1), &bytes(raw), &map);
                let overlaps = |raw: &Raw| {
                    let (other, from, to) = extent((raw.0, raw.1), &bytes(raw), &map);
                    place == other && from.max(start) < to.min(end)
                };
                let expected: Vec<usize> = (0..sent.len()).filter(|at| overlaps(&sent[*at])).collect();
                let mut found: Vec<usize> =
                    step.hazards.iter().map(|hazard| hazard.queue as usize * 3 + hazard.position as usize).collect();
                found.sort_unstable();
                expected.iter().for_each(|at| waited_for[*at] = true);
                prop_assert_eq!(found, expected);
            }
            let lends = sends.iter().flat_map(|queue| &queue.steps).map(|step| step.single_copy == SingleCopy::Never);
            prop_assert_eq!(lends.collect::<Vec<bool>>(), waited_for);
        }
    }
}
