//! Tests of buffers that the tests' own driver declares to be memory of a GPU. Calls with them go to the
//! engine that serves such memory, or are refused. The engine is the pretender of [`super::foreign`], which
//! can read them because they are memory of the host.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::foreign::{EVERYTHING, NOTHING, Pretended, Pretender, REDUCTIONS};
use super::*;
use crate::backend::{BackendChoice, BackendName, ForeignComm, MemoryKind};
use crate::comm::device::DevicePath;
use crate::comm::foreign::co_progress::SharedProgress;
use crate::comm::foreign::engine::{AttachedEngine, DeviceEngine};
use crate::device::Kinds;
use crate::plan::{Block, BlockLayout};

static ON_DEVICE: Mutex<Vec<Range<u64>>> = Mutex::new(Vec::new());

/// Declares the memory in the list above to be that of a device, and no other.
unsafe extern "C" fn driver(place: *mut c_void, attribute: c_int, address: u64) -> c_int {
    if !ON_DEVICE.lock().unwrap().iter().any(|range| range.contains(&address)) {
        return 1;
    }
    const MEMORY_TYPE: c_int = 2;
    // SAFETY: there is room for four bytes at least.
    unsafe { place.cast::<u32>().write(if attribute == MEMORY_TYPE { 2 } else { 0 }) };
    0
}

/// Four elements in memory that is declared to be a device's. They are never freed, so no other memory gets
/// their address.
fn on_device(values: [i32; 4]) -> &'static mut [i32; 4] {
    let memory = Box::leak(Box::new(values));
    let start = memory.as_ptr().addr() as u64;
    ON_DEVICE.lock().unwrap().push(start..start + 16);
    memory
}

/// Runs `body` on two ranks whose device memory is served by `engine`, which the user has named.
fn on_two_ranks(engine: Option<Pretender>, body: impl Fn(&Communicator) + Sync) {
    on_two_ranks_that_choose("cuda:nccl", engine, body);
}

fn on_two_ranks_that_choose(choice: &str, engine: Option<Pretender>, body: impl Fn(&Communicator) + Sync) {
    on_ranks(2, TransportChoice::Auto, |builtin| {
        let mut comm = builtin.dup(&CommConfig::default()).unwrap();
        comm.devices.kinds = Kinds::by(driver);
        comm.engines.on_device = DeviceEngine::from(Err(Error::Unsupported("none in this test".into())));
        if let Some(engine) = engine {
            let pretended: Arc<dyn ForeignComm> =
                Arc::new(Pretended(builtin.dup(&CommConfig::default()).unwrap()));
            let co_progress = SharedProgress::of(&comm.driver, &pretended);
            let (name, memory) = (BackendName::Nccl, MemoryKind::Cuda);
            let foreign = AttachedEngine::new(name, Arc::new(engine), pretended, memory, co_progress);
            comm.engines.on_device = DeviceEngine::from(Ok(Box::new(foreign)));
            comm.engines.choice = BackendChoice::parse("choice", choice).unwrap();
        }
        let comm = comm.shared();
        body(&comm);
        builtin.finalize().unwrap();
    });
}

fn sum(send: *const i32, recv: *mut i32) -> Operation {
    let kind = CallKind::Collective(Collective::AllReduce);
    let call = Call { kind, datatype: Datatype::Int32, op: Some(ReduceOp::Sum), root: 0, count: 4 };
    Operation { call, send: send.cast(), recv: recv.cast() }
}

/// Four elements each.
fn run(comm: &Communicator, operation: &Operation) -> Result<()> {
    // SAFETY: all buffers of these tests have four elements, and live as long as the test.
    unsafe { comm.run(operation) }?;
    // SAFETY: as above.
    unsafe { comm.start(operation) }?.wait()
}

fn refusal(outcome: Result<()>) -> String {
    match outcome {
        Err(Error::Unsupported(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_kind_of_memory_goes_to_the_engine_that_serves_it() {
    on_two_ranks(Some(EVERYTHING), |comm| {
        let (send, recv) = (on_device([1, 2, 3, 4]), on_device([0; 4]));
        run(comm, &sum(send.as_ptr(), recv.as_mut_ptr())).unwrap();
        assert_eq!(*recv, [2, 4, 6, 8]);
        let (send, mut recv) = ([5, 6, 7, 8], [0; 4]);
        run(comm, &sum(send.as_ptr(), recv.as_mut_ptr())).unwrap();
        assert_eq!(recv, [10, 12, 14, 16]);
    });
}

#[test]
fn memory_of_a_device_is_refused_where_there_is_no_driver_or_the_named_engine_lacks_the_call() {
    on_two_ranks(None, |comm| {
        let (send, recv) = (on_device([1; 4]), on_device([0; 4]));
        let text = refusal(run(comm, &sum(send.as_ptr(), recv.as_mut_ptr())));
        assert!(text.contains("no usable CUDA driver") && text.contains("libcuda"), "{text}");
        // Nothing was sent, so the communicator remains usable.
        let (send, mut recv) = ([1; 4], [0; 4]);
        run(comm, &sum(send.as_ptr(), recv.as_mut_ptr())).unwrap();
        assert_eq!(recv, [2; 4]);
    });
    on_two_ranks(Some(NOTHING), |comm| {
        let (send, recv) = (on_device([1; 4]), on_device([0; 4]));
        let text = refusal(run(comm, &sum(send.as_ptr(), recv.as_mut_ptr())));
        assert!(text.contains("all_reduce") && text.contains("nccl does not support it"), "{text}");
    });
}

#[test]
fn a_communicator_formed_later_looks_for_the_named_engine_and_says_what_is_missing() {
    on_two_ranks(None, |comm| {
        let mut named = comm.dup(&CommConfig::default()).unwrap();
        named.devices.kinds = Kinds::by(driver);
        named.engines.on_device = DeviceEngine::default();
        named.engines.choice = BackendChoice::parse("choice", "cuda:nccl").unwrap();
        let (send, recv) = (on_device([1; 4]), on_device([0; 4]));
        // Without a GPU, NCCL has no device, or is missing altogether.
        for _ in 0..2 {
            let text = refusal(run(&named, &sum(send.as_ptr(), recv.as_mut_ptr())));
            assert!(text.contains("no engine serves it") && text.contains("rank 0: "), "{text}");
        }
        let (send, mut recv) = ([1; 4], [0; 4]);
        run(&named, &sum(send.as_ptr(), recv.as_mut_ptr())).unwrap();
        assert_eq!(recv, [2; 4]);
    });
}

#[test]
fn buffers_of_two_kinds_in_one_call_are_an_error_unless_one_is_unused() {
    on_two_ranks(Some(EVERYTHING), |comm| {
        let (send, mut recv) = (on_device([1, 2, 3, 4]), [0; 4]);
        let outcome = run(comm, &sum(send.as_ptr(), recv.as_mut_ptr()));
        assert!(matches!(outcome, Err(Error::InvalidArgument { what: "send", .. })), "{outcome:?}");
        let mut reduce = sum(send.as_ptr(), recv.as_mut_ptr());
        reduce.call.kind = CallKind::Collective(Collective::Reduce);
        let result = on_device([0; 4]);
        if comm.rank() == 0 {
            reduce.recv = result.as_mut_ptr().cast();
        }
        run(comm, &reduce).unwrap();
        assert_eq!(*result, if comm.rank() == 0 { [2, 4, 6, 8] } else { [0; 4] });
    });
}

#[test]
fn an_engine_that_nobody_named_gets_the_calls_that_it_has_and_no_others() {
    on_two_ranks_that_choose("auto", Some(REDUCTIONS), |comm| {
        assert_eq!(comm.device_path(), DevicePath::Engine(BackendName::Nccl));
        let (send, recv) = (on_device([1, 2, 3, 4]), on_device([0; 4]));
        run(comm, &sum(send.as_ptr(), recv.as_mut_ptr())).unwrap();
        assert_eq!(*recv, [2, 4, 6, 8]);
        // The builtin engine has no driver here, which it says.
        let mut gather = sum(send.as_ptr(), recv.as_mut_ptr());
        gather.call =
            Call { kind: CallKind::Collective(Collective::AllGather), op: None, count: 2, ..gather.call };
        let text = refusal(run(comm, &gather));
        assert!(text.contains("no usable CUDA driver"), "{text}");
    });
}

#[test]
fn buffers_of_two_kinds_fail_all_ranks_where_nobody_named_the_engine() {
    on_two_ranks_that_choose("auto", Some(EVERYTHING), |comm| {
        let (send, mut recv) = (on_device([1, 2, 3, 4]), [0; 4]);
        let outcome = run(comm, &sum(send.as_ptr(), recv.as_mut_ptr()));
        assert!(outcome.is_err());
        assert!(comm.failure().is_some());
    });
}

#[test]
fn every_other_kind_of_call_refuses_memory_of_a_device() {
    on_two_ranks(Some(EVERYTHING), |comm| {
        let (send, recv) = (on_device([1; 4]), on_device([0; 4]));
        let (data, place) = (send.as_ptr().cast::<u8>(), recv.as_mut_ptr().cast::<u8>());
        let datatype = Datatype::Int32;
        let blocks = [0, 1].map(|at| Block { offset: 2 * at, len: 2 });
        let layout = BlockLayout { input: &blocks, output: &blocks, ..BlockLayout::NONE };
        for places in [
            Places::Buffers { send: data, recv: place },
            Places::Lists { sends: &[data, data.wrapping_add(8)], recvs: &[place, place.wrapping_add(8)] },
        ] {
            let (collective, op) = (Collective::AllToAllV, None);
            let unequal = Unequal { collective, datatype, op, root: 0, layout, places };
            // SAFETY: this and the following calls: as in `run`.
            refusal(unsafe { comm.run(&unequal) });
            // SAFETY: see above.
            refusal(unsafe { comm.start(&unequal) }.map(drop));
        }
        let peer = 1 - comm.rank();
        let what = OutgoingMessage { to: peer, tag: 0, data, count: 4, datatype, is_synchronous: false };
        // SAFETY: see above.
        refusal(unsafe { comm.send(&what) });
        let buffer = RecvBuffer { data: place, count: 4, datatype, is_lenient: false };
        // SAFETY: see above.
        refusal(
            unsafe { comm.start(CallSpec::Receive(Selector::new(Some(peer), Some(0)), buffer)) }.map(drop),
        );
        let parts = [Part { send: data, recv: place, count: 4, datatype }];
        let list =
            List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &parts };
        // SAFETY: see above.
        refusal(unsafe { comm.start(&list) }.map(drop));
    });
}
