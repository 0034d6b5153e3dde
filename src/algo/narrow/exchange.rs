//! The parts between hosts: all_reduce and reduce among one rank of each host.
//!
//! all_reduce cuts the numbers into a segment for each rank. Each rank sends the others their segments in
//! narrow form, adds what it receives to its own numbers, and makes the narrow form of the sum. It sends that
//! to all, and all make their result of it, this rank as well.
//!
//! Cost of all_reduce, p ranks, n bytes in narrow form: 2 alpha + 2 (p-1)/p n beta, as of a ring, and one
//! pass over the numbers for each conversion. Scratch about 2 n.

use crate::algo::patterns::builder::{LaneBuilder, RoundBuilder, input, output, plan, scratch};
use crate::algo::patterns::direct::others;
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::base::{Rank, WireFormat};
use crate::cost::{LinkModel, Terms, burst, moved, reduced};
use crate::plan::{Plan, PlanRequest, Span};

/// The format with this number, which is a type: algorithms are plain functions.
const fn format_of<const NUMBER: u8>() -> WireFormat {
    WireFormat::from_number(NUMBER).expect("a format has this number")
}

/// Places of narrow forms in scratch.
struct Forms {
    format: WireFormat,
    used: usize,
}

impl Forms {
    fn new(format: WireFormat) -> Forms {
        Forms { format, used: 0 }
    }

    /// A place for `count` numbers.
    fn place(&mut self, count: usize) -> Span {
        let start = self.used;
        self.used += self.format.narrow_len(count);
        scratch(start..self.used)
    }

    /// Adds the numbers of all forms to the own ones.
    fn sum(&self, round: &mut RoundBuilder, received: &[Span], own: Span, result: Span) {
        let mut summand = own;
        for form in received {
            round.widen(self.format, *form, Some(summand), result);
            summand = result;
        }
    }
}

/// all_reduce of float32 among ranks of different hosts.
pub(super) fn all_reduce<const NUMBER: u8>(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let format = format_of::<NUMBER>();
    let segments = Segments::new(request.count, request.size as usize);
    let segment = |rank: Rank| segments.part(rank as usize);
    let peers = others(request);
    let (own, result) = (input(segment(request.rank)), output(segment(request.rank)));
    let mut forms = Forms::new(format);
    // What goes to each peer. Its result comes back to the same place.
    let theirs: Vec<(Rank, Span)> =
        peers.iter().map(|peer| (*peer, forms.place(segment(*peer).len()))).collect();
    let received: Vec<Span> = peers.iter().map(|_| forms.place(own.len)).collect();
    // The first form has been read when the result takes its place.
    let rounded = received[0];

    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        for (peer, place) in &theirs {
            round.narrow(format, input(segment(*peer)), *place);
            round.send(*peer, *place);
        }
        peers.iter().zip(&received).for_each(|(peer, place)| round.receive(*peer, *place));
    });
    lane.round(|round| {
        forms.sum(round, &received, own, result);
        round.narrow(format, result, rounded);
        round.widen(format, rounded, None, result);
        round.send_to_all(peers.clone(), rounded);
        theirs.iter().for_each(|(peer, place)| round.receive(*peer, *place));
    });
    lane.round(|round| {
        theirs.iter().for_each(|(peer, place)| {
            round.widen(format, *place, None, output(segment(*peer)));
        });
    });
    plan(forms.used, [lane])
}

/// reduce of float32 to the root, among ranks of different hosts. The result is not rounded.
pub(super) fn reduce<const NUMBER: u8>(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let format = format_of::<NUMBER>();
    let own = input(0..request.count);
    let mut forms = Forms::new(format);
    let mut lane = LaneBuilder::default();
    if request.rank != request.root {
        let form = forms.place(request.count);
        lane.round(|round| {
            round.narrow(format, own, form);
            round.send(request.root, form);
        });
        return plan(forms.used, [lane]);
    }
    let peers = others(request);
    let received: Vec<Span> = peers.iter().map(|_| forms.place(request.count)).collect();
    lane.round(|round| {
        peers.iter().zip(&received).for_each(|(peer, place)| round.receive(*peer, *place));
    });
    lane.round(|round| forms.sum(round, &received, own, output(0..request.count)));
    plan(forms.used, [lane])
}

/// Bytes of the narrow form of so many bytes of float32.
pub(super) fn narrow_bytes<const NUMBER: u8>(bytes: f64) -> f64 {
    let (format, block) = (format_of::<NUMBER>(), WireFormat::BLOCK);
    bytes * format.narrow_len(block) as f64 / block as f64
}

pub(super) fn all_reduce_cost<const NUMBER: u8>(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.foreign_share() * t.bytes;
    let crossing = narrow_bytes::<NUMBER>(bytes);
    2.0 * (burst(link, t.others()) + moved(link, crossing)) + 3.0 * reduced(link, bytes)
}
