//! Ranks of the direct path, as threads or as processes, and calls that they make.

use std::sync::{Arc, Mutex};

use anyccl_engine::comm::{Communicator, DevicePath};
use anyccl_engine::config::{Config, DevicePathChoice};

use super::attempt::{Attempt, Placement};
use super::case::{Case, support_table};
use super::device::{Arena, Stream, Way, call, double, have_device};
use super::processes::join;
use super::ranks::{TRANSPORTS, config, on_ranks_after};
use super::values::noise;

/// Device memory and a stream of one rank.
pub type RankDevice = (Arena, Stream);

/// Settings of ranks with the direct path.
pub fn direct() -> Config {
    Config { device_path: DevicePathChoice::Direct, ..config(TRANSPORTS[0]) }
}

/// Joins the job of this rank process, which gets a device.
pub fn join_direct() -> Arc<Communicator> {
    double();
    let comm = join().expect("all ranks join");
    assert_eq!(comm.device_path(), DevicePath::Direct);
    comm
}

/// The devices of ranks as threads, each with an arena of so many bytes.
pub fn devices(size: u32, arena: usize) -> Vec<Mutex<RankDevice>> {
    double();
    (0..size).map(|_| Mutex::new((Arena::new(arena), Stream::new()))).collect()
}

/// Runs ranks as threads, each with an arena of so many bytes.
pub fn on_direct_ranks(size: u32, arena: usize, body: impl Fn(&Communicator, &mut RankDevice) + Sync) {
    let devices = devices(size, arena);
    on_ranks_after(size, &direct(), have_device, |comm| {
        assert_eq!(comm.device_path(), DevicePath::Direct);
        body(comm, &mut devices[comm.rank() as usize].lock().unwrap());
    });
}

/// Makes a call, and compares its output with the oracle's.
pub fn check(comm: &Communicator, device: &mut RankDevice, case: Case, placement: Placement, way: Way) {
    let (arena, stream) = device;
    let mut attempt = Attempt::on(comm, case, placement);
    let outcome = attempt.run_on_device(arena, |operation| call(way, comm, stream, operation));
    outcome.unwrap_or_else(|error| panic!("{case} on rank {}, {way:?}: {error}", comm.rank()));
    attempt.verify();
    arena.clear();
}

/// Makes as many calls as `turns`, which the seed chooses. Each rank makes each call in another way.
pub fn calls_of_seed(comm: &Communicator, device: &mut RankDevice, seed: u64, turns: usize) {
    let table = support_table();
    for turn in 0..turns {
        let chance = noise(seed as u32 + 1, turn);
        let way = noise(seed as u32 + 1 + comm.rank() * 7919, turn) as usize % 3;
        let (collective, datatype, op) = table[chance as usize % table.len()];
        let count = [1, 9, 700, 9000][(chance >> 32) as usize % 4] / comm.size() as usize + 1;
        let case = Case { collective, datatype, op, root: (chance >> 40) as u32 % comm.size(), count };
        let way = [Way::Blocking, Way::Started, Way::Stream][way];
        check(comm, device, case, Placement::ALL[(chance >> 48) as usize % 2], way);
    }
}
