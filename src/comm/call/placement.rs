//! The placement of the blocks of a call with a layout, and its checks before anything is sent.
//!
//! The checks look at addresses: a non-empty block is not NULL, and a block that is written overlaps no other
//! block. An exchange in place is the one exception: a block may be received where its counterpart is sent
//! from.

use crate::base::{Collective, Datatype, Error, Rank, Result};
use crate::executor::{Buffers, Program, Stretch};
use crate::plan::{Block, BlockLayout, Buffer, Plan, PlanRequest};
use crate::transport::SingleCopy;

use super::operation::{Kernels, in_range};
use super::unequal::{Places, Unequal};

/// The placement of a call, and its buffers.
pub(in crate::comm) struct Placed {
    pub buffers: Buffers,
    pub placement: Placement,
}

/// The part of the placement that the compiled plan depends on.
#[derive(Clone)]
pub(in crate::comm) struct Placement {
    /// Whether the own block need not be moved.
    pub in_place: bool,
    /// Addresses on which the compiled plan depends. None for two separate buffers; the starts of both if
    /// they overlap; one per block for lists, the input's first.
    pub addresses: Vec<usize>,
    /// Whether the blocks are a list of pointers.
    pub is_list: bool,
}

impl Placement {
    /// Whether blocks of the output may lie where blocks of the input do. Always false for lists.
    pub fn overlaps(&self) -> bool {
        !self.addresses.is_empty() && !self.is_list
    }

    /// The non-empty blocks of input and output: their offsets in the caller's buffers, of elements of `unit`
    /// bytes, and in copies that follow the layout.
    pub fn stretches(&self, layout: BlockLayout, unit: usize) -> [Vec<Stretch>; 2] {
        let BlockLayout { input, output, .. } = layout;
        let (inputs, outputs) = self.addresses.split_at(if self.is_list { input.len() } else { 0 });
        [(input, inputs), (output, outputs)].map(|(blocks, starts)| {
            let stretch = |(index, block): (usize, &Block)| Stretch {
                offset: if self.is_list { starts[index] } else { block.offset * unit },
                at: block.offset,
                elements: block.len,
            };
            blocks.iter().enumerate().filter(|(_, block)| block.len > 0).map(stretch).collect()
        })
    }

    /// The kernels for float32 copies of the blocks, which follow the layout.
    pub fn kernels_on_copies(operation: &Unequal, size: u32) -> Result<Kernels> {
        let on_copies = Unequal { datatype: Datatype::Float32, ..*operation };
        let apart = Placement { in_place: false, addresses: Vec::new(), is_list: false };
        apart.kernels(&on_copies, size)
    }

    /// The kernels for the blocks in place.
    pub fn kernels(&self, operation: &Unequal, size: u32) -> Result<Kernels> {
        let Some((op, result)) = operation.op.zip(operation.layout.output.first()) else {
            return Ok(Kernels::default());
        };
        let mut kernels = Kernels::of(operation.datatype, op, result.len, size)?;
        if let Some(division) = &mut kernels.divide {
            let in_buffer = result.offset * operation.datatype.bytes();
            division.offset =
                if self.is_list { self.addresses[operation.layout.input.len()] } else { in_buffer };
        }
        Ok(kernels)
    }

    /// Compiles a plan for this placement.
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

/// Address of an element. The blocks are adjacent in the layout, and begin at `starts` in memory.
fn address_in(blocks: &[Block], starts: &[usize], element: usize, unit: usize) -> usize {
    let at = blocks.partition_point(|block| block.end() <= element);
    starts[at] + (element - blocks[at].offset) * unit
}

/// Bytes of memory that a block covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteRun {
    start: usize,
    bytes: usize,
    /// Index in its list of blocks.
    index: usize,
}

impl ByteRun {
    fn end(&self) -> usize {
        self.start + self.bytes
    }
}

impl Placed {
    /// Checks the call, and returns the placement of its blocks. `unit` is the number of bytes of an element.
    pub fn of(call: &Unequal, unit: usize, rank: Rank, size: u32) -> Result<Placed> {
        let BlockLayout { input, output, sources, destinations, .. } = call.layout;
        if call.collective.has_root() {
            in_range("root", call.root, size)?;
        }
        sources.iter().chain(destinations).try_for_each(|peer| in_range("neighbour", *peer, size))?;
        if (input.len(), output.len()) != call.lists(rank, size as usize)? {
            let got = format!("{} and {} of {}", input.len(), output.len(), call.collective.name());
            return Err(Error::InvalidArgument { what: "number of blocks", got });
        }
        call.check_own(rank)?;
        let (sends, recvs) = match call.places {
            Places::Buffers { send, recv } => (
                runs(call, unit, input, |_| send.addr(), "send")?,
                runs(call, unit, output, |_| recv.addr(), "recv")?,
            ),
            Places::Lists { sends, recvs } => {
                if (sends.len(), recvs.len()) != (input.len(), output.len()) {
                    let got = format!("{} and {}", sends.len(), recvs.len());
                    return Err(Error::InvalidArgument { what: "number of pointers", got });
                }
                (
                    runs(call, unit, input, |at| sends[at].addr(), "sends")?,
                    runs(call, unit, output, |at| recvs[at].addr(), "recvs")?,
                )
            }
        };
        let overlap = check_overlaps(call, &sends, recvs, rank)?;
        Ok(match call.places {
            Places::Buffers { send, recv } => Placed {
                buffers: Buffers { input: send, output: recv },
                placement: Placement {
                    in_place: overlap.own,
                    addresses: if overlap.any {
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
                    in_place: overlap.own,
                    addresses: {
                        let inputs = from.iter().map(|block| block.expose_provenance());
                        inputs.chain(to.iter().map(|block| block.expose_provenance())).collect()
                    },
                    is_list: true,
                },
            },
        })
    }
}

/// The memory of the non-empty blocks. `start` gives the start of a buffer, or of one block of a list.
fn runs(
    call: &Unequal,
    unit: usize,
    blocks: &[Block],
    start: impl Fn(usize) -> usize,
    what: &'static str,
) -> Result<Vec<ByteRun>> {
    let is_list = matches!(call.places, Places::Lists { .. });
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
            let got = format!("block {index}, {} elements from element {offset}, exceeds memory", block.len);
            return Err(Error::InvalidArgument { what, got });
        };
        runs.push(ByteRun { start, bytes, index });
    }
    Ok(runs)
}

/// Refuses blocks that are written where others are read or written.
fn check_overlaps(
    call: &Unequal,
    sends: &[ByteRun],
    mut recvs: Vec<ByteRun>,
    rank: Rank,
) -> Result<BlockOverlap> {
    if !recvs.is_sorted_by_key(|run| run.start) {
        recvs.sort_by_key(|run| run.start);
    }
    if let Some(pair) = recvs.windows(2).find(|pair| pair[0].end() > pair[1].start) {
        let got = format!("blocks {} and {} overlap", pair[0].index, pair[1].index);
        return Err(Error::InvalidArgument { what: "recv", got });
    }
    let mut overlap = BlockOverlap::default();
    for send in sends {
        let behind = recvs.partition_point(|recv| recv.end() <= send.start);
        let Some(recv) = recvs.get(behind).filter(|recv| recv.start < send.end()) else { continue };
        let identical = (recv.start, recv.bytes) == (send.start, send.bytes);
        if !identical || !are_counterparts(call, send.index, recv.index, rank) {
            let got = format!(
                "block {} of send overlaps block {} of recv, and this is not an exchange in place",
                send.index, recv.index
            );
            return Err(Error::InvalidArgument { what: "send", got });
        }
        overlap.any = true;
        overlap.own |= call.collective != Collective::AllToAllV || send.index == rank as usize;
    }
    Ok(overlap)
}

/// Whether a block of the output may take the place of a block of the input.
fn are_counterparts(call: &Unequal, input: usize, output: usize, rank: Rank) -> bool {
    match call.collective {
        Collective::AllGatherV | Collective::GatherV => output == rank as usize,
        Collective::ReduceScatterV | Collective::ScatterV => input == rank as usize,
        Collective::AllToAllV => input == output,
        _ => false,
    }
}

/// Overlaps of the input with the output that are allowed.
#[derive(Default)]
struct BlockOverlap {
    any: bool,
    own: bool,
}
