//! Parcels: blocks of several ranks that travel between two hosts as one message.
//!
//! Short blocks are worth a parcel, long ones go directly ([`is_parcel`]). All ranks of both hosts decide alike, because they
//! know the lengths: from the caller, or from the exchange before ([`super::length_exchange`]).
//!
//! A parcel is one message with one count in its header. That is a *label* of all its lengths, so two hosts that disagree
//! about any of them find out, also where the sums are equal.

use super::hosts::Hosts;
use crate::base::{Collective, Rank};
use crate::plan::{Block, PlanRequest};

/// Blocks of this many bytes, on average, go directly: to copy them once more costs more than the messages that are saved.
const DIRECT_BYTES: usize = 16 << 10;

/// Whether blocks of these lengths, between the ranks of one host and a rank of another, travel as one parcel.
pub(in crate::algo) fn is_parcel(request: &PlanRequest, lens: impl ExactSizeIterator<Item = usize>) -> bool {
    let blocks = lens.len();
    lens.sum::<usize>() * request.element_bytes < DIRECT_BYTES * blocks
}

/// The counts in the headers of a rank's parcels.
#[derive(Debug, Default)]
pub struct Labels {
    /// Of those that it sends, with their receivers.
    pub sent: Vec<(Rank, u64)>,
    /// Of those that it receives, with their senders.
    pub received: Vec<(Rank, u64)>,
}

impl Labels {
    /// Those of the rank and the call of `request`, which has been told.
    pub fn of<'a>(request: &PlanRequest<'a>) -> Labels {
        let hosts = Hosts::of(request);
        let told = request.layout.told;
        let lens = |blocks: &'a [Block], host: usize| {
            hosts.members(host).iter().map(|&rank| blocks[rank as usize].len)
        };
        let (root, leads) = (request.root, hosts.local()[0] == request.rank);
        let is_root = request.rank == root;
        let leads_abroad = leads && hosts.own() != hosts.host_of(root);
        let mut labels = Labels::default();
        match request.collective {
            Collective::GatherV | Collective::ScatterV
                if leads_abroad && is_parcel(request, told.iter().copied()) =>
            {
                let side = match request.collective {
                    Collective::GatherV => &mut labels.sent,
                    _ => &mut labels.received,
                };
                side.push((root, label(told.iter().copied())));
            }
            Collective::GatherV | Collective::ScatterV if is_root => {
                let (blocks, side) = match request.collective {
                    Collective::GatherV => (request.layout.output, &mut labels.received),
                    _ => (request.layout.input, &mut labels.sent),
                };
                let parcels = hosts.others().filter(|&host| is_parcel(request, lens(blocks, host)));
                side.extend(parcels.map(|host| (hosts.members(host)[0], label(lens(blocks, host)))));
            }
            Collective::AllToAllV => {
                let foreign = hosts.foreign().count();
                for (at, to) in hosts.foreign().enumerate() {
                    let lens = told.iter().skip(at).step_by(foreign).copied();
                    let is_carrier = hosts.carrier(hosts.own(), hosts.column(to)) == request.rank;
                    if is_carrier && is_parcel(request, lens.clone()) {
                        labels.sent.push((to, label(lens)));
                    }
                }
                let (column, blocks) = (hosts.column(request.rank), request.layout.output);
                let parcels = hosts.others().filter(|&host| is_parcel(request, lens(blocks, host)));
                let of = |host| (hosts.carrier(host, column), label(lens(blocks, host)));
                labels.received.extend(parcels.map(of));
            }
            _ => {}
        }
        labels
    }
}

/// Of a parcel of blocks with these lengths: the length of a single one, else a hash of them.
fn label(lens: impl Iterator<Item = usize> + Clone) -> u64 {
    let mut one = lens.clone();
    match (one.next(), one.next()) {
        (Some(len), None) => len as u64,
        _ => crate::base::Call::of_parcel(lens.map(|len| len as u64)),
    }
}
