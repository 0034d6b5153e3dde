//! Calls that need more memory than there is: an error of that call, nothing sent, and the communicator goes
//! on.

use std::sync::Arc;

use crate::common;
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Error, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Operator, Scalar};
use common::processes::{ProcessJob, join, part, say, tcp_store};

const SIZE: u32 = 2;
/// Elements of the buffers. What the library adds for a call exceeds what the process may still have.
const COUNT: usize = 16 << 20;
const ROOM: u64 = 24 << 20;

#[test]
fn a_call_without_memory_is_an_error_and_the_next_call_is_right() {
    let job = ProcessJob::new(module_path!(), SIZE, "calls", tcp_store());
    for mut rank in job.start_all() {
        rank.expect("all calls were refused, and a small one was right");
        rank.end_well();
    }
}

/// Limits this process to `room` more bytes of address space.
fn limit_memory(room: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: u64 = pages.split(' ').next().expect("the size").parse().expect("a number");
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is a local that outlives the call.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) }, 0);
    limit.rlim_cur = page * pages + room;
    // SAFETY: the limit is a local that outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

fn call(collective: Collective, datatype: Datatype, op: ReduceOp, count: usize) -> Call {
    Call { kind: CallKind::Collective(collective), datatype, op: Some(op), root: 0, count: count as u64 }
}

/// Calls that need about as much memory as their buffers have.
fn large_calls(comm: &Communicator, send: &[u8], recv: &mut [u8]) -> Vec<(&'static str, Result<()>)> {
    use Collective::{AllReduce, ReduceScatter};
    let halves = call(AllReduce, Datatype::Float16, ReduceOp::Avg, COUNT);
    let scaled = call(ReduceScatter, Datatype::Int32, ReduceOp::PremulSum, COUNT / SIZE as usize);
    let on =
        |call, send: &[u8], recv: &mut [u8]| Operation { call, send: send.as_ptr(), recv: recv.as_mut_ptr() };
    // SAFETY: an immediate scalar.
    let operator = unsafe { Operator::premul_sum(Datatype::Int32, Scalar::Immediate([2; 16])) };
    let operator = Arc::new(operator.expect("numbers"));
    // SAFETY: the call touches at most `COUNT` elements of four bytes of each buffer, and ends here.
    let averaged = unsafe { comm.run(&on(halves, send, recv)) };
    // SAFETY: as above.
    let scaled = unsafe { comm.run(CallSpec::Collective(&on(scaled, send, recv), Some(&operator))) };
    vec![("copies in float32", averaged), ("a scaled input", scaled)]
}

#[test]
#[ignore = "the task of a rank: run by the test above"]
fn a_rank_of_the_tests_in_this_file() {
    if part().is_none() {
        return;
    }
    let comm = join().unwrap();
    let (send, mut recv) = (vec![1u8; 4 * COUNT], vec![0u8; 4 * COUNT]);
    limit_memory(ROOM);
    for (what, outcome) in large_calls(&comm, &send, &mut recv) {
        match outcome {
            Err(error @ Error::System { .. }) => {
                assert!(error.to_string().contains("no memory for"), "{what}: {error}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    let (mine, mut sum) = ([comm.rank()], [0u32]);
    let small = call(Collective::AllReduce, Datatype::Uint32, ReduceOp::Sum, 1);
    let small = Operation { call: small, send: mine.as_ptr().cast(), recv: sum.as_mut_ptr().cast() };
    // SAFETY: one element each.
    unsafe { comm.run(&small) }.unwrap();
    assert_eq!(sum, [1]);
    say("all calls were refused, and a small one was right");
    comm.finalize().unwrap();
}
