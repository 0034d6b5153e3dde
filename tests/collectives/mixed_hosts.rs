//! Ranks on several hosts: simulated ones on this machine, and network namespaces that are connected by wires
//! only.

use std::time::Duration;

use crate::common;
use anyccl_engine::algo;
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator, Operation, world_finalize};
use anyccl_engine::config::{Config, TransportChoice};
use common::attempt::{Attempt, Placement, check, check_started};
use common::case::Case;
use common::network::{Network, network_or_skip, skip};
use common::processes::{ProcessJob, RankProcess, join, listen, part, say};
use common::ranks::{config, on_hosts};
use common::sample::{ALL_LEVELS, Coverage, points};
use common::values::MOST_RANKS;
use common::watchdog::Watchdog;

/// Layouts of ranks on hosts. Each letter is the host of one rank.
const LAYOUTS: [&str; 6] = ["aabb", "aaab", "abcc", "abab", "ab", "abbcac"];

/// Makes calls of every collective. `set` is the number of this set of calls.
fn every_collective(comm: &Communicator, set: usize) {
    let size = comm.size();
    for (at, collective) in Collective::UNIFORM.into_iter().enumerate() {
        let roots = if collective.has_root() { size as usize } else { 1 };
        for [count, datatype, root, form] in
            points(set * Collective::UNIFORM.len() + at, ALL_LEVELS, [4, 2, roots, 2])
        {
            let op = collective.reduces().then_some(ReduceOp::Sum);
            let datatype = [Datatype::Int8, Datatype::Float64][datatype];
            let count = [0, 1, size as usize + 1, 5003][count];
            let case = match collective {
                Collective::Barrier => Case::barrier(),
                _ => Case { collective, datatype, op, root: root as Rank, count },
            };
            match form {
                0 => check(comm, case, Placement::Apart),
                _ => check_started(comm, case, Placement::InPlace),
            }
        }
    }
}

#[test]
fn every_collective_works_across_pretended_hosts() {
    println!("{Coverage}");
    for (set, layout) in LAYOUTS.into_iter().enumerate() {
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
            every_collective(comm, set);
        });
    }
}

/// Settings that together force every algorithm of each collective. The n-th setting takes the n-th algorithm
/// of every collective.
fn algorithm_settings() -> Vec<String> {
    let names = |collective| algo::of(collective).map(|row| row.name).collect::<Vec<_>>();
    let lists = Collective::UNIFORM.map(|collective| (collective.name(), names(collective)));
    let longest = lists.iter().map(|(_, names)| names.len()).max().unwrap_or(0);
    let setting = |at: usize| {
        let entries = lists.iter().map(|(collective, names)| {
            let name = names[at.min(names.len() - 1)];
            format!("{collective}:{name}")
        });
        entries.collect::<Vec<_>>().join(",")
    };
    (0..longest).map(setting).collect()
}

/// Calls with few and with many elements, with the first and the last rank as root. `set` is the number of
/// this set of calls.
fn some_calls(comm: &Communicator, set: usize) {
    let n = comm.size() as usize;
    let datatype = if comm.size() <= MOST_RANKS { Datatype::Float32 } else { Datatype::Int32 };
    for (at, collective) in Collective::UNIFORM.into_iter().enumerate() {
        if collective == Collective::Barrier {
            check(comm, Case::barrier(), Placement::Apart);
            continue;
        }
        let levels = [6, 1 + usize::from(collective.has_root()), 2];
        for [count, root, form] in points(set * Collective::UNIFORM.len() + at, ALL_LEVELS, levels) {
            let op = collective.reduces().then_some(ReduceOp::Sum);
            let (count, root) = ([0, 1, n - 1, n, n + 1, 5003][count], [0, comm.size() - 1][root]);
            let case = Case { collective, datatype, op, root, count };
            match form {
                0 => check(comm, case, Placement::Apart),
                _ => check_started(comm, case, Placement::InPlace),
            }
        }
    }
}

/// Makes a communicator with each setting and runs some calls on it.
fn every_algorithm(world: &Communicator) {
    for (at, setting) in algorithm_settings().into_iter().enumerate() {
        let settings = Config {
            algorithm: Some(setting.clone()),
            chunk_bytes: 1000,
            ..Config::from_environment().expect("what the world began with")
        };
        let mut id = [0u8; 128];
        if world.rank() == 0 {
            id = UniqueId::create(&settings).expect("a unique id").0;
        }
        let call = Case::moving(Collective::Broadcast, Datatype::Byte, 0, id.len()).call();
        let buffer = id.as_mut_ptr();
        let told = Operation { call, send: buffer.cast(), recv: buffer.cast() };
        // SAFETY: the buffer has as many bytes as the call, and is used in place.
        unsafe { world.run(&told) }.expect("the id for everybody");
        let (id, own) = (UniqueId(id), CommConfig::default());
        let comm = Communicator::create(&id, world.size(), world.rank(), &settings, &own)
            .unwrap_or_else(|e| panic!("rank {} with {setting}: {e}", world.rank()));
        some_calls(&comm, at * MOST_RANKS as usize + comm.size() as usize);
        comm.finalize().expect("a good end");
    }
}

/// Starts one rank per letter of `layout` on the hosts of a network.
fn start(network: &Network, layout: &str, part: &'static str, set: &[(&str, &str)]) -> Vec<RankProcess> {
    let mut job = ProcessJob::new(module_path!(), layout.len() as u32, part, network.store());
    for (name, value) in set {
        job = job.set(name, value);
    }
    job.prefixes = layout.bytes().map(|letter| network.prefix((letter - b'a') as usize)).collect();
    job.start_all()
}

#[test]
fn ranks_in_two_network_namespaces_use_tcp_between_and_shared_memory_within() {
    let Some(network) = network_or_skip(2) else { return };
    let _watchdog = Watchdog::new("ranks in two namespaces", Duration::from_secs(90));
    let mut ranks = start(&network, "aabb", "collectives", &[("ANYCCL_LOG", "info")]);
    for rank in &mut ranks {
        rank.expect("done");
    }
    for rank in ranks {
        let (well, log) = rank.end();
        assert!(well && log.contains("shm to 1, tcp to 2"), "{log}");
    }
}

#[test]
fn every_algorithm_works_on_2_and_3_hosts_of_1_to_4_ranks() {
    const LAYOUTS: [&str; 10] = [
        "ab",
        "aabb",
        "aaabbb",
        "aaaabbbb",
        "abc",
        "aabbcc",
        "aaabbbccc",
        "aaaabbbbcccc",
        // The hosts have unequal numbers of ranks, or the ranks alternate between hosts.
        "abbcacc",
        "abcabcab",
    ];
    let Some(network) = network_or_skip(3) else { return };
    for layout in LAYOUTS {
        let _watchdog = Watchdog::new(format!("every algorithm on {layout}"), Duration::from_secs(120));
        let mut ranks = start(&network, layout, "algorithms", &[]);
        for rank in &mut ranks {
            rank.expect("done");
        }
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

/// Elements of the all_reduce whose bytes are counted.
const COUNTED: usize = 1 << 20;

/// Bytes that each host sends in one all_reduce of [`COUNTED`] int32. `algorithm` is `None` for the default
/// choice.
fn sent_in_all_reduce(network: &Network, layout: &str, algorithm: Option<&str>) -> Vec<u64> {
    let _watchdog = Watchdog::new(format!("{algorithm:?} on {layout}, counted"), Duration::from_secs(120));
    let setting = algorithm.map(|name| format!("all_reduce:{name}"));
    let set = setting.as_ref().map(|setting| ("ANYCCL_ALGORITHM", setting.as_str()));
    let mut ranks = start(network, layout, "counted", set.as_slice());
    for rank in &mut ranks {
        rank.expect("ready");
    }
    let hosts = 0..layout.bytes().max().map_or(0, |last| (last - b'a') as usize + 1);
    let before: Vec<u64> = hosts.clone().map(|host| network.sent_bytes(host)).collect();
    for rank in &mut ranks {
        rank.tell("go");
    }
    for rank in &mut ranks {
        rank.expect("called");
    }
    let sent = hosts.map(|host| network.sent_bytes(host) - before[host]).collect();
    for rank in &mut ranks {
        rank.tell("enough");
    }
    for rank in &mut ranks {
        rank.expect("done");
    }
    ranks.into_iter().for_each(RankProcess::end_well);
    sent
}

fn counted_calls(comm: &Communicator) {
    let case = Case::plain(Collective::AllReduce, 0, COUNTED);
    let mut attempt = Attempt::on(comm, case, Placement::Apart);
    say("ready");
    assert_eq!(listen(), "go");
    attempt.run(comm).expect("an all_reduce");
    say("called");
    assert_eq!(listen(), "enough");
    attempt.verify();
}

#[test]
fn a_hierarchical_all_reduce_crosses_a_slow_wire_no_more_than_one_rank_per_host_would() {
    let Some(network) = network_or_skip(3) else { return };
    // The test counts bytes and not time. The rate limit makes the ranks of a host wait together for their
    // wire.
    if let Err(reason) = network.limit("rate 800mbit burst 256k latency 400ms") {
        return skip(&format!("a slow wire needs tc with tbf ({reason})"));
    }
    let bytes = (COUNTED * size_of::<i32>()) as u64;
    for (layout, hosts, ranks) in [("aabb", 2, 2), ("ababab", 2, 3), ("aabbcc", 3, 2)] {
        let least = 2 * (hosts - 1) * bytes / hosts;
        for algorithm in [Some("hierarchical"), None] {
            for sent in sent_in_all_reduce(&network, layout, algorithm) {
                // The margin covers headers, acknowledgements of incoming data, and retransmissions.
                let most = least + least / 5;
                let what = format!("{algorithm:?} on {layout}");
                assert!((least..most).contains(&sent), "{what}: {sent} bytes, least {least}");
            }
        }
        let flat = ranks * ranks * (hosts - 1) * bytes;
        for sent in sent_in_all_reduce(&network, layout, Some("one_shot")) {
            assert!(sent >= flat, "{layout}: {sent} bytes, each rank sends all to each elsewhere: {flat}");
        }
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    let comm = join().expect("a world");
    match part.as_str() {
        "collectives" => every_collective(&comm, LAYOUTS.len() + comm.size() as usize),
        "algorithms" => every_algorithm(&comm),
        "counted" => counted_calls(&comm),
        other => panic!("no such part: {other}"),
    }
    world_finalize().expect("a good end");
    say("done");
}
