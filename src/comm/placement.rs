//! Where the blocks of a call with a layout are, and what must hold of them before anything is sent.
//!
//! It is checked on addresses: blocks that are not empty are somewhere, and blocks that are written overlap nothing, except
//! that a block may arrive where the counterpart is sent from.

use crate::base::{Collective, Error, Rank, Result};
use crate::device::Kinds;
use crate::executor::{Buffers, Program, Stretch};
use crate::plan::{Block, BlockLayout, Buffer, Plan, PlanRequest};
use crate::transport::SingleCopy;

use super::operation::in_range;
use super::unequal::{Places, Unequal};

/// Where a call was placed.
pub(super) struct Placed {
    pub buffers: Buffers,
    pub placement: Placement,
}

/// The same, as far as its program depends on it.
#[derive(Clone)]
pub(super) struct Placement {
    /// The own block need not be moved.
    pub in_place: bool,
    /// Addresses on which the program depends: none for two buffers apart; where both begin, if they overlap; one for
    /// each block of lists, the input's first.
    pub addresses: Vec<usize>,
    /// Whether the blocks are a list of pointers.
    pub is_list: bool,
}

impl Placement {
    /// Whether a block of the output lies where one of the input does, or may do so: lists are not asked.
    pub fn overlaps(&self) -> bool {
        !self.addresses.is_empty() && !self.is_list
    }

    /// Where the blocks of one-byte elements lie behind the buffers, and in copies that are as the layout says.
    pub fn stretches(&self, layout: BlockLayout) -> [Vec<Stretch>; 2] {
        let BlockLayout { input, output, .. } = layout;
        let (inputs, outputs) = self.addresses.split_at(if self.is_list { input.len() } else { 0 });
        [(input, inputs), (output, outputs)].map(|(blocks, starts)| {
            let stretch = |(index, block): (usize, &Block)| Stretch {
                offset: if self.is_list { starts[index] } else { block.offset },
                at: block.offset,
                elements: block.len,
            };
            blocks.iter().enumerate().filter(|(_, block)| block.len > 0).map(stretch).collect()
        })
    }

    pub fn compile(&self, plan: &Plan, request: &PlanRequest, single_copy: SingleCopy) -> Program {
        let unit = request.element_bytes;
        let BlockLayout { input, output, .. } = request.layout;
        if self.is_list {
            let (inputs, outputs) = self.addresses.split_at(input.len());
            return Program::compile_at(plan, request, single_copy, (0, 0), |buffer, element| match buffer {
                Buffer::Input => address_in(input, inputs, element, unit),
                _ => address_in(output, outputs, element, unit),
            });
        }
        match self.addresses[..] {
            [send, recv] => Program::compile_at(plan, request, single_copy, (send, recv), |_, at| at * unit),
            _ => Program::compile(plan, &PlanRequest { in_place: false, ..*request }, single_copy),
        }
    }
}

/// Address of an element of blocks that lie one after the other in the layout, and at `starts` in memory.
fn address_in(blocks: &[Block], starts: &[usize], element: usize, unit: usize) -> usize {
    let at = blocks.partition_point(|block| block.end() <= element);
    starts[at] + (element - blocks[at].offset) * unit
}

/// Bytes of memory that a block covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: usize,
    bytes: usize,
    /// Index in its list of blocks.
    index: usize,
}

impl Run {
    fn end(&self) -> usize {
        self.start + self.bytes
    }
}

impl Unequal<'_> {
    /// Says what is wrong with the call, or where its blocks are.
    pub(super) fn place(&self, rank: Rank, size: u32) -> Result<Placed> {
        let BlockLayout { input, output, sources, destinations, .. } = self.layout;
        if self.collective.has_root() {
            in_range("root", self.root, size)?;
        }
        sources.iter().chain(destinations).try_for_each(|peer| in_range("neighbour", *peer, size))?;
        if (input.len(), output.len()) != self.lists(rank, size as usize)? {
            let got = format!("{} and {} of {}", input.len(), output.len(), self.collective.name());
            return Err(Error::InvalidArgument { what: "number of blocks", got });
        }
        self.check_own(rank)?;
        let (sends, recvs) = match self.places {
            Places::Buffers { send, recv } => {
                (self.runs(input, |_| send.addr(), "send")?, self.runs(output, |_| recv.addr(), "recv")?)
            }
            Places::Lists { sends, recvs } => {
                if (sends.len(), recvs.len()) != (input.len(), output.len()) {
                    let got = format!("{} and {}", sends.len(), recvs.len());
                    return Err(Error::InvalidArgument { what: "number of pointers", got });
                }
                (
                    self.runs(input, |at| sends[at].addr(), "sends")?,
                    self.runs(output, |at| recvs[at].addr(), "recvs")?,
                )
            }
        };
        let meet = self.check_overlaps(&sends, recvs, rank)?;
        Ok(match self.places {
            Places::Buffers { send, recv } => Placed {
                buffers: Buffers { input: send, output: recv },
                placement: Placement {
                    in_place: meet.own,
                    addresses: if meet.any {
                        vec![send.expose_provenance(), recv.expose_provenance()]
                    } else {
                        vec![]
                    },
                    is_list: false,
                },
            },
            Places::Lists { sends: from, recvs: to } => Placed {
                buffers: Buffers { input: std::ptr::null(), output: std::ptr::null_mut() },
                placement: Placement {
                    in_place: meet.own,
                    addresses: {
                        let inputs = from.iter().map(|block| block.expose_provenance());
                        inputs.chain(to.iter().map(|block| block.expose_provenance())).collect()
                    },
                    is_list: true,
                },
            },
        })
    }

    /// Refuses blocks that the processor cannot reach.
    pub(super) fn check_host(&self, kinds: &Kinds) -> Result<()> {
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

    /// What a rank sends to itself is what it receives from itself.
    fn check_own(&self, rank: Rank) -> Result<()> {
        let BlockLayout { input, output, sources, destinations, .. } = self.layout;
        if self.collective.has_graph() {
            let places = |ranks: &'_ [Rank]| -> Vec<usize> {
                ranks.iter().enumerate().filter(|(_, peer)| **peer == rank).map(|(at, _)| at).collect()
            };
            let sent =
                |at: usize| if input.len() == destinations.len() { input[at].len } else { input[0].len };
            let mut edges = places(destinations).into_iter().zip(places(sources));
            return match edges.find(|(from, to)| sent(*from) != output[*to].len) {
                Some((from, to)) => unequal_to_oneself(sent(from), output[to].len),
                None => Ok(()),
            };
        }
        let of = |blocks: &[Block]| match blocks {
            [] => None,
            [own] => Some(own.len),
            blocks => Some(blocks[rank as usize].len),
        };
        match of(input).zip(of(output)) {
            Some((sent, received)) if sent != received => unequal_to_oneself(sent, received),
            _ => Ok(()),
        }
    }

    /// How many blocks this rank has in the input and in the output.
    fn lists(&self, rank: Rank, size: usize) -> Result<(usize, usize)> {
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
                let got = format!("{}; it takes one count", other.name());
                return Err(Error::InvalidArgument { what: "collective with a layout", got });
            }
        })
    }

    /// The memory of blocks that are not empty. `start` gives where a buffer or, for lists, a block begins.
    fn runs(&self, blocks: &[Block], start: impl Fn(usize) -> usize, what: &'static str) -> Result<Vec<Run>> {
        let is_list = matches!(self.places, Places::Lists { .. });
        let unit = self.datatype.bytes();
        let mut runs = Vec::with_capacity(blocks.len());
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| block.len > 0) {
            let base = start(index);
            if base == 0 {
                let got = format!("NULL, but block {index} has {} elements", block.len);
                return Err(Error::InvalidArgument { what, got });
            }
            let offset = if is_list { 0 } else { block.offset };
            let bytes = block.len.checked_mul(unit).filter(|bytes| isize::try_from(*bytes).is_ok());
            let first = offset.checked_mul(unit).and_then(|offset| base.checked_add(offset));
            let run = first.zip(bytes).filter(|(first, bytes)| first.checked_add(*bytes).is_some());
            let Some((start, bytes)) = run else {
                let got =
                    format!("block {index}, {} elements from element {offset}, exceeds memory", block.len);
                return Err(Error::InvalidArgument { what, got });
            };
            runs.push(Run { start, bytes, index });
        }
        Ok(runs)
    }

    /// Refuses blocks that are written where others are read or written.
    fn check_overlaps(&self, sends: &[Run], mut recvs: Vec<Run>, rank: Rank) -> Result<Meeting> {
        if !recvs.is_sorted_by_key(|run| run.start) {
            recvs.sort_by_key(|run| run.start);
        }
        if let Some(pair) = recvs.windows(2).find(|pair| pair[0].end() > pair[1].start) {
            let got = format!("blocks {} and {} overlap", pair[0].index, pair[1].index);
            return Err(Error::InvalidArgument { what: "recv", got });
        }
        let mut meeting = Meeting::default();
        for send in sends {
            let behind = recvs.partition_point(|recv| recv.end() <= send.start);
            let Some(recv) = recvs.get(behind).filter(|recv| recv.start < send.end()) else { continue };
            let identical = (recv.start, recv.bytes) == (send.start, send.bytes);
            if !identical || !self.are_counterparts(send.index, recv.index, rank) {
                let got = format!(
                    "block {} of send overlaps block {} of recv, which is no exchange in place",
                    send.index, recv.index
                );
                return Err(Error::InvalidArgument { what: "send", got });
            }
            meeting.any = true;
            meeting.own |= self.collective != Collective::AllToAllV || send.index == rank as usize;
        }
        Ok(meeting)
    }

    /// Whether a block of the output may take the place of a block of the input.
    fn are_counterparts(&self, input: usize, output: usize, rank: Rank) -> bool {
        match self.collective {
            Collective::AllGatherV | Collective::GatherV => output == rank as usize,
            Collective::ReduceScatterV | Collective::ScatterV => input == rank as usize,
            Collective::AllToAllV => input == output,
            _ => false,
        }
    }
}

fn unequal_to_oneself(sent: usize, received: usize) -> Result<()> {
    let got = format!("{sent} elements sent to oneself, {received} received from oneself");
    Err(Error::InvalidArgument { what: "counts", got })
}

/// Which blocks of the input lie in the output.
#[derive(Default)]
struct Meeting {
    any: bool,
    own: bool,
}
