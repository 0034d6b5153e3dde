//! Calls whose blocks differ in length: layouts, guarded memory, the call itself, and the comparison.

use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::comm::{Communicator, Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};

use super::case::Case;
use super::device::{Arena, Stream, Way, double};
use super::numbers::combine;
use super::values::{noise, value};

/// Content of memory that the call must not write.
const UNTOUCHED: u8 = 0xc3;
/// Bytes in front of the first block. The number is odd, so that nothing is aligned by luck.
const FRONT: usize = 13;

/// The collectives with a layout.
pub const COLLECTIVES: [Collective; 5] = [
    Collective::AllGatherV,
    Collective::GatherV,
    Collective::ScatterV,
    Collective::ReduceScatterV,
    Collective::AllToAllV,
];

/// Placement of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Two buffers, each with its blocks in order and without gaps.
    Packed,
    /// Two buffers, each with its blocks in reverse order and with gaps.
    Displaced,
    /// One buffer: each block is sent from where its counterpart arrives.
    InPlace,
    /// One pointer per block.
    Lists,
}

impl Form {
    pub const ALL: [Form; 4] = [Form::Packed, Form::Displaced, Form::InPlace, Form::Lists];
}

/// One call, the same on all ranks.
#[derive(Clone, Copy, Debug)]
pub struct UnequalCase {
    pub collective: Collective,
    pub datatype: Datatype,
    pub op: Option<ReduceOp>,
    pub root: Rank,
    /// Every block has fewer elements than this. A third of the blocks are empty.
    pub most: usize,
    pub seed: u64,
    /// A rank that sends no element, and receives none unless it is the root of a gather.
    pub silent: Option<Rank>,
}

impl UnequalCase {
    /// A call with int32 and, where it reduces, sum.
    pub fn plain(collective: Collective, root: Rank, most: usize) -> UnequalCase {
        let op = collective.reduces().then_some(ReduceOp::Sum);
        let root = if collective.has_root() { root } else { 0 };
        UnequalCase { collective, datatype: Datatype::Int32, op, root, most, seed: 0, silent: None }
    }

    /// Elements of the block that `from` sends to `to`. Gathering and scattering collectives use only one of
    /// the two ranks.
    pub fn len(&self, from: Rank, to: Rank, form: Form) -> usize {
        let is_silent = |rank| self.silent == Some(rank);
        let has_none = match self.collective {
            Collective::AllGatherV | Collective::GatherV => is_silent(from),
            Collective::ScatterV | Collective::ReduceScatterV => is_silent(to),
            _ => is_silent(from) || is_silent(to),
        };
        if has_none {
            return 0;
        }
        let (from, to) = match self.collective {
            Collective::AllGatherV | Collective::GatherV => (from, 0),
            Collective::ScatterV | Collective::ReduceScatterV => (0, to),
            // In place, both blocks of a pair share their memory and so their length.
            _ if form == Form::InPlace => (from.min(to), from.max(to)),
            _ => (from, to),
        };
        let number = noise(from ^ (self.seed as u32) << 8, to as usize);
        if number.is_multiple_of(3) { 0 } else { (number >> 8) as usize % self.most.max(1) }
    }

    /// The uniform case whose input values this case uses.
    fn values(&self) -> Case {
        let (datatype, op, root) = (self.datatype, self.op, self.root);
        let collective = if self.collective.reduces() { Collective::AllReduce } else { Collective::AllToAll };
        Case { collective, datatype, op, root, count: 0 }
    }

    /// Value of element `at` of the block that `from` sends to `to`.
    fn element(&self, size: u32, from: Rank, to: Rank, at: usize) -> u128 {
        match self.collective {
            // Every destination gets the same block.
            Collective::AllGatherV | Collective::GatherV => value(&self.values(), size, from, at),
            Collective::ReduceScatterV => {
                let before: usize = (0..to).map(|rank| self.len(0, rank, Form::Packed)).sum();
                value(&self.values(), size, from, before + at)
            }
            _ => value(&self.values(), size, from, to as usize * 10_000 + at),
        }
    }

    fn bytes(&self, elements: impl Iterator<Item = u128>) -> Vec<u8> {
        let width = self.datatype.bytes();
        elements.flat_map(|bits| bits.to_le_bytes()[..width].to_vec()).collect()
    }

    /// The blocks that `rank` sends.
    fn sent(&self, size: u32, rank: Rank, form: Form) -> Vec<Vec<u8>> {
        let block =
            |to: Rank| self.bytes((0..self.len(rank, to, form)).map(|at| self.element(size, rank, to, at)));
        match self.collective {
            Collective::AllGatherV | Collective::GatherV => vec![block(0)],
            Collective::ScatterV if rank != self.root => Vec::new(),
            _ => (0..size).map(block).collect(),
        }
    }

    /// The blocks that `rank` must receive.
    fn received(&self, size: u32, rank: Rank, form: Form) -> Vec<Vec<u8>> {
        let block = |from: Rank| {
            self.bytes((0..self.len(from, rank, form)).map(|at| self.element(size, from, rank, at)))
        };
        match self.collective {
            Collective::GatherV if rank != self.root => Vec::new(),
            Collective::ScatterV => vec![block(self.root)],
            Collective::ReduceScatterV => {
                let reduced = |at| {
                    let all: Vec<u128> = (0..size).map(|from| self.element(size, from, rank, at)).collect();
                    combine(self.datatype, self.op.expect("it reduces"), &all)
                };
                vec![self.bytes((0..self.len(0, rank, form)).map(reduced))]
            }
            _ => (0..size).map(block).collect(),
        }
    }
}

/// Blocks of one buffer.
struct Blocks {
    memory: Vec<u8>,
    layout: Vec<Block>,
    width: usize,
}

impl Blocks {
    fn of(contents: &[Vec<u8>], form: Form, width: usize) -> Blocks {
        let gap = if form == Form::Displaced { 2 } else { 0 };
        let mut layout = vec![Block::default(); contents.len()];
        let mut end = gap;
        let order: Vec<usize> = match form {
            Form::Displaced => (0..contents.len()).rev().collect(),
            _ => (0..contents.len()).collect(),
        };
        for index in order {
            layout[index] = Block { offset: end, len: contents[index].len() / width };
            end = layout[index].end() + gap;
        }
        let mut blocks = Blocks { memory: vec![UNTOUCHED; FRONT + end * width], layout, width };
        for (index, content) in contents.iter().enumerate() {
            let start = FRONT + blocks.layout[index].offset * width;
            blocks.memory[start..][..content.len()].copy_from_slice(content);
        }
        blocks
    }

    /// Room for blocks as long as `contents`, filled with [`UNTOUCHED`].
    fn for_result(contents: &[Vec<u8>], form: Form, width: usize) -> Blocks {
        let empty: Vec<Vec<u8>> = contents.iter().map(|content| vec![UNTOUCHED; content.len()]).collect();
        Blocks::of(&empty, form, width)
    }

    fn start(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().wrapping_add(FRONT)
    }

    fn pointers(&mut self) -> Vec<*mut u8> {
        let (start, width) = (self.start(), self.width);
        // The address of an empty block is never read, so it may be null.
        let pointer = |block: &Block| match block.len {
            0 => std::ptr::null_mut(),
            _ => start.wrapping_add(block.offset * width),
        };
        self.layout.iter().map(pointer).collect()
    }
}

/// Makes the call on this rank with `run` or `start`. Compares the whole memory afterwards, gaps and guards
/// included.
pub fn check(comm: &Communicator, case: &UnequalCase, form: Form, started: bool) {
    let outcome = attempt(comm, case, form, started, |_, len| len);
    outcome.unwrap_or_else(|e| panic!("{case:?} {form:?} on rank {}: {e}", comm.rank()));
}

/// Like [`check`], but with a wrong length. `lie` gets the peer and the correct length of the block for or
/// from that peer, and returns the length to pass. A rank that passes a wrong length compares nothing.
pub fn attempt(
    comm: &Communicator,
    case: &UnequalCase,
    form: Form,
    started: bool,
    lie: impl Fn(Rank, usize) -> usize,
) -> Result<()> {
    let way = if started { Way::Started } else { Way::Blocking };
    attempt_by(comm, case, form, way, None, lie)
}

/// Like [`check`], on copies of the memory in a device.
pub fn check_on_device(
    comm: &Communicator,
    case: &UnequalCase,
    form: Form,
    way: Way,
    device: (&mut Arena, &Stream),
) {
    let outcome = attempt_on_device(comm, case, form, way, device, |_, len| len);
    outcome.unwrap_or_else(|e| panic!("{case:?} {form:?} {way:?} on rank {}: {e}", comm.rank()));
}

/// Like [`attempt`], on copies of the memory in a device.
pub fn attempt_on_device(
    comm: &Communicator,
    case: &UnequalCase,
    form: Form,
    way: Way,
    (arena, stream): (&mut Arena, &Stream),
    lie: impl Fn(Rank, usize) -> usize,
) -> Result<()> {
    comm.set_stream((way == Way::Stream).then(|| stream.handle()));
    attempt_by(comm, case, form, way, Some((arena, stream)), lie)
}

/// Where input and output begin. `in_place`: the rank, if one of them is a part of the other.
fn starts(
    case: &UnequalCase,
    input: &mut Blocks,
    output: &mut Blocks,
    in_place: Option<Rank>,
) -> (*const u8, *mut u8) {
    let (send, recv) = (input.start().cast_const(), output.start());
    let Some(rank) = in_place else { return (send, recv) };
    let (mine, width) = (rank as usize, case.datatype.bytes());
    match case.collective {
        Collective::AllGatherV | Collective::GatherV => {
            (recv.wrapping_add(output.layout[mine].offset * width).cast_const(), recv)
        }
        Collective::ScatterV | Collective::ReduceScatterV => {
            (send, input.start().wrapping_add(input.layout[mine].offset * width))
        }
        _ => (recv.cast_const(), recv),
    }
}

/// See [`attempt`] and [`check_on_device`].
fn attempt_by(
    comm: &Communicator,
    case: &UnequalCase,
    form: Form,
    way: Way,
    device: Option<(&mut Arena, &Stream)>,
    lie: impl Fn(Rank, usize) -> usize,
) -> Result<()> {
    let (size, rank, width) = (comm.size(), comm.rank(), case.datatype.bytes());
    let (sent, received) = (case.sent(size, rank, form), case.received(size, rank, form));
    let mut input = Blocks::of(&sent, form, width);
    let mut output = Blocks::for_result(&received, form, width);
    let mut expected = Blocks::of(&received, form, width).memory;
    let in_place = form == Form::InPlace && !sent.is_empty() && !received.is_empty();
    if in_place {
        (input, output, expected) = merged(case.collective, rank, input, output, expected);
    }
    let untouched = input.memory.clone();
    let mut sends: Vec<Block> = input.layout.clone();
    let mut recvs: Vec<Block> = output.layout.clone();
    let mut is_true = true;
    for (index, block) in sends.iter_mut().chain(&mut recvs).enumerate() {
        let len = lie(index as Rank, block.len);
        is_true &= len == block.len;
        block.len = len;
    }
    let mut send_pointers: Vec<*const u8> = input.pointers().into_iter().map(<*mut u8>::cast_const).collect();
    let mut recv_pointers = output.pointers();
    let (mut send, mut recv) = starts(case, &mut input, &mut output, in_place.then_some(rank));
    let copies = device.map(|(arena, stream)| Copies::of([&input.memory, &output.memory], arena, stream));
    if let Some(copies) = &copies {
        send_pointers.iter_mut().for_each(|pointer| *pointer = copies.place(pointer.cast_mut()).cast_const());
        recv_pointers.iter_mut().for_each(|pointer| *pointer = copies.place(*pointer));
        (send, recv) = (copies.place(send.cast_mut()).cast_const(), copies.place(recv));
    }
    let places = match form {
        Form::Lists => Places::Lists { sends: &send_pointers, recvs: &recv_pointers },
        _ => Places::Buffers { send, recv },
    };
    let UnequalCase { collective, datatype, op, root, .. } = *case;
    let layout = BlockLayout { input: &sends, output: &recvs, ..BlockLayout::NONE };
    let operation = Unequal { collective, datatype, op, root, layout, places };
    let outcome = if way == Way::Started {
        // SAFETY: the memory holds all blocks of the layout. Nobody touches it until the call or the request
        // has ended. A wrong length is shorter than the block.
        unsafe { comm.start(&operation) }.and_then(|mut request| request.wait())
    } else {
        // SAFETY: as above.
        unsafe { comm.run(&operation) }
    };
    if let Some(copies) = copies {
        copies.read_back([&mut input.memory, &mut output.memory]);
    }
    outcome?;
    if is_true {
        let is_in_input = in_place && matches!(collective, Collective::ScatterV | Collective::ReduceScatterV);
        let (result, other) = if is_in_input { (&input, &output) } else { (&output, &input) };
        assert_eq!(result.memory, expected, "{case:?} {form:?} on rank {rank}");
        if !in_place {
            assert_eq!(other.memory, untouched, "{case:?} {form:?} on rank {rank} wrote its input");
        }
    }
    Ok(())
}

/// Copies of input and output in a device.
struct Copies<'a> {
    /// Where each memory is on the host and on the device, and its length.
    ranges: [(usize, usize, usize); 2],
    stream: &'a Stream,
}

impl Copies<'_> {
    fn of<'a>(memories: [&Vec<u8>; 2], arena: &mut Arena, stream: &'a Stream) -> Copies<'a> {
        let ranges = memories.map(|memory| {
            let place = arena.take(memory.len());
            double().write(place, memory);
            (memory.as_ptr().expose_provenance(), place as usize, memory.len())
        });
        Copies { ranges, stream }
    }

    /// The copy of a place. The place just behind a memory belongs to it.
    fn place(&self, pointer: *mut u8) -> *mut u8 {
        let at = pointer.addr();
        let range = self.ranges.iter().find(|(host, _, bytes)| (*host..=host + bytes).contains(&at));
        range.map_or(pointer, |(host, device, _)| std::ptr::with_exposed_provenance_mut(device + (at - host)))
    }

    /// Waits for the call, and copies everything back.
    fn read_back(self, memories: [&mut Vec<u8>; 2]) {
        self.stream.synchronize();
        for ((_, device, bytes), memory) in self.ranges.into_iter().zip(memories) {
            *memory = double().read(device as u64, bytes);
        }
    }
}

/// Input and output in one memory as long as the larger of the two, and the expected content at the end.
fn merged(
    collective: Collective,
    rank: Rank,
    mut input: Blocks,
    mut output: Blocks,
    expected: Vec<u8>,
) -> (Blocks, Blocks, Vec<u8>) {
    let mine = rank as usize;
    match collective {
        Collective::ScatterV | Collective::ReduceScatterV => {
            let mut whole = input.memory.clone();
            let own = FRONT + input.layout[mine].offset * input.width;
            let result = &expected[FRONT..];
            whole[own..][..result.len()].copy_from_slice(result);
            (input, output, whole)
        }
        Collective::AllGatherV | Collective::GatherV => {
            let own = FRONT + output.layout[mine].offset * output.width;
            let content = input.memory[FRONT..].to_vec();
            output.memory[own..][..content.len()].copy_from_slice(&content);
            input.memory.truncate(FRONT);
            (input, output, expected)
        }
        _ => {
            assert_eq!(input.layout, output.layout);
            output.memory.clone_from(&input.memory);
            (input, output, expected)
        }
    }
}
