//! Calls whose blocks differ in length: counts and displacements in two buffers, or one pointer per block.
//!
//! [`super::placement`] checks what must hold before anything is sent. Plans are built per layout, because
//! counts change from call to call. Those of recent layouts are kept ([`super::layout_cache`]).

use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result, mix};
use crate::device::Kinds;
use crate::plan::{Block, BlockLayout};

/// One call of a collective with a layout.
#[derive(Clone, Copy, Debug)]
pub struct Unequal<'a> {
    /// The collective, which has a layout.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, if the collective has one; otherwise 0.
    pub root: Rank,
    /// The blocks, as [`BlockLayout`] lists them for the collective. Offsets count from the start of a
    /// buffer. In lists of pointers, blocks follow one another.
    pub layout: BlockLayout<'a>,
    /// The memory of the blocks.
    pub places: Places<'a>,
}

/// A call with copies of all lists that describe it.
pub(in crate::comm) struct OwnedUnequal {
    collective: Collective,
    datatype: Datatype,
    op: Option<ReduceOp>,
    root: Rank,
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
    host_lengths: Vec<usize>,
    places: OwnedPlaces,
}

enum OwnedPlaces {
    Buffers { send: *const u8, recv: *mut u8 },
    Lists { sends: Vec<*const u8>, recvs: Vec<*mut u8> },
}

impl OwnedUnequal {
    /// Copies the lists of a call.
    pub fn of(call: &Unequal) -> OwnedUnequal {
        let Unequal { collective, datatype, op, root, layout, places } = *call;
        OwnedUnequal {
            collective,
            datatype,
            op,
            root,
            input: layout.input.to_vec(),
            output: layout.output.to_vec(),
            sources: layout.sources.to_vec(),
            destinations: layout.destinations.to_vec(),
            host_lengths: layout.host_lengths.to_vec(),
            places: match places {
                Places::Buffers { send, recv } => OwnedPlaces::Buffers { send, recv },
                Places::Lists { sends, recvs } => {
                    OwnedPlaces::Lists { sends: sends.to_vec(), recvs: recvs.to_vec() }
                }
            },
        }
    }

    /// The call, as those who start it take it.
    pub fn borrowed(&self) -> Unequal<'_> {
        Unequal {
            collective: self.collective,
            datatype: self.datatype,
            op: self.op,
            root: self.root,
            layout: BlockLayout {
                input: &self.input,
                output: &self.output,
                sources: &self.sources,
                destinations: &self.destinations,
                host_lengths: &self.host_lengths,
            },
            places: match &self.places {
                OwnedPlaces::Buffers { send, recv } => Places::Buffers { send: *send, recv: *recv },
                OwnedPlaces::Lists { sends, recvs } => Places::Lists { sends, recvs },
            },
        }
    }
}

/// The memory of the blocks of a call.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// All blocks lie in two buffers.
    Buffers {
        /// Start of the input.
        send: *const u8,
        /// Start of the output.
        recv: *mut u8,
    },
    /// Each block has a pointer of its own.
    Lists {
        /// Pointers to the blocks of the input.
        sends: &'a [*const u8],
        /// Pointers to the blocks of the output.
        recvs: &'a [*mut u8],
    },
}

impl Unequal<'_> {
    /// The call as the other ranks see it.
    pub(in crate::comm) fn whole_call(&self) -> Call {
        let Unequal { collective, datatype, op, root, .. } = *self;
        let count = match self.shared_counts() {
            Some(blocks) => {
                blocks.iter().fold(blocks.len() as u64, |hash, block| mix(hash ^ block.len as u64))
            }
            None => Call::WHOLE,
        };
        Call { kind: CallKind::Collective(collective), datatype, op, root, count }
    }

    /// The blocks whose lengths all ranks know.
    fn shared_counts(&self) -> Option<&[Block]> {
        match self.collective {
            Collective::AllGatherV => Some(self.layout.output),
            Collective::ReduceScatterV => Some(self.layout.input),
            _ => None,
        }
    }

    /// Mean length of the blocks whose lengths all ranks know. It is the count of the plan's request.
    pub(in crate::comm) fn mean_count(&self) -> usize {
        let blocks = self.shared_counts().unwrap_or_default();
        let whole: usize = blocks.iter().map(|block| block.len).sum();
        whole.div_ceil(blocks.len().max(1))
    }

    /// Refuses blocks that the processor cannot access.
    pub(in crate::comm) fn check_host(&self, kinds: &Kinds) -> Result<()> {
        if !kinds.may_differ() {
            return Ok(());
        }
        let check = |blocks: &[Block], start: &dyn Fn(usize) -> Option<usize>, what| {
            let mut used = blocks.iter().enumerate().filter(|(_, block)| block.len > 0);
            used.try_for_each(|(at, block)| kinds.check_host(start(at).unwrap_or(0), block.len, what))
        };
        match self.places {
            Places::Buffers { send, recv } => {
                check(self.layout.input, &|_| Some(send.addr()), "send")?;
                check(self.layout.output, &|_| Some(recv.addr()), "recv")
            }
            Places::Lists { sends, recvs } => {
                check(self.layout.input, &|at| sends.get(at).map(|start| start.addr()), "sends")?;
                check(self.layout.output, &|at| recvs.get(at).map(|start| start.addr()), "recvs")
            }
        }
    }

    /// Refuses a call that sends this rank itself a block of another length than it receives from itself.
    pub(super) fn check_own(&self, rank: Rank) -> Result<()> {
        let BlockLayout { input, output, sources, destinations, .. } = self.layout;
        if self.collective.has_graph() {
            let places = |ranks: &'_ [Rank]| -> Vec<usize> {
                ranks.iter().enumerate().filter(|(_, peer)| **peer == rank).map(|(at, _)| at).collect()
            };
            let sent =
                |at: usize| if input.len() == destinations.len() { input[at].len } else { input[0].len };
            let mut edges = places(destinations).into_iter().zip(places(sources));
            return match edges.find(|(from, to)| sent(*from) != output[*to].len) {
                Some((from, to)) => self_mismatch(sent(from), output[to].len),
                None => Ok(()),
            };
        }
        let of = |blocks: &[Block]| match blocks {
            [] => None,
            [own] => Some(own.len),
            blocks => Some(blocks[rank as usize].len),
        };
        match of(input).zip(of(output)) {
            Some((sent, received)) if sent != received => self_mismatch(sent, received),
            _ => Ok(()),
        }
    }

    /// Numbers of blocks that this rank has in the input and in the output.
    pub(super) fn lists(&self, rank: Rank, size: usize) -> Result<(usize, usize)> {
        let at_root = if rank == self.root { size } else { 0 };
        Ok(match self.collective {
            Collective::AllGatherV => (1, size),
            Collective::GatherV => (1, at_root),
            Collective::ScatterV => (at_root, 1),
            Collective::ReduceScatterV => (size, 1),
            Collective::AllToAllV => (size, size),
            Collective::NeighborAllGatherV => (1, self.layout.sources.len()),
            Collective::NeighborAllToAllV => (self.layout.destinations.len(), self.layout.sources.len()),
            other => {
                let got = format!("{}, which takes a single count", other.name());
                return Err(Error::InvalidArgument { what: "collective with a layout", got });
            }
        })
    }
}

fn self_mismatch(sent: usize, received: usize) -> Result<()> {
    let got = format!("{sent} elements sent to oneself, {received} received from oneself");
    Err(Error::InvalidArgument { what: "counts", got })
}
