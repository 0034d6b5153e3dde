//! Tests of recorded jobs: what a recording has, that a replay makes the same calls, what is refused, and
//! what the simulator says.

use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::thread;

use anyccl_engine::base::{Call, CallKind, Collective, Datatype, ReduceOp};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator, List, Operation, Part, Places, Unequal};
use anyccl_engine::config::Config;
use anyccl_engine::observe::timeline::FILE_PREFIX;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use anyccl_engine::plan::{Block, BlockLayout};
use serde_json::Value;

use crate::common::{Finished, Folder, anyccl, finish, script_command};

fn ended_well(command: Command) -> String {
    let ended = finish(command);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    String::from_utf8(ended.stdout).unwrap()
}

/// What was recorded of each rank, by rank: the arguments of its calls, in the order in which they began.
fn calls(folder: &str) -> Vec<Vec<Value>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<Vec<Value>> =
        paths.map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect();
    files.sort_by_key(|file| file[0]["args"]["rank"].as_u64());
    files.iter().map(|file| calls_of(file)).collect()
}

fn calls_of(file: &[Value]) -> Vec<Value> {
    let ranks_of = |context: &Value| {
        let mut comms = file.iter().filter(|object| object["name"] == "anyccl_communicator");
        comms.find(|comm| comm["args"]["context"] == *context).unwrap()["args"]["ranks"].clone()
    };
    let mut bars: Vec<&Value> = file.iter().filter(|object| object["cat"] == "call").collect();
    bars.sort_by(|one, other| one["ts"].as_f64().unwrap().total_cmp(&other["ts"].as_f64().unwrap()));
    let call = |bar: &&Value| {
        let mut args = bar["args"].clone();
        let own = args.as_object_mut().unwrap();
        own.insert("ranks".into(), ranks_of(&bar["args"]["communicator"]));
        own.insert("class".into(), bar["name"].clone());
        own.retain(|name, _| {
            !["call", "communicator", "number", "cpu_ns", "thread"].contains(&name.as_str())
        });
        own.retain(|name, _| !name.starts_with("taken") && name != "returned");
        args
    };
    bars.iter().map(call).collect()
}

/// What the replay makes of a recorded call.
fn expected(call: &Value) -> Value {
    let mut call = call.clone();
    match call["class"].as_str().unwrap() {
        "split" | "dup" | "create_from_ranks" => {
            (call["class"], call["bytes"]) = ("all_gather".into(), call["count"].clone());
        }
        "finalize" => call["class"] = "barrier".into(),
        _ => {}
    }
    call
}

/// Replays a recording, and compares the calls that are recorded then with the first ones, but for `besides`.
fn assert_replays_the_same(folder: &Folder, ranks: usize, besides: &[&str]) {
    let (first, second) = (folder.at("first"), folder.at("second"));
    let mut command = anyccl(&["perf", "-n", &ranks.to_string(), "--replay", &first, "--no-compute"]);
    command.env("ANYCCL_RECORD", &second);
    let report = ended_well(command);
    assert!(report.contains("whole, of the last rank"), "{report}");
    let compared = |folder: &str| {
        let mut all = calls(folder);
        let each = all.iter_mut().flatten().map(|call| call.as_object_mut().unwrap());
        each.for_each(|call| call.retain(|name, _| !besides.contains(&name.as_str())));
        all
    };
    let (recorded, replayed) = (compared(&first), compared(&second));
    assert_eq!((recorded.len(), replayed.len()), (ranks, ranks));
    for (rank, (recorded, replayed)) in recorded.iter().zip(&replayed).enumerate() {
        let recorded: Vec<Value> = recorded.iter().map(expected).collect();
        // Before and behind them are the calls of the replay itself.
        let is_there = replayed.windows(recorded.len()).any(|part| part == recorded);
        let first_wrong = || {
            let starts = replayed.iter().enumerate().filter(|(_, call)| Some(*call) == recorded.first());
            let same = |at: usize| replayed[at..].iter().zip(&recorded).take_while(|(a, b)| a == b).count();
            let best = starts.map(|(at, _)| (same(at), at)).max();
            best.map(|(same, at)| (recorded.get(same).cloned(), replayed.get(at + same).cloned()))
        };
        assert!(is_there, "rank {rank}: {:?}", first_wrong());
    }
}

#[test]
fn a_replay_makes_the_calls_of_every_collective_again() {
    let folder = Folder::new("replay-all");
    for form in ["--blocking", "--non-blocking"] {
        let _ = fs::remove_dir_all(folder.at("first"));
        let _ = fs::remove_dir_all(folder.at("second"));
        let mut command = anyccl(&["perf", "all", "-n", "3", "-b", "1200", "-e", "1200", "--both", form]);
        command
            .args(["--iterations", "2", "-w", "1", "--op", "max"])
            .env("ANYCCL_RECORD", folder.at("first"));
        ended_well(command);
        let kinds =
            calls(&folder.at("first"))[0].iter().map(|call| call["class"].to_string()).collect::<Vec<_>>();
        for collective in Collective::UNIFORM {
            assert!(kinds.contains(&format!("\"{}\"", collective.name())), "{}", collective.name());
        }
        assert_replays_the_same(&folder, 3, &[]);
    }
}

/// Runs `rank_main` as each rank of a job that records its calls.
fn record(folder: &Folder, ranks: u32, rank_main: impl Fn(&Communicator) + Sync) {
    let config = Config { record: Some(folder.at("first")), ..Config::default() };
    let id = UniqueId::create(&config).unwrap();
    thread::scope(|scope| {
        for rank in 0..ranks {
            let (config, rank_main) = (&config, &rank_main);
            scope.spawn(move || {
                let comm = Communicator::create(&id, ranks, rank, config, &CommConfig::default()).unwrap();
                rank_main(&comm);
                comm.finalize().unwrap();
            });
        }
    });
}

fn blocks(lengths: &[usize]) -> Vec<Block> {
    let mut offset = 0;
    let block = |len: &usize| {
        offset += len;
        Block { offset: offset - len, len: *len }
    };
    lengths.iter().map(block).collect()
}

/// All calls with layouts.
fn call_with_layouts(comm: &Communicator) {
    let (rank, lengths) = (comm.rank() as usize, [3, 0, 5]);
    let (send, mut recv) = (vec![1u32; 64], vec![0u32; 64]);
    let (all, own) = (blocks(&lengths), blocks(&lengths[rank..=rank]));
    let (to, from): (Vec<usize>, Vec<usize>) =
        (0..3).map(|other| (rank + 2 * other, other + 2 * rank)).unzip();
    let (to, from) = (blocks(&to), blocks(&from));
    let (next, before) = ([(comm.rank() + 1) % 3], [(comm.rank() + 2) % 3]);
    let at_root = |blocks: &'_ [Block]| if rank == 1 { blocks.to_vec() } else { Vec::new() };
    let (root_all, op) = (at_root(&all), Some(ReduceOp::Sum));
    let pair = blocks(&[2]);
    type Case<'a> = (Collective, Option<ReduceOp>, &'a [Block], &'a [Block]);
    let cases: [Case; 7] = [
        (Collective::AllGatherV, None, &own, &all),
        (Collective::GatherV, None, &own, &root_all),
        (Collective::ScatterV, None, &root_all, &own),
        (Collective::ReduceScatterV, op, &all, &own),
        (Collective::AllToAllV, None, &to, &from),
        (Collective::NeighborAllGatherV, None, &pair, &pair),
        (Collective::NeighborAllToAllV, None, &pair, &pair),
    ];
    for (collective, op, input, output) in cases {
        let graph = |ranks: &'static [u32], own: &[u32; 1]| {
            if collective.has_graph() { own.to_vec() } else { ranks.to_vec() }
        };
        let (sources, destinations) = (graph(&[], &before), graph(&[], &next));
        let layout = BlockLayout {
            input,
            output,
            sources: &sources,
            destinations: &destinations,
            ..BlockLayout::NONE
        };
        let places = Places::Buffers { send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() };
        let root = u32::from(collective.has_root());
        let call = Unequal { collective, datatype: Datatype::Uint32, op, root, layout, places };
        // SAFETY: the blocks lie in both buffers, which live until the call has ended.
        unsafe { comm.run(&call) }.unwrap();
        // SAFETY: as above.
        unsafe { comm.start(&call) }.unwrap().wait().unwrap();
    }
}

/// Messages of all kinds around the ring, to ranks of this communicator.
fn pass_messages(comm: &Communicator) {
    let (size, rank) = (comm.size(), comm.rank());
    let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
    for count in [1, 100_000] {
        let (out, mut back) = (vec![7i16; count], vec![0i16; count]);
        for (tag, is_synchronous) in [(5, false), (6, true)] {
            let (datatype, data) = (Datatype::Int16, out.as_ptr().cast());
            let what = OutgoingMessage { to, tag, datatype, count: count as u64, data, is_synchronous };
            // SAFETY: the buffer lives until the send has ended.
            let mut sent = unsafe { comm.start(&what) }.unwrap();
            let found = comm.probe(Selector::ANY).unwrap();
            assert_eq!((found.source, found.tag), (from, tag));
            let data = back.as_mut_ptr().cast();
            let buffer = RecvBuffer { data, datatype, count: count as u64, is_lenient: false };
            // SAFETY: the buffer lives until the receive has ended.
            unsafe { comm.receive(Selector::ANY, buffer) }.unwrap();
            sent.wait().unwrap();
        }
    }
}

#[test]
fn a_replay_makes_layouts_messages_lists_and_new_communicators_again() {
    let folder = Folder::new("replay-mixed");
    record(&folder, 3, |world| {
        call_with_layouts(world);
        pass_messages(world);
        let color = (world.rank() != 1).then_some(4);
        let part = world.split(color, -(world.rank() as i32), &CommConfig::default()).unwrap();
        let twin = world.dup(&CommConfig::default()).unwrap();
        if let Some(part) = &part {
            pass_messages(part);
        }
        let mut numbers = [1f64; 6];
        let at = numbers.as_mut_ptr().cast::<u8>();
        let call = |count| {
            let (kind, op) = (CallKind::Collective(Collective::AllReduce), Some(ReduceOp::Avg));
            Operation {
                call: Call { kind, datatype: Datatype::Float64, op, root: 0, count },
                send: at,
                recv: at,
            }
        };
        // Waited for in the other order. SAFETY: different communicators, and the numbers live until both
        // have ended.
        let first = unsafe { world.start(&call(4)) }.unwrap();
        let part_of = |start: usize| Part {
            send: at.wrapping_add(8 * start),
            recv: at.wrapping_add(8 * start),
            count: 1,
            datatype: Datatype::Float64,
        };
        let parts = [part_of(4), part_of(5)];
        let list =
            List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &parts };
        // SAFETY: as above; these are other numbers.
        let mut second = unsafe { twin.start(&list) }.unwrap();
        second.wait().unwrap();
        drop(first);
        twin.finalize().unwrap();
    });
    assert_replays_the_same(&folder, 3, &[]);
    // A recording with messages has a prediction for its own size, and for no other.
    let predicted = ended_well(anyccl(&["simulate", "--replay", &folder.at("first"), "--json"]));
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    assert!(predicted["seconds"]["predicted"].as_f64().unwrap() > 0.0, "{predicted}");
    let classes = predicted["calls"].as_array().unwrap();
    assert!(classes.iter().all(|class| class["calls_per_rank"].as_f64() > Some(0.0)), "{predicted}");
    let other = finish(anyccl(&["simulate", "--replay", &folder.at("first"), "--ranks", "6"]));
    assert!(other.code() == 1 && other.stderr.contains("only for the recorded number"), "{}", other.stderr);
}

#[test]
fn threads_that_call_by_turns_do_so_again() {
    let folder = Folder::new("replay-turns");
    record(&folder, 2, |comm| {
        let turn_ends = Barrier::new(2);
        let call = |count| {
            let mut number = vec![1u32; count];
            let (kind, op) = (CallKind::Collective(Collective::AllReduce), Some(ReduceOp::Sum));
            let at = number.as_mut_ptr().cast::<u8>();
            let call = Call { kind, datatype: Datatype::Uint32, op, root: 0, count: count as u64 };
            // SAFETY: the numbers live until the call has ended.
            unsafe { comm.start(&Operation { call, send: at, recv: at }) }.unwrap().wait().unwrap();
        };
        thread::scope(|scope| {
            for thread in [0, 1] {
                let (call, turn_ends) = (&call, &turn_ends);
                scope.spawn(move || {
                    for turn in 0..40 {
                        if turn % 2 == thread {
                            call(turn + 1);
                        }
                        turn_ends.wait();
                    }
                });
            }
        });
    });
    // A blocking call is started, so that the other thread's next one may begin.
    assert_replays_the_same(&folder, 2, &["blocking"]);
}

/// A recorded job of 4 ranks that make calls among all, among neighbours and among every second one.
fn grid(folder: &Folder) {
    record(folder, 4, |world| {
        let own = CommConfig::default();
        let neighbours = world.split(Some(world.rank() / 2), 0, &own).unwrap().unwrap();
        let others = world.split(Some(world.rank() % 2), 0, &own).unwrap().unwrap();
        for (comm, count) in [(world, 1 << 10), (&neighbours, 1 << 12), (&others, 1 << 14)] {
            let mut numbers = vec![1f32; count];
            let at = numbers.as_mut_ptr().cast::<u8>();
            let (kind, op) = (CallKind::Collective(Collective::AllReduce), Some(ReduceOp::Sum));
            let call = Call { kind, datatype: Datatype::Float32, op, root: 0, count: count as u64 };
            // SAFETY: the buffer lives until the blocking call returns.
            unsafe { comm.run(&Operation { call, send: at, recv: at }) }.unwrap();
        }
    });
}

#[test]
fn a_job_is_predicted_at_another_size_by_its_groups() {
    let folder = Folder::new("replay-grid");
    grid(&folder);
    let predict = |words: &[&str]| -> Value {
        let mut command = anyccl(&["simulate", "--json", "--replay", &folder.at("first")]);
        command.args(words);
        serde_json::from_str(&ended_well(command)).unwrap()
    };
    let all_reduce = |report: &Value| {
        let calls = report["calls"].as_array().unwrap().clone();
        calls.into_iter().find(|call| call["call"] == "all_reduce").unwrap()
    };
    let (same, larger) = (predict(&[]), predict(&["--ranks", "1024", "--hosts", "128"]));
    assert_eq!(
        (&all_reduce(&same)["calls_per_rank"], &all_reduce(&larger)["calls_per_rank"]),
        (&3.0.into(), &3.0.into())
    );
    let predicted = |report: &Value| all_reduce(report)["seconds"]["predicted"].as_f64().unwrap();
    assert!(predicted(&larger) > predicted(&same), "{same} {larger}");
    let refusal = |words: &[&str]| {
        let mut command = anyccl(&["simulate", "--replay", &folder.at("first")]);
        command.args(words);
        finish(command)
    };
    assert!(refusal(&["--ranks", "7"]).stderr.contains("7 ranks are no multiple of 2"));
    assert_eq!(refusal(&["--ranks", "4", "--hosts", "8"]).code(), 2);
}

fn replay(folder: &str, words: &[&str]) -> Finished {
    let mut command = anyccl(&["perf", "--replay", folder]);
    command.args(words);
    finish(command)
}

/// Puts `new` in the place of `old` in the file of a rank.
fn forge(folder: &str, rank: u32, change: impl Fn(String) -> String) {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let end = format!("-rank-{rank}.json");
    let path = paths.into_iter().find(|path| path.to_str().unwrap().ends_with(&end)).unwrap();
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
}

#[test]
fn what_cannot_be_replayed_is_refused_with_the_reason() {
    let folder = Folder::new("replay-refused");
    grid(&folder);
    let first = folder.at("first");
    let wrong_number = replay(&first, &["-n", "2"]);
    assert_eq!((wrong_number.code(), wrong_number.stderr.matches("recorded on 4 ranks").count()), (1, 1));
    assert!(replay(&folder.at(""), &["-n", "4"]).stderr.contains("has no recording"));
    assert!(replay(&first, &["-n", "4", "--job", "x"]).stderr.contains("--job names one of the jobs"));
    let cases: [(&str, &str, &str); 6] = [
        ("\"format\":1", "\"format\":2", "a newer anyccl has written it"),
        ("\"count\":1024", "\"count\":18446744073709551615", "exceed memory"),
        ("\"ranks\":[0, 1, 2, 3]", "\"ranks\":[0, 1, 2, 4000000000]", "ranks that make no sense"),
        ("\"datatype\":\"float32\"", "\"datatype\":\"x\\u001b[31m\"", "its datatype is unknown"),
        ("\"size\":4", "\"size\":4000000000", "does not fit to the other files"),
        ("\"state\":\"ended\"", "\"state\":\"failed\"", "would wait for ever"),
    ];
    for (old, new, why) in cases {
        let copy = folder.at("copy");
        copy_of(&first, &copy);
        forge(&copy, 2, |text| text.replacen(old, new, 1));
        let refused = replay(&copy, &["-n", "4"]);
        assert!(
            refused.stderr.contains(why) && !refused.stderr.contains('\u{1b}'),
            "{why}: {}",
            refused.stderr
        );
        assert_eq!(refused.code(), 1);
    }
    // A rank that was killed has no end. Its job is predicted as far as it goes.
    let copy = folder.at("copy");
    copy_of(&first, &copy);
    forge(&copy, 1, |text| text[..text.len() * 3 / 4].to_string());
    assert!(replay(&copy, &["-n", "4"]).stderr.contains("its end is missing"));
    let predicted = ended_well(anyccl(&["simulate", "--replay", &copy]));
    assert!(predicted.contains("as far as all ranks go"), "{predicted}");
    // A pipe would keep its reader waiting. All ranks leave it out, and one says so.
    let pipe = CString::new(format!("{copy}/{FILE_PREFIX}7-rank-0.json")).unwrap();
    // SAFETY: the name is a string that ends with zero and lives during the call.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    let refused = replay(&copy, &["-n", "4"]).stderr;
    assert_eq!(refused.matches("it is no regular file").count(), 1, "{refused}");
    assert!(!refused.contains("rank 0, 1, 2, 3") && refused.contains("rank 1: "), "{refused}");
    forge(&copy, 1, |_| "no JSON".into());
    let missing = finish(anyccl(&["simulate", "--replay", &copy]));
    assert!(
        missing.stderr.contains("left out") && missing.stderr.contains("lacks rank 1 of 4"),
        "{}",
        missing.stderr
    );
}

fn copy_of(from: &str, to: &str) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), Path::new(to).join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_full_disk_is_one_warning_of_each_rank_and_what_was_written_is_read() {
    let folder = Folder::new("replay-full");
    let tool = env!("CARGO_BIN_EXE_anyccl");
    let perf = "perf all_reduce -b 40000 -e 40000 --no-check";
    let full = format!("trap '' XFSZ; ulimit -f 1; exec {tool} {perf} --iterations 2");
    let mut command = script_command(2, &[], &full);
    // Shared memory counts as a file, too.
    command.env("ANYCCL_RECORD", folder.at("full")).env("ANYCCL_TRANSPORT", "tcp");
    let ended = finish(command);
    assert_eq!(
        (ended.code(), ended.stderr.matches("its file ends here").count()),
        (0, 2),
        "{}",
        ended.stderr
    );
    let report = ended_well(anyccl(&["simulate", "--replay", &folder.at("full")]));
    assert!(report.contains("as far as all ranks go"), "{report}");
}
