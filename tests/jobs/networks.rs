//! Hosts whose networks differ: in the names of interfaces, in the families of addresses, and in what a host
//! name resolves to.

use std::time::Duration;

use crate::common;
use anyccl_engine::base::Collective;
use anyccl_engine::comm::world_finalize;
use common::attempt::{Placement, check};
use common::case::Case;
use common::network::{Network, SECOND_WIRE, network_or_skip, skip};
use common::processes::{ProcessJob, RankProcess, join, part, say};
use common::watchdog::Watchdog;

/// Elements of a message that has a stripe for each of some lanes.
const LONG: usize = 1_000_003;

#[test]
#[ignore = "what a rank does; the other tests start it"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(_) = part() else { return };
    let world = join().expect("a world");
    check(&world, Case::plain(Collective::AllReduce, 0, 5003), Placement::Apart);
    check(&world, Case::plain(Collective::AllToAll, 0, LONG), Placement::Apart);
    check(&world, Case::barrier(), Placement::Apart);
    world_finalize().expect("a good end");
    say("done");
}

/// Runs a job with two ranks on each of two hosts, with the store `store` and only the variables `set`.
fn meet(network: &Network, what: &str, store: &str, set: &[(&str, &str)]) {
    let _watchdog = Watchdog::new(what.to_string(), Duration::from_secs(60));
    let mut job = ProcessJob::new(module_path!(), 4, "meet", store);
    for (name, value) in set {
        job = job.set(name, value);
    }
    job.prefixes = [0, 0, 1, 1].map(|host| network.prefix(host)).to_vec();
    let mut ranks = job.start_all();
    ranks.iter_mut().for_each(|rank| rank.expect("done"));
    ranks.into_iter().for_each(RankProcess::end_well);
}

/// A network of two hosts after `change`. The test is skipped where the kernel does not support the change.
fn changed(change: impl FnOnce(&Network) -> Result<(), String>) -> Option<Network> {
    let network = network_or_skip(2)?;
    match change(&network) {
        Ok(()) => Some(network),
        Err(reason) => {
            skip(&reason);
            None
        }
    }
}

#[test]
fn hosts_whose_interfaces_have_different_names_meet_with_a_list_of_them_and_without() {
    let Some(network) = changed(|network| network.rename_wire(1, "eth7")) else { return };
    meet(&network, "interfaces with different names", &network.store(), &[]);
    let list = [("ANYCCL_SOCKET_IFNAME", "wire0,eth7")];
    meet(&network, "a list of interfaces", &network.store(), &list);
}

#[test]
fn lanes_use_listed_interfaces_in_turn_and_others_not() {
    let Some(network) = changed(Network::add_second_wires) else { return };
    for (list, uses_second) in [("wire0,wire1", true), ("^lo", false)] {
        let before = network.sent_bytes_over(0, SECOND_WIRE);
        let lanes = [("ANYCCL_SOCKET_IFNAME", list), ("ANYCCL_TCP_LANES", "2")];
        meet(&network, list, &network.store(), &lanes);
        let sent = network.sent_bytes_over(0, SECOND_WIRE) - before;
        assert_eq!(sent > LONG as u64, uses_second, "{list}: {sent} bytes");
    }
}

#[test]
fn ranks_that_leave_the_lanes_to_the_library_meet_and_have_none_on_a_short_path() {
    let Some(network) = changed(Network::add_second_wires) else { return };
    let before = network.sent_bytes_over(0, SECOND_WIRE);
    // A lane would use the second interface.
    let auto = [("ANYCCL_SOCKET_IFNAME", "wire0,wire1"), ("ANYCCL_TCP_LANES", "auto")];
    meet(&network, "lanes as the path needs", &network.store(), &auto);
    let sent = network.sent_bytes_over(0, SECOND_WIRE) - before;
    assert!(sent < LONG as u64, "{sent} bytes");
}

#[test]
fn a_bridge_with_the_same_address_on_every_host_does_no_harm() {
    let Some(network) = changed(Network::add_bridges) else { return };
    meet(&network, "bridges", &network.store(), &[]);
    meet(&network, "bridges excluded", &network.store(), &[("ANYCCL_SOCKET_IFNAME", "^docker")]);
}

#[test]
fn hosts_without_ipv4_meet() {
    let Some(network) = changed(Network::only_ipv6) else { return };
    let store = format!("tcp://[{}]:29417", network.ipv6_address(0));
    meet(&network, "IPv6 only", &store, &[]);
}

#[test]
fn rank_0_is_found_by_a_name_that_leads_its_own_host_to_127_0_1_1() {
    let Some(network) = changed(|network| {
        network.set_names(0, "127.0.0.1 localhost\n127.0.1.1 node-a\n")?;
        network.set_names(1, &format!("127.0.0.1 localhost\n{} node-a\n", network.address(0)))
    }) else {
        return;
    };
    meet(&network, "a name of 127.0.1.1", "tcp://node-a:29417", &[]);
}

#[test]
fn a_slurm_step_meets_at_the_first_host_of_its_list() {
    let Some(network) = changed(|network| {
        network.set_names(0, "127.0.1.1 node-1\n")?;
        network.set_names(1, &format!("{} node-1\n", network.address(0)))
    }) else {
        return;
    };
    let _watchdog = Watchdog::new("a Slurm step", Duration::from_secs(60));
    let mut job = ProcessJob::new(module_path!(), 2, "meet", "")
        .set("ANYCCL_WORLD_SIZE", "")
        .set("SLURM_JOB_ID", std::process::id())
        .set("SLURM_STEP_ID", 0)
        .set("SLURM_NTASKS", 2)
        .set("SLURM_STEP_NODELIST", "node-[1-2]");
    job.prefixes = [0, 1].map(|host| network.prefix(host)).to_vec();
    let start = |rank: u32| job.clone().set("SLURM_PROCID", rank).start_as_told(rank);
    let mut ranks = [start(0), start(1)];
    ranks.iter_mut().for_each(|rank| rank.expect("done"));
    ranks.into_iter().for_each(RankProcess::end_well);
}
