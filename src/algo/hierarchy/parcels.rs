//! Parcels: blocks of several ranks that travel between two hosts as one message.
//!
//! Short blocks are worth a parcel; long ones go directly ([`is_parcel`]). All ranks of both hosts decide
//! alike, because they know the lengths: from the caller, or from the length exchange before
//! ([`super::length_exchange`]).
//!
//! A parcel is one message with one count in its header. The count is a *digest* of all lengths. So two hosts
//! that disagree about any length notice it, even if the sums are equal.

use super::hosts::Hosts;
use crate::base::{Collective, Rank};
use crate::plan::{Block, PlanRequest};

/// Mean length from which blocks go directly: one more copy then costs more than the messages that a parcel
/// saves.
const DIRECT_BYTES: usize = 16 << 10;

/// Whether blocks of these lengths, between the ranks of one host and a rank of another, travel as one
/// parcel.
pub(in crate::algo) fn is_parcel(request: &PlanRequest, lens: impl ExactSizeIterator<Item = usize>) -> bool {
    let blocks = lens.len();
    lens.sum::<usize>() * request.element_bytes < DIRECT_BYTES * blocks
}

/// The counts in the headers of a rank's parcels: a digest of the lengths in each.
#[derive(Debug, Default)]
pub struct ParcelDigests {
    /// The receiver and the digest of each parcel that the rank sends.
    pub sent: Vec<(Rank, u64)>,
    /// The sender and the digest of each parcel that the rank receives.
    pub received: Vec<(Rank, u64)>,
}

impl ParcelDigests {
    /// The digests of the rank and the call of `request`, whose layout has the lengths of this host.
    pub fn of<'a>(request: &PlanRequest<'a>) -> ParcelDigests {
        let hosts = Hosts::of(request);
        let host_lengths = request.layout.host_lengths;
        let lens = |blocks: &'a [Block], host: usize| {
            hosts.members(host).iter().map(|&rank| blocks[rank as usize].len)
        };
        let (root, leads) = (request.root, hosts.local()[0] == request.rank);
        let is_root = request.rank == root;
        let leads_abroad = leads && hosts.own() != hosts.host_of(root);
        let mut digests = ParcelDigests::default();
        match request.collective {
            Collective::GatherV | Collective::ScatterV
                if leads_abroad && is_parcel(request, host_lengths.iter().copied()) =>
            {
                let side = match request.collective {
                    Collective::GatherV => &mut digests.sent,
                    _ => &mut digests.received,
                };
                side.push((root, digest(host_lengths.iter().copied())));
            }
            Collective::GatherV | Collective::ScatterV if is_root => {
                let (blocks, side) = match request.collective {
                    Collective::GatherV => (request.layout.output, &mut digests.received),
                    _ => (request.layout.input, &mut digests.sent),
                };
                let parcels = hosts.others().filter(|&host| is_parcel(request, lens(blocks, host)));
                side.extend(parcels.map(|host| (hosts.members(host)[0], digest(lens(blocks, host)))));
            }
            Collective::AllToAllV => {
                let foreign = hosts.foreign().count();
                for (at, to) in hosts.foreign().enumerate() {
                    let lens = host_lengths.iter().skip(at).step_by(foreign).copied();
                    let is_carrier = hosts.carrier(hosts.own(), hosts.column(to)) == request.rank;
                    if is_carrier && is_parcel(request, lens.clone()) {
                        digests.sent.push((to, digest(lens)));
                    }
                }
                let (column, blocks) = (hosts.column(request.rank), request.layout.output);
                let parcels = hosts.others().filter(|&host| is_parcel(request, lens(blocks, host)));
                let of = |host| (hosts.carrier(host, column), digest(lens(blocks, host)));
                digests.received.extend(parcels.map(of));
            }
            _ => {}
        }
        digests
    }
}

/// Digest of a parcel of blocks with these lengths: the length of a single block, else a hash of all lengths.
fn digest(lens: impl Iterator<Item = usize> + Clone) -> u64 {
    let mut one = lens.clone();
    match (one.next(), one.next()) {
        (Some(len), None) => len as u64,
        _ => crate::base::Call::of_parcel(lens.map(|len| len as u64)),
    }
}
