//! A program that loads the CUDA driver after it has made its communicators, such as one whose CUDA runtime
//! is linked in.

use std::fs;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{CommConfig, Communicator, DevicePath, Operation, world_finalize};
use common::case::Case;
use common::device::{Arena, Stream, double};
use common::processes::{ProcessJob, RankProcess, join, part, say, tcp_store};
use common::temp_dir::TempDir;

const BYTES: usize = 50_000;

#[test]
fn communicators_made_before_the_driver_was_loaded_take_its_memory() {
    let folder = TempDir::new();
    // The search path says that this machine has a driver, which another path may lead to.
    fs::write(folder.path().join("libcuda.so.1"), "").expect("a file in a new folder");
    for transport in ["shm", "tcp"] {
        let job = ProcessJob::new(module_path!(), 2, "load later", tcp_store())
            .set("ANYCCL_TRANSPORT", transport)
            .set("LD_LIBRARY_PATH", folder.path().display());
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("all are staged"));
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

/// Checks the sum of all ranks' buffers.
fn check_sum(comm: &Communicator, arena: &mut Arena, stream: Option<&Stream>) {
    let buffer = arena.take(BYTES);
    double().write(buffer, &vec![1 + comm.rank() as u8; BYTES]);
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, BYTES);
    comm.set_stream(stream.map(Stream::handle));
    // SAFETY: the arena lives until the stream has passed the call.
    unsafe { comm.run(&Operation { call: case.call(), send: place.cast_const(), recv: place }) }.unwrap();
    if let Some(stream) = stream {
        stream.synchronize();
    }
    assert!(double().read(buffer, BYTES) == vec![3; BYTES]);
}

fn load_later(comm: &Communicator) {
    assert_eq!(comm.device_path(), DevicePath::None);
    let before = comm.dup(&CommConfig::default()).expect("all ranks take part").shared();
    double();
    let (mut arena, stream) = (Arena::new(1 << 20), Stream::new());
    // The driver was loaded, but no call has looked for it yet.
    while comm.device_path() == DevicePath::None {
        std::thread::yield_now();
    }
    for comm in [comm, &*before] {
        assert_eq!(comm.device_path(), DevicePath::Staged);
        check_sum(comm, &mut arena, None);
        check_sum(comm, &mut arena, Some(&stream));
    }
    // Whether a communicator may have the direct path is agreed when the first one is made.
    let after = comm.dup(&CommConfig::default()).expect("all ranks take part").shared();
    assert_eq!(after.device_path(), DevicePath::Staged);
    check_sum(&after, &mut arena, Some(&stream));
    for comm in [before, after] {
        comm.finalize().expect("all ranks finalize");
    }
    say("all are staged");
    world_finalize().expect("all ranks finalize");
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    let comm = join().expect("a world");
    match part.as_str() {
        "load later" => load_later(&comm),
        other => panic!("no part {other}"),
    }
}
