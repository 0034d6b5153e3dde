//! Tests of calls by another engine, including composed ones. The other engine is a pretender: a second
//! communicator of the builtin engine that is allowed only some calls. So every composition has a real engine
//! below it, without anything installed.

use std::sync::Arc;

use super::*;
use crate::backend::{
    BackendName, Exchange, ForeignComm, ForeignEngine, MemoryKind, OobExchange, Shape, Started, UnequalCall,
    UniformCall,
};
use crate::comm::foreign::co_progress::SharedProgress;
use crate::comm::foreign::engine::AttachedEngine;
use crate::plan::{Block, BlockLayout};

/// The calls that the pretender serves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pretender {
    does: fn(Collective) -> bool,
    messages: bool,
}

impl ForeignEngine for Pretender {
    fn version(&self) -> String {
        "a pretender".into()
    }

    fn path(&self) -> String {
        "nowhere".into()
    }

    fn does(&self, shape: &Shape) -> bool {
        (self.does)(shape.collective)
    }

    fn has_messages(&self, _memory: MemoryKind) -> bool {
        self.messages
    }

    fn connect(&self, _meeting: &dyn OobExchange) -> Result<Arc<dyn ForeignComm>> {
        Err(Error::Internal("a pretender is given its communicator".into()))
    }
}

pub(super) struct Pretended(pub Communicator);

fn operation(call: &UniformCall) -> Operation {
    let kind = CallKind::Collective(call.collective);
    let UniformCall { datatype, op, root, count, send, recv, .. } = *call;
    Operation { call: Call { kind, datatype, op, root, count: count as u64 }, send, recv }
}

fn unequal<'a>(call: &UnequalCall<'a>) -> Unequal<'a> {
    let UnequalCall { collective, datatype, op, root, send, inputs, recv, outputs, .. } = *call;
    let layout = BlockLayout { input: inputs, output: outputs, ..BlockLayout::NONE };
    Unequal { collective, datatype, op, root, layout, places: Places::Buffers { send, recv } }
}

// SAFETY, of all that follows: the promises of the trait are those of the communicator.
impl ForeignComm for Pretended {
    fn fits(&self, _call: &UniformCall) -> bool {
        true
    }

    unsafe fn run(&self, call: &UniformCall) -> Result<()> {
        // SAFETY: see above.
        unsafe { self.0.run(&operation(call)) }
    }

    unsafe fn start(&self, call: &UniformCall) -> Result<Box<dyn Started>> {
        // SAFETY: see above.
        Ok(Box::new(unsafe { self.0.start(&operation(call)) }?))
    }

    unsafe fn run_unequal(&self, call: &UnequalCall<'_>) -> Result<()> {
        // SAFETY: see above.
        unsafe { self.0.run(&unequal(call)) }
    }

    unsafe fn start_unequal(&self, call: &UnequalCall<'_>) -> Result<Box<dyn Started>> {
        // SAFETY: see above.
        Ok(Box::new(unsafe { self.0.start(&unequal(call)) }?))
    }

    unsafe fn exchange(&self, messages: &[Exchange]) -> Result<Box<dyn Started>> {
        let mut started: Vec<Box<dyn Started>> = Vec::new();
        for message in messages {
            let datatype = Datatype::Byte;
            started.push(Box::new(match *message {
                Exchange::Send { to, data, bytes } => {
                    let what = OutgoingMessage {
                        to,
                        tag: 0,
                        data,
                        count: bytes as u64,
                        datatype,
                        is_synchronous: false,
                    };
                    // SAFETY: see above.
                    unsafe { self.0.start(&what) }?
                }
                Exchange::Receive { from, data, bytes } => {
                    let buffer = RecvBuffer { data, count: bytes as u64, datatype, is_lenient: false };
                    // SAFETY: see above.
                    unsafe { self.0.start(CallSpec::Receive(Selector::new(Some(from), Some(0)), buffer)) }?
                }
            }));
        }
        Ok(Box::new(started))
    }

    fn move_on(&self) {}

    fn abort(&self) {}

    fn close(&self) {}
}

impl Started for Request {
    fn test(&mut self) -> Result<bool> {
        Request::test(self)
    }
}

pub(super) const NOTHING: Pretender = Pretender { does: |_| false, messages: false };
const MESSAGES: Pretender = Pretender { does: |_| false, messages: true };
const ROOTED: Pretender =
    Pretender { does: |c| matches!(c, Collective::Reduce | Collective::Broadcast), messages: false };
const SCATTERED: Pretender =
    Pretender { does: |c| matches!(c, Collective::ReduceScatter | Collective::AllGather), messages: false };
pub(super) const REDUCTIONS: Pretender =
    Pretender { does: |c| matches!(c, Collective::AllReduce | Collective::Reduce), messages: false };
pub(super) const EVERYTHING: Pretender = Pretender { does: |c| !c.has_graph(), messages: false };

/// Runs `body` on `size` ranks, once for each pretender. Its arguments are a builtin communicator, and one
/// with the pretender.
fn with_pretenders(size: u32, body: impl Fn(&Communicator, &Communicator) + Sync) {
    on_ranks(size, TransportChoice::Auto, |builtin| {
        for pretender in [NOTHING, MESSAGES, ROOTED, SCATTERED, EVERYTHING] {
            let mut comm = builtin.dup(&CommConfig::default()).unwrap();
            let pretended: Arc<dyn ForeignComm> =
                Arc::new(Pretended(builtin.dup(&CommConfig::default()).unwrap()));
            let co_progress = SharedProgress::of(&comm.driver, &pretended);
            let (name, engine) = (BackendName::Mpi, Arc::new(pretender));
            comm.engines.on_host =
                Some(Box::new(AttachedEngine::new(name, engine, pretended, MemoryKind::Cpu, co_progress)));
            body(builtin, &comm);
        }
        builtin.finalize().unwrap();
    });
}

/// Elements whose sums and products are exact in every datatype used here.
fn elements(datatype: Datatype, rank: u32, count: usize) -> Vec<u8> {
    let value = |at: usize| (rank as usize * 5 + at * 3 + at / 7) % 3;
    let one = |at: usize| match datatype {
        Datatype::Float32 => (value(at) as f32).to_ne_bytes().to_vec(),
        Datatype::Int32 => (value(at) as i32).to_ne_bytes().to_vec(),
        _ => vec![value(at) as u8],
    };
    (0..count).flat_map(one).collect()
}

#[test]
fn every_uniform_collective_gives_the_same_by_every_composition() {
    for size in [1, 2, 3, 5] {
        with_pretenders(size, |builtin, comm| {
            for collective in Collective::UNIFORM {
                for (datatype, op) in [
                    (Datatype::Float32, ReduceOp::Sum),
                    (Datatype::Int32, ReduceOp::Avg),
                    (Datatype::Uint8, ReduceOp::Max),
                ] {
                    for (count, root) in [(1, 0), (7, size - 1), (100, size / 2)] {
                        let op = collective.reduces().then_some(op);
                        let kind = CallKind::Collective(collective);
                        same_by_both(builtin, comm, Call { kind, datatype, op, root, count });
                    }
                }
            }
        });
    }
}

fn same_by_both(builtin: &Communicator, comm: &Communicator, call: Call) {
    let CallKind::Collective(collective) = call.kind else { unreachable!("only these are tried") };
    let (size, rank, count) = (comm.size() as usize, comm.rank(), call.count as usize);
    let unit = call.datatype.bytes();
    let inputs = collective.input_elements(size, rank, call.root, count);
    let outputs = collective.output_elements(size, rank, call.root, count);
    let send = elements(call.datatype, rank, inputs);
    let results = [builtin, comm, comm].map(|comm| (comm, vec![0x5a_u8; outputs * unit]));
    let mut results = results.into_iter().enumerate().map(|(way, (comm, mut recv))| {
        let operation = Operation { call, send: send.as_ptr(), recv: recv.as_mut_ptr() };
        // Both buffers are as long as the collective says, and outlive the call.
        let outcome = match way {
            // SAFETY: as above.
            2 => unsafe { comm.start(&operation) }.and_then(|mut request| request.wait()),
            // SAFETY: as above.
            _ => unsafe { comm.run(&operation) },
        };
        outcome.unwrap();
        recv
    });
    let wanted = results.next().unwrap();
    for got in results {
        assert_eq!(got, wanted, "{call} on rank {rank} of {size}, {:?}", comm.support(&call));
    }
    // In place, if one buffer can serve both sides.
    if collective == Collective::AllReduce || collective == Collective::AllToAll {
        let mut both = send.clone();
        let start = both.as_mut_ptr();
        // SAFETY: as above.
        unsafe { comm.run(&Operation { call, send: start, recv: start }) }.unwrap();
        assert_eq!(both, wanted, "{call} in place on rank {rank} of {size}");
    }
}

#[test]
fn blocks_that_differ_arrive_the_same_by_every_composition() {
    for size in [1, 2, 4] {
        with_pretenders(size, |builtin, comm| {
            for op in [ReduceOp::Sum, ReduceOp::Avg] {
                every_layout(builtin, comm, op);
            }
        });
    }
}

/// The elements that `from` sends to `to`.
fn length(from: u32, to: u32) -> usize {
    ((from * 5 + to * 3) % 7) as usize
}

fn side_by_side(lengths: impl Iterator<Item = usize>) -> Vec<Block> {
    let mut next = 0;
    let block = |len| {
        next += len;
        Block { offset: next - len, len }
    };
    lengths.map(block).collect()
}

fn every_layout(builtin: &Communicator, comm: &Communicator, op: ReduceOp) {
    let (size, rank) = (comm.size(), comm.rank());
    let root = size - 1;
    let to_each: Vec<usize> = (0..size).map(|to| length(rank, to)).collect();
    let from_each: Vec<usize> = (0..size).map(|from| length(from, rank)).collect();
    let firsts: Vec<usize> = (0..size).map(|from| length(from, 0)).collect();
    let own = vec![firsts[rank as usize]];
    let at_root = |lengths: &Vec<usize>| if rank == root { lengths.clone() } else { Vec::new() };
    for (collective, inputs, outputs) in [
        (Collective::AllToAllV, to_each, from_each),
        (Collective::AllGatherV, own.clone(), firsts.clone()),
        (Collective::GatherV, own.clone(), at_root(&firsts)),
        (Collective::ScatterV, at_root(&firsts), own.clone()),
        (Collective::ReduceScatterV, firsts.clone(), own.clone()),
    ] {
        let (input, output) = (side_by_side(inputs.into_iter()), side_by_side(outputs.into_iter()));
        let room = |blocks: &[Block]| blocks.iter().map(|block| block.len).sum::<usize>();
        let send = elements(Datatype::Int32, rank, room(&input));
        let by = |comm: &Communicator, is_list: bool, only_start: bool| {
            let mut recv = vec![0x5a_u8; 4 * room(&output)];
            let start = recv.as_mut_ptr();
            let sends: Vec<*const u8> = input.iter().map(|block| send[4 * block.offset..].as_ptr()).collect();
            let recvs: Vec<*mut u8> =
                output.iter().map(|block| start.wrapping_add(4 * block.offset)).collect();
            let places = match is_list {
                true => Places::Lists { sends: &sends, recvs: &recvs },
                false => Places::Buffers { send: send.as_ptr(), recv: start },
            };
            let layout = BlockLayout { input: &input, output: &output, ..BlockLayout::NONE };
            let op = collective.reduces().then_some(op);
            let root = if collective.has_root() { root } else { 0 };
            let operation = Unequal { collective, datatype: Datatype::Int32, op, root, layout, places };
            // The blocks lie in buffers that are as long as all of them, and outlive the call.
            let outcome = match only_start {
                // SAFETY: as above.
                true => unsafe { comm.start(&operation) }.and_then(|mut request| request.wait()),
                // SAFETY: as above.
                false => unsafe { comm.run(&operation) },
            };
            outcome.unwrap();
            recv
        };
        let wanted = by(builtin, false, false);
        for (is_list, only_start) in [(false, false), (false, true), (true, false), (true, true)] {
            let got = by(comm, is_list, only_start);
            assert_eq!(got, wanted, "{} on rank {rank} of {size}, list {is_list}", collective.name());
        }
    }
}

#[test]
fn support_tells_native_composed_and_builtin_calls_apart() {
    use crate::backend::capability::support;
    let told = |engine: Pretender, collective: Collective| {
        let op = collective.reduces().then_some(ReduceOp::Sum);
        let shape = Shape { collective, datatype: Datatype::Float32, op, memory: MemoryKind::Cpu };
        support(&engine, &shape).to_string()
    };
    assert_eq!(told(NOTHING, Collective::AllReduce), "builtin");
    assert_eq!(told(ROOTED, Collective::AllReduce), "composed: reduce + broadcast");
    assert_eq!(told(ROOTED, Collective::Reduce), "native");
    assert_eq!(told(ROOTED, Collective::AllToAll), "builtin");
    assert_eq!(told(SCATTERED, Collective::AllReduce), "composed: reduce_scatter + all_gather");
    assert_eq!(told(MESSAGES, Collective::AllToAllV), "composed: messages, spread");
    assert_eq!(told(EVERYTHING, Collective::AllToAllV), "native");
}
