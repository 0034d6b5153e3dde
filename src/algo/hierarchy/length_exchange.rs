//! The exchange of block lengths among the ranks of a host, before unequal blocks travel together.
//!
//! Only the sender and the receiver of a block know its length. A rank that collects blocks of its neighbours
//! for a rank of another host needs these lengths to make a plan. So the ranks of a host exchange them first,
//! in a neighbour exchange with one number per block. Hosts exchange no lengths with each other: the receiver
//! of a parcel knows the lengths of its blocks, and so the length of the parcel.
//!
//! ```text
//!                  sends to the ranks of its host
//! gather_v         the length of the own block, unless the root is one of them
//! scatter_v        the length of the own block, unless the root is one of them
//! all_to_all_v     the length of its block for each rank of another host
//! ```
//!
//! All ranks of the host receive the lengths, because all must know which blocks are worth a parcel
//! ([`super::parcels`]).

use super::hosts::Hosts;
use crate::algo::patterns::blocks::{own_input, own_output};
use crate::base::{Collective, Rank};
use crate::plan::{Block, BlockLayout, PlanRequest};

/// The lengths that one rank sends and receives: a neighbour exchange of numbers.
#[derive(Debug, Default)]
pub struct LengthExchange {
    /// The lengths that the rank sends, the same ones to each destination.
    pub sent: Vec<u64>,
    /// Number of lengths that the rank receives from all sources together.
    pub received: usize,
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
}

impl LengthExchange {
    /// The exchange of the rank and the call of `request`.
    pub fn of(request: &PlanRequest) -> LengthExchange {
        let hosts = Hosts::of(request);
        let mut exchange = LengthExchange::default();
        let own = match request.collective {
            Collective::AllToAllV => {
                hosts.foreign().map(|to| request.layout.input[to as usize].len).collect()
            }
            _ if hosts.own() == hosts.host_of(request.root) => Vec::new(),
            Collective::GatherV => vec![own_input(request).len()],
            _ => vec![own_output(request).len()],
        };
        for &local in hosts.local() {
            exchange.add_destination(local, &own);
            exchange.add_source(local, own.len());
        }
        exchange
    }

    /// Adds a destination. Every destination gets the same lengths, from the same place.
    fn add_destination(&mut self, to: Rank, lengths: &[usize]) {
        if lengths.is_empty() {
            return;
        }
        if self.sent.is_empty() {
            self.sent.extend(lengths.iter().map(|len| *len as u64));
        }
        self.destinations.push(to);
        self.input.push(Block { offset: 0, len: lengths.len() });
    }

    fn add_source(&mut self, from: Rank, len: usize) {
        if len > 0 {
            self.sources.push(from);
            self.output.push(Block { offset: self.received, len });
            self.received += len;
        }
    }

    /// The request for the plan of this exchange, among the same ranks as `whole`.
    pub fn request<'a>(&'a self, whole: &PlanRequest<'a>) -> PlanRequest<'a> {
        PlanRequest {
            collective: Collective::NeighborAllToAllV,
            root: 0,
            count: 0,
            element_bytes: size_of::<u64>(),
            in_place: false,
            layout: BlockLayout {
                input: &self.input,
                output: &self.output,
                sources: &self.sources,
                destinations: &self.destinations,
                ..BlockLayout::NONE
            },
            ..*whole
        }
    }
}
