//! Ranks on several hosts: pretended ones, and two network namespaces that reach each other by a wire only.

mod common;

use std::process::Command;

use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::{Communicator, world_finalize};
use anyccl_engine::config::{Config, TransportChoice};
use common::attempt::{Placement, check, check_started};
use common::case::Case;
use common::processes::{Job, join, part, say};
use common::ranks::{config, on_hosts};
use common::watchdog::Watchdog;

/// One letter per rank: its host.
const LAYOUTS: [&str; 6] = ["aabb", "aaab", "abcc", "abab", "ab", "abbcac"];

fn every_collective(comm: &Communicator) {
    let size = comm.size();
    for collective in Collective::ALL {
        for datatype in [Datatype::Int8, Datatype::Float64] {
            for count in [0, 1, size as usize + 1, 5003] {
                for root in 0..if collective.has_root() { size } else { 1 } {
                    let op = collective.reduces().then_some(ReduceOp::Sum);
                    let case = match collective {
                        Collective::Barrier => Case::barrier(),
                        _ => Case { collective, datatype, op, root, count },
                    };
                    check(comm, case, Placement::Apart);
                    check_started(comm, case, Placement::InPlace);
                }
            }
        }
    }
}

#[test]
fn every_collective_works_across_pretended_hosts() {
    for layout in LAYOUTS {
        let host = |rank: Rank| &layout[rank as usize..][..1];
        let settings = |rank| Config { host_id: Some(host(rank).into()), ..config(TransportChoice::Auto) };
        on_hosts(layout.len() as u32, settings, |comm| {
            let rank = comm.rank() as usize;
            let neighbours = layout.matches(host(comm.rank())).count();
            let before = layout[..rank].matches(host(comm.rank())).count();
            assert_eq!(
                (comm.local_rank(), comm.local_size()),
                (before as u32, neighbours as u32),
                "{layout}"
            );
            every_collective(comm);
        });
    }
}

/// Two network namespaces of this machine with a wire between them. Abstract sockets do not cross it, although
/// the kernel, and so its boot id, is the same on both sides.
struct Wire {
    namespaces: [String; 2],
}

/// Address of the first namespace on the wire.
const ADDRESSES: [&str; 2] = ["10.213.7.1", "10.213.7.2"];

impl Wire {
    fn lay() -> Result<Wire, String> {
        let namespaces = ["a", "b"].map(|side| format!("anyccl-{side}-{}", std::process::id()));
        for name in &namespaces {
            ip(&["netns", "add", name])?;
        }
        // From here on, dropping takes down what was put up.
        let wire = Wire { namespaces };
        let [a, b] = &wire.namespaces;
        ip(&["link", "add", "wire0", "netns", a, "type", "veth", "peer", "name", "wire0", "netns", b])?;
        for (name, address) in wire.namespaces.iter().zip(ADDRESSES) {
            ip(&["-n", name, "address", "add", &format!("{address}/30"), "dev", "wire0"])?;
            ip(&["-n", name, "link", "set", "lo", "up"])?;
            ip(&["-n", name, "link", "set", "wire0", "up"])?;
        }
        Ok(wire)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        for name in &self.namespaces {
            let _ = ip(&["netns", "delete", name]);
        }
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let done = Command::new("ip").args(arguments).output().map_err(|e| format!("cannot run ip: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr).trim()))
}

#[test]
fn ranks_in_two_network_namespaces_use_tcp_between_and_shared_memory_within() {
    let wire = match Wire::lay() {
        Ok(wire) => wire,
        Err(reason) => {
            // Not by println, which nobody sees of a test that passes.
            use std::io::Write;
            let text = format!("\nSKIPPED: two network namespaces need root and iproute2 ({reason})\n");
            let _ = std::io::stderr().write_all(text.as_bytes());
            return;
        }
    };
    let _watchdog = Watchdog::new("ranks in two namespaces", std::time::Duration::from_secs(90));
    // Any port would do: nobody else lives in this namespace.
    let store = format!("tcp://{}:29417", ADDRESSES[0]);
    let mut job = Job::new(4, "collectives", &store).set("ANYCCL_LOG", "info");
    let exec = |name: &String| ["ip", "netns", "exec", name].map(str::to_string).to_vec();
    let [a, b] = &wire.namespaces;
    job.prefixes = [a, a, b, b].map(exec).to_vec();
    let mut ranks = job.start_all();
    for rank in &mut ranks {
        rank.expect("checked");
    }
    for rank in ranks {
        let (well, log) = rank.end();
        assert!(well && log.contains("shm to 1, tcp to 2"), "{log}");
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    if part().is_none() {
        return;
    }
    let comm = join().expect("a world");
    every_collective(&comm);
    world_finalize().expect("a good end");
    say("checked");
}
