//! One call on one rank: guarded memory, the call itself, and the comparison with the oracle.

use std::ptr::with_exposed_provenance_mut;

use anyccl_engine::base::{Collective, Rank, Result};
use anyccl_engine::comm::{Communicator, Operation, Request};
use anyccl_engine::memory;

use super::case::Case;
use super::device::{Arena, double};
use super::oracle;

/// Bytes before and behind each buffer, which no call may change. The length is odd, so that no buffer is
/// aligned by luck.
const GUARD: usize = 67;
const GUARD_BYTE: u8 = 0xa5;
/// What an output holds before the call.
const UNTOUCHED: u8 = 0xc3;

/// Whether send and receive buffer coincide, where the collective allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    Apart,
    InPlace,
}

impl Placement {
    pub const ALL: [Placement; 2] = [Placement::Apart, Placement::InPlace];
}

/// Kind of memory that holds a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Memory of the heap.
    Private,
    /// Memory from `memory::allocate`, which peers can read.
    Shared,
}

impl Home {
    pub const ALL: [Home; 2] = [Home::Private, Home::Shared];
}

/// Bytes between two guards.
struct Memory {
    start: *mut u8,
    len: usize,
    home: Home,
}

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for Memory {}

impl Memory {
    fn of(content: &[u8], home: Home) -> Memory {
        let bytes = [&[GUARD_BYTE; GUARD], content, &[GUARD_BYTE; GUARD]].concat();
        let len = bytes.len();
        let start = match home {
            Home::Private => Box::into_raw(bytes.into_boxed_slice()).cast(),
            Home::Shared => {
                let start = memory::allocate(len).expect("shared memory");
                // SAFETY: a new allocation of that length.
                unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), len) };
                start
            }
        };
        Memory { start, len, home }
    }

    fn untouched(len: usize, home: Home) -> Memory {
        Memory::of(&vec![UNTOUCHED; len], home)
    }

    fn all(&self) -> &[u8] {
        // SAFETY: the memory was allocated with that length. It is written only through `content_mut` and by
        // calls that have ended.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    fn content(&self) -> &[u8] {
        &self.all()[GUARD..self.len - GUARD]
    }

    fn content_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `all`. The exclusive borrow is that of `self`.
        let all = unsafe { std::slice::from_raw_parts_mut(self.start, self.len) };
        &mut all[GUARD..self.len - GUARD]
    }

    /// Replaces everything, guards included.
    fn replace(&mut self, bytes: &[u8]) {
        // SAFETY: as in `content_mut`.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }.copy_from_slice(bytes);
    }

    fn guards_are_intact(&self) -> bool {
        let (front, back) = (&self.all()[..GUARD], &self.all()[self.len - GUARD..]);
        front.iter().chain(back).all(|&byte| byte == GUARD_BYTE)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match self.home {
            Home::Private => {
                let bytes = std::ptr::slice_from_raw_parts_mut(self.start, self.len);
                // SAFETY: `of` made the pointer by `Box::into_raw` from a slice of that length.
                drop(unsafe { Box::from_raw(bytes) });
            }
            Home::Shared => memory::free(self.start).expect("a live allocation"),
        }
    }
}

/// A call with the buffers of one rank.
pub struct Attempt {
    case: Case,
    size: u32,
    rank: Rank,
    /// The send buffer, unless it lies in `target`.
    source: Option<Memory>,
    /// The receive buffer and, in place, the send buffer.
    target: Memory,
    /// Offset of the output in `target`.
    output_at: usize,
    /// Offset of the input in `target`, for a call in place.
    input_at: usize,
}

impl Attempt {
    pub fn new(case: Case, size: u32, rank: Rank, placement: Placement) -> Attempt {
        Attempt::at_home(case, size, rank, placement, [Home::Private; 2])
    }

    /// An attempt whose input and output live in `homes[0]` and `homes[1]`. A call in place uses `homes[1]`
    /// for both.
    pub fn at_home(case: Case, size: u32, rank: Rank, placement: Placement, homes: [Home; 2]) -> Attempt {
        let input = oracle::input(&case, size, rank);
        let output_len = oracle::output_len(&case, size, rank) * case.datatype.bytes();
        let mine = rank as usize * case.count * case.datatype.bytes();
        let at_root = rank == case.root;
        let (input_at, output_at) = match case.collective {
            _ if placement == Placement::Apart => {
                let source = Some(Memory::of(&input, homes[0]));
                let target = Memory::untouched(output_len, homes[1]);
                return Attempt { case, size, rank, source, target, output_at: 0, input_at: 0 };
            }
            Collective::AllGather => (mine, 0),
            Collective::Gather if at_root => (mine, 0),
            Collective::ReduceScatter => (0, mine),
            Collective::Scatter if at_root => (0, mine),
            Collective::AllReduce | Collective::AllToAll | Collective::Broadcast => (0, 0),
            Collective::Scan | Collective::Exscan => (0, 0),
            Collective::Reduce if at_root => (0, 0),
            _ => return Attempt::at_home(case, size, rank, Placement::Apart, homes),
        };
        let mut target = Memory::untouched(output_len.max(input.len()), homes[1]);
        target.content_mut()[input_at..][..input.len()].copy_from_slice(&input);
        Attempt { case, size, rank, source: None, target, output_at, input_at }
    }

    /// An attempt on the calling rank of `comm`.
    pub fn on(comm: &Communicator, case: Case, placement: Placement) -> Attempt {
        Attempt::new(case, comm.size(), comm.rank(), placement)
    }

    fn operation(&mut self) -> Operation {
        let target = self.target.content_mut().as_mut_ptr();
        let recv = target.wrapping_add(self.output_at);
        let send = match &self.source {
            Some(source) => source.content().as_ptr(),
            None => target.wrapping_add(self.input_at).cast_const(),
        };
        Operation { call: self.case.call(), send, recv }
    }

    /// Makes the blocking call.
    pub fn run(&mut self, comm: &Communicator) -> Result<()> {
        let operation = self.operation();
        // SAFETY: the buffers are as long as the definition of the collective says. Nobody touches them until
        // the call returns.
        unsafe { comm.run(&operation) }
    }

    /// Makes the call on copies of the buffers in memory of a device. `call` gets the operation and returns
    /// when it has ended there.
    pub fn run_on_device(
        &mut self,
        arena: &mut Arena,
        call: impl FnOnce(&Operation) -> Result<()>,
    ) -> Result<()> {
        let device = double();
        let copy = |memory: &Memory, arena: &mut Arena| {
            let place = arena.take(memory.len);
            device.write(place, memory.all());
            place
        };
        let target = copy(&self.target, arena);
        let source = self.source.as_ref().map(|source| copy(source, arena));
        let at =
            |start: u64, offset: usize| with_exposed_provenance_mut::<u8>(start as usize + GUARD + offset);
        let recv = at(target, self.output_at);
        let send = source.map_or_else(|| at(target, self.input_at), |source| at(source, 0)).cast_const();
        let outcome = call(&Operation { call: self.case.call(), send, recv });
        self.target.replace(&device.read(target, self.target.len));
        if let (Some(memory), Some(place)) = (&mut self.source, source) {
            memory.replace(&device.read(place, memory.len));
        }
        outcome
    }

    /// Starts the call.
    pub fn start(mut self, comm: &Communicator) -> Result<Running> {
        let operation = self.operation();
        // SAFETY: as in `run`. `Running` owns the buffers and does not touch them before the request has
        // ended. It drops the request, which waits, before the buffers.
        let request = unsafe { comm.start(&operation) }?;
        Ok(Running { request, attempt: self })
    }

    /// Checks that the call wrote nothing outside of its buffers, whether it succeeded or failed.
    pub fn check_guards(&self) {
        let who = format!("{} on rank {} of {}", self.case, self.rank, self.size);
        assert!(self.target.guards_are_intact(), "{who} wrote beside its receive buffer");
        if let Some(source) = &self.source {
            assert!(source.guards_are_intact(), "{who} wrote beside its send buffer");
        }
    }

    /// Compares the output with the oracle, and checks that input and guards are unchanged.
    pub fn verify(&self) {
        let who = format!("{} on rank {} of {}", self.case, self.rank, self.size);
        let expected = oracle::output(&self.case, self.size, self.rank);
        let got = &self.target.content()[self.output_at..][..expected.len()];
        if let Some(at) = (0..expected.len()).find(|&at| expected[at] != got[at]) {
            let width = self.case.datatype.bytes();
            let element = at / width;
            let of = |bytes: &[u8]| format!("{:02x?}", &bytes[element * width..][..width]);
            let wrong = expected.iter().zip(got).filter(|(a, b)| a != b).count();
            let (want, is) = (of(&expected), of(got));
            panic!("{who}: element {element} is {is}, not {want} ({wrong} bytes of {} differ)", got.len());
        }
        assert!(self.target.guards_are_intact(), "{who} wrote beside its receive buffer");
        if let Some(source) = &self.source {
            assert_eq!(
                source.content(),
                oracle::input(&self.case, self.size, self.rank),
                "{who} wrote its input"
            );
            assert!(source.guards_are_intact(), "{who} wrote beside its send buffer");
        }
    }
}

/// A started call.
pub struct Running {
    // The request is dropped first: it waits for the peers that use the buffers.
    request: Request,
    attempt: Attempt,
}

impl Running {
    pub fn request(&mut self) -> &mut Request {
        &mut self.request
    }

    /// Waits for the end of the call and compares the output.
    pub fn wait_and_verify(&mut self) {
        let who = format!("{} on rank {}", self.attempt.case, self.attempt.rank);
        self.request.wait().unwrap_or_else(|e| panic!("{who}: {e}"));
        self.attempt.verify();
    }
}

/// Makes the blocking call and compares the output.
pub fn check(comm: &Communicator, case: Case, placement: Placement) {
    let mut attempt = Attempt::on(comm, case, placement);
    attempt.run(comm).unwrap_or_else(|e| panic!("{case} on rank {}: {e}", comm.rank()));
    attempt.verify();
}

/// Starts the call, waits for its end and compares the output.
pub fn check_started(comm: &Communicator, case: Case, placement: Placement) {
    let attempt = Attempt::on(comm, case, placement);
    let running = attempt.start(comm);
    running.unwrap_or_else(|e| panic!("{case} on rank {}: {e}", comm.rank())).wait_and_verify();
}
