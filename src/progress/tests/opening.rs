//! Tests of links that are opened when their ranks first talk.

use super::messages::{from, outgoing, receive, send};
use super::*;
use crate::base::Error;
use crate::endpoint::Presence;
use crate::memory::ArenaPeers;
use crate::p2p::Selector;
use crate::progress::engine_comm::Member;
use crate::sys::clock;
use crate::sys::fork::tests::{in_child, permit_few_files_on_their_way};
use crate::sys::poll::{Interest, PollSet};
use crate::sys::wake::Wake;
use crate::transport::control::ControlMessage;
use crate::transport::control::tests::NoFile;
use crate::transport::shm::{PairFile, Settings, UnopenedShm, own_arena, slots};

const SECOND: Duration = Duration::from_secs(1);

/// Number of links that a rank has not opened.
fn unopened(driver: &Driver) -> usize {
    driver.lock().unopened
}

#[test]
fn a_message_to_a_rank_that_does_nothing_is_sent_and_found_there_later() {
    for (sender, receiver) in [(0, 1), (1, 0)] {
        for selector in [from(sender, 5), Selector::new(None, None)] {
            let drivers = world(2, Kind::Unopened);
            let (sends, receives) = (&drivers[sender as usize], &drivers[receiver as usize]);
            send(sends, receiver, 5, &[7, 8]).unwrap();
            assert_eq!([unopened(sends), unopened(receives)], [0, 1]);
            let mut room = [0; 2];
            receive(receives, selector, &mut room, LONG).unwrap();
            assert_eq!(room, [7, 8]);
            assert_eq!(unopened(receives), 0);
        }
    }
}

#[test]
fn what_a_rank_has_sent_before_it_ended_is_found_by_one_that_first_looks_afterwards() {
    for (sender, receiver) in [(0, 1), (1, 0)] {
        let mut drivers = world(2, Kind::Unopened);
        send(&drivers[sender as usize], receiver, 5, &[7]).unwrap();
        let receives = drivers.remove(receiver as usize);
        drop(drivers);
        let mut room = [0];
        receive(&receives, from(sender, 5), &mut room, LONG).unwrap();
        assert_eq!(room, [7]);
        let error = receive(&receives, from(sender, 5), &mut room, LONG).unwrap_err();
        assert!(error.to_string().contains(GONE), "{error}");
    }
}

#[test]
fn only_ranks_that_talk_open_links() {
    let drivers = world(5, Kind::Unopened);
    on_all(&drivers, |rank, driver| {
        let mut room = [0];
        match rank {
            1 => send(driver, 3, 2, &[9]).unwrap(),
            3 => drop(receive(driver, Selector::new(None, Some(2)), &mut room, LONG).unwrap()),
            _ => {}
        }
    });
    let left: Vec<usize> = drivers.iter().map(|driver| unopened(driver)).collect();
    assert_eq!(left, [4, 3, 4, 3, 4]);
    let outcomes = on_all(&drivers, |rank, driver| {
        let mut sum = [0];
        all_reduce("recursive_doubling", 5, rank, 1).run(driver, &[1 << rank], &mut sum, LONG).map(|()| sum)
    });
    outcomes.into_iter().for_each(|outcome| assert_eq!(outcome.unwrap(), [31]));
}

#[test]
fn ranks_that_first_talk_at_the_same_time_meet() {
    for _ in 0..20 {
        let outcomes = on_all(&world(3, Kind::Unopened), |rank, driver| {
            let mut sum = [0; 300];
            let call = all_reduce("one_shot", 3, rank, 300);
            (0..3).try_for_each(|_| call.run(driver, &[1 << rank; 300], &mut sum, LONG)).map(|()| sum)
        });
        outcomes.into_iter().for_each(|outcome| assert_eq!(outcome.unwrap(), [7; 300]));
    }
}

#[test]
fn a_first_message_is_sent_at_once_while_other_messages_move() {
    let drivers = world(3, Kind::Unopened);
    send(&drivers[1], 0, 5, &[1]).unwrap();
    receive(&drivers[0], from(1, 5), &mut [0], LONG).unwrap();
    send(&drivers[1], 0, 5, &[2]).unwrap();
    {
        let mut engine = drivers[0].lock();
        while !engine.opening.is_over(false) {}
        engine.start_probe(CommId::FIRST, from(1, 5), true).unwrap();
        // The probe has had its look, and finds its message in the next pass.
        assert!(engine.opening.is_over(false));
    }
    let data = [3];
    // SAFETY: the data outlives the send, which ends with its only message.
    unsafe { drivers[0].start_send(CommId::FIRST, &outgoing(2, 5, &data)) }.unwrap();
    assert_eq!(unopened(&drivers[0]), 0);
}

#[test]
fn a_program_that_only_looks_for_messages_finds_the_first_of_a_rank() {
    for selector in [from(0, 5), Selector::new(None, None)] {
        let drivers = world(2, Kind::Unopened);
        send(&drivers[0], 1, 5, &[7]).unwrap();
        while drivers[1].find(CommId::FIRST, selector).unwrap().is_none() {}
    }
}

const SETTINGS: Settings = Settings { ranks: 8, single_copy: true };

/// Two ranks whose pair has this file, or the lower one alone.
fn two_ranks(file: &PairFile, higher_has_it: bool) -> Vec<Arc<Driver>> {
    two_ranks_with([Some(file), Some(file).filter(|_| higher_has_it)])
}

/// Two ranks, each with its file.
fn two_ranks_with(files: [Option<&PairFile>; 2]) -> Vec<Arc<Driver>> {
    world_with(2, Kind::Tcp, |rank, peer, _| {
        let file = files[rank as usize].cloned();
        AnyLink::Unopened(Box::new(UnopenedShm::new((rank, peer), 2, file, SETTINGS)))
    })
}

fn any() -> Selector {
    Selector::new(None, None)
}

#[test]
fn a_rank_that_waits_for_anybody_learns_of_memory_that_only_it_cannot_map() {
    const MOST: usize = 1_000_000;
    let waits: [fn(&Driver, Rank) -> Option<Error>; 4] = [
        |driver, _| receive(driver, any(), &mut [0], LONG).err(),
        |driver, _| driver.probe(CommId::FIRST, any(), false, Some(LONG)).err(),
        |driver, _| (0..MOST).find_map(|_| driver.find(CommId::FIRST, any()).err()),
        |driver, peer| (0..MOST).find_map(|_| driver.find(CommId::FIRST, from(peer, 5)).err()),
    ];
    for (number, wait) in waits.into_iter().enumerate() {
        for receiver in [0, 1] {
            let file = |size| PairFile::create(0, size, slots(SETTINGS.ranks)).unwrap();
            let (right, wrong) = (file(2), file(3));
            let mut files = [Some(&right); 2];
            files[receiver] = Some(&wrong);
            let drivers = two_ranks_with(files);
            send(&drivers[1 - receiver], receiver as Rank, 5, &[1]).unwrap();
            let error = wait(&drivers[receiver], 1 - receiver as Rank)
                .map(|error| error.to_string())
                .unwrap_or_default();
            let expected = format!("cannot share memory with rank {} for", 1 - receiver);
            assert!(error.contains(&expected), "{number}: {error}");
        }
    }
}

#[test]
fn both_ranks_learn_of_memory_that_one_of_them_cannot_map() {
    let wrong = PairFile::create(0, 3, slots(SETTINGS.ranks)).unwrap();
    let outcomes = on_all(&two_ranks(&wrong, true), |rank, driver| {
        let mut sum = [0];
        match rank {
            // It waits for a message of the other rank, and needs nothing of the memory before that comes.
            0 => receive(driver, Selector::new(None, None), &mut sum, LONG).map(drop),
            _ => send(driver, 0, 5, &[1]),
        }
    });
    for outcome in outcomes {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("cannot share memory with rank 0 for"), "{error}");
    }
}

#[test]
fn a_doorbell_that_overtakes_the_file_is_heard_when_that_comes() {
    let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).unwrap();
    let drivers = two_ranks(&file, false);
    let hear = |act: fn(&mut ControlChannel, &PairFile)| {
        with_control(&drivers, |control| act(control, &file));
        drivers[1].lock().read_control();
    };
    hear(|control, _| control.ring());
    assert_eq!(unopened(&drivers[1]), 1);
    hear(|control, file| control.pass(file.file()));
    assert_eq!(unopened(&drivers[1]), 0);
}

#[test]
fn a_rank_waits_for_the_files_of_those_that_are_present() {
    let drivers = world(3, Kind::Unopened);
    let has_all = |driver: &Driver| !driver.lock().awaits_files();
    assert!(!has_all(&drivers[2]));
    drivers[2].wait_for_files(clock::now() + LONG).unwrap();
    assert!(has_all(&drivers[2]));

    let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).unwrap();
    let mut drivers = two_ranks(&file, false);
    drivers[1].wait_for_files(clock::now()).unwrap();
    assert!(!has_all(&drivers[1]));
    drivers.remove(0);
    drivers[0].wait_for_files(clock::now() + LONG).unwrap();
    assert!(has_all(&drivers[0]));
}

#[test]
fn files_that_have_come_are_taken_after_the_deadline() {
    let drivers = world(3, Kind::Unopened);
    drivers[2].wait_for_files(clock::now()).unwrap();
    assert!(!drivers[2].lock().awaits_files());
}

#[test]
fn a_join_fails_with_a_rank_whose_file_it_lacks_and_otherwise_leaves_that_to_the_first_call() {
    let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).unwrap();
    for lacks_file in [true, false] {
        let drivers = two_ranks(&file, !lacks_file);
        drivers[1].lock().begin_joining(1);
        drivers[0].fail(CommId::FIRST, Error::Aborted("as the test wants".into()));
        let outcome = drivers[1].wait_for_files(clock::now() + LONG);
        assert_eq!(outcome.is_err(), lacks_file);
        drivers[1].lock().all_have_met();
        assert!(drivers[1].lock().failure(CommId::FIRST).is_some());
    }
}

/// Fills the control channel of rank 0 to rank 1, which is not read.
fn fill_control(drivers: &[Arc<Driver>]) {
    with_control(drivers, |control| {
        while !control.has_unsent() {
            control.send(&ControlMessage::Release { context: 1 });
        }
    });
}

#[test]
fn the_first_message_of_a_rank_that_could_not_ring_and_has_gone_is_found() {
    let waits: [fn(&Driver) -> Option<i32>; 2] = [
        |driver| {
            let mut room = [0];
            receive(driver, any(), &mut room, LONG).ok().map(|_| room[0])
        },
        |driver| {
            let mut room = [0];
            while driver.find(CommId::FIRST, any()).ok()?.is_none() {}
            receive(driver, from(0, 5), &mut room, LONG).ok().map(|_| room[0])
        },
    ];
    for wait in waits {
        for size in [2, 3] {
            let mut drivers = world(size, Kind::Unopened);
            fill_control(&drivers);
            send(&drivers[0], 1, 5, &[7]).unwrap();
            drivers.remove(0);
            assert_eq!(wait(&drivers[0]), Some(7), "{size} ranks");
        }
    }
}

#[test]
fn a_file_that_cannot_be_passed_fails_the_join() {
    let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).unwrap();
    let drivers = two_ranks(&file, true);
    with_control(&drivers, |control| control.pass(Arc::new(NoFile)));
    let error = drivers[0].wait_for_files(clock::now() + LONG).unwrap_err().to_string();
    assert!(error.contains("cannot share memory with rank 1"), "{error}");
}

#[test]
fn a_rank_that_first_talks_is_heard_while_another_one_keeps_the_receiver_busy() {
    const MOST: usize = 1_000_000;
    // What comes from rank 2 is always there before the receiver looks. Of two messages, it takes that of the
    // lower rank.
    let busy = || {
        let drivers = world(3, Kind::Unopened);
        send(&drivers[2], 0, 5, &[2]).unwrap();
        receive(&drivers[0], from(2, 5), &mut [0], LONG).unwrap();
        drivers
    };
    let (drivers, mut room) = (busy(), [0]);
    send(&drivers[1], 0, 5, &[1]).unwrap();
    let is_heard = (0..MOST).any(|_| {
        send(&drivers[2], 0, 5, &[2]).unwrap();
        receive(&drivers[0], Selector::new(None, None), &mut room, LONG).unwrap();
        room == [1]
    });
    assert!(is_heard, "by a receive");

    let drivers = busy();
    for rank in [1, 2] {
        send(&drivers[rank], 0, rank as i32, &[rank as i32]).unwrap();
    }
    let find = |tag| drivers[0].find(CommId::FIRST, Selector::new(None, tag)).unwrap();
    let is_heard = (0..MOST).any(|_| find(None).is_some() && find(Some(1)).is_some());
    assert!(is_heard, "by a program that looks for messages");
}

#[test]
fn a_rank_waits_for_no_arena_and_not_after_a_failure() {
    let drivers = world(2, Kind::Unopened);
    fill_control(&drivers);
    drivers[0].lock().endpoints[1].open().unwrap();
    with_control(&drivers, |control| assert!(control.has_unsent() && !control.keeps_first_file()));
    assert!(!drivers[0].lock().awaits_files(), "the arena waits for room");

    let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).unwrap();
    let drivers = two_ranks(&file, false);
    assert!(drivers[1].lock().awaits_files());
    drivers[1].fail(CommId::FIRST, Error::Aborted("as the test wants".into()));
    let error = drivers[1].wait_for_files(clock::now() + LONG).unwrap_err();
    assert!(matches!(error, Error::Aborted(_)), "{error}");
    assert!(!drivers[1].lock().awaits_files());
}

/// Does something with the control channel of rank 0 to rank 1.
fn with_control(drivers: &[Arc<Driver>], act: impl FnOnce(&mut ControlChannel)) {
    act(drivers[0].lock().endpoints[1].control.as_mut().unwrap());
}

#[test]
fn a_doorbell_that_another_thread_reads_wakes_the_sleeper() {
    let readers: [fn(&Driver); 4] = [
        |driver| driver.lock().read_control(),
        |driver| driver.wait_for_byes(Duration::ZERO),
        |driver| _ = driver.take_arenas(),
        |driver| driver.leave(CommId::FIRST, None).unwrap(),
    ];
    for (number, reader) in readers.into_iter().enumerate() {
        let drivers = world(2, Kind::Slots);
        let doorbell = drivers[1].fall_asleep(&mut drivers[1].lock()).unwrap();
        with_control(&drivers, ControlChannel::ring);
        reader(&drivers[1]);
        assert!(is_rung(&doorbell), "reader {number}");
    }
}

#[test]
fn a_sleeper_learns_of_an_arena_that_waits_for_room() {
    let drivers = world(2, Kind::Unopened);
    fill_control(&drivers);
    let doorbell = drivers[0].fall_asleep(&mut drivers[0].lock()).unwrap();
    drivers[0].pass_arena();
    assert!(is_rung(&doorbell));
}

#[test]
fn no_exit_waits_for_an_arena_that_the_kernel_refuses() {
    let is_right = in_child(|| {
        let (drivers, arena) = (world(2, Kind::Unopened), own_arena().unwrap());
        permit_few_files_on_their_way();
        with_control(&drivers, |control| (0..100).for_each(|_| control.pass(Arc::clone(&arena))));
        let mut engine = drivers[0].lock();
        engine.endpoints[1].control.as_ref().unwrap().keeps_file() && !engine.has_undelivered()
    });
    assert!(is_right);
}

#[test]
fn another_call_of_a_rank_that_has_not_talked_is_noticed_by_a_sleeper_if_another_thread_reads_of_it() {
    let readers: [fn(&mut Engine); 2] =
        [Engine::hear_first_talkers, |engine| engine.open_needed().map_err(|trouble| trouble.error).unwrap()];
    for (number, reader) in readers.into_iter().enumerate() {
        let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).unwrap();
        let drivers = two_ranks(&file, false);
        let (input, mut output) = ([1], [0]);
        let job = all_reduce("one_shot", 2, 1, 1);
        let buffers = Buffers { input: input.as_ptr().cast(), output: output.as_mut_ptr().cast() };
        let mut engine = drivers[1].lock();
        let doorbell = drivers[1].fall_asleep(&mut engine).unwrap();
        // SAFETY: the buffers live until the call has ended with an error.
        unsafe { engine.start(CommId::FIRST, job.prepared(job.program(false)), buffers) }.unwrap();
        let header = *engine.calls.active[0].execution.header();
        let call = all_reduce("one_shot", 2, 1, 2).call().pack();
        let stall = ControlMessage::Stall { context: header.context, sequence: header.sequence, call };
        with_control(&drivers, |control| control.send(&stall));
        engine.control.heard_at -= SECOND;
        reader(&mut engine);
        assert!(is_rung(&doorbell), "reader {number}");
        engine.read_control();
        let failure = engine.failure(CommId::FIRST);
        assert!(matches!(failure, Some(Error::Mismatch(_))), "reader {number}: {failure:?}");
    }
}

fn is_rung(doorbell: &Wake) -> bool {
    let mut set = PollSet::new();
    let token = set.add(doorbell, Interest::Read);
    set.look().unwrap();
    set.ready(token)
}

#[test]
fn a_look_for_a_message_wakes_the_thread_whose_message_it_takes_in() {
    let any = |tag| Selector::new(None, Some(tag));
    for kind in KINDS {
        let drivers = world(3, kind);
        send(&drivers[1], 0, 2, &[2]).unwrap();
        receive(&drivers[0], from(1, 2), &mut [0], LONG).unwrap();
        send(&drivers[1], 0, 1, &[1]).unwrap();
        let ticket = drivers[0].start_probe(CommId::FIRST, any(7)).unwrap();
        let doorbell = drivers[0].fall_asleep(&mut drivers[0].lock()).unwrap();
        send(&drivers[2], 0, 7, &[7]).unwrap();
        drivers[0].lock().control.heard_at -= SECOND;
        assert!(drivers[0].find(CommId::FIRST, any(1)).unwrap().is_some());
        assert!(drivers[0].lock().has_outcome(ticket) && is_rung(&doorbell), "{kind:?}");
    }
}

#[test]
fn an_arena_is_passed_once_whether_ranks_talk_or_not() {
    let drivers = world(3, Kind::Unopened);
    let has_arena =
        |rank: usize, peer: usize| !drivers[rank].lock().endpoints[peer].inbox.link.awaits_arena();
    drivers[0].pass_arena();
    assert!(drivers[1].take_arenas(), "that of rank 2 has not come");
    assert_eq!([(1, 0), (0, 1), (1, 2)].map(|(rank, peer)| has_arena(rank, peer)), [true, false, false]);
    assert_eq!(unopened(&drivers[1]), 2);
    drivers[1].pass_arena();
    let mut room = [0];
    for (sender, receiver) in [(0, 1), (1, 0)] {
        send(&drivers[sender], receiver as Rank, 5, &[7]).unwrap();
        receive(&drivers[receiver], from(sender as Rank, 5), &mut room, LONG).unwrap();
    }
    for (rank, peer) in [(0, 1), (1, 0)] {
        drivers[rank].take_arenas();
        assert!(has_arena(rank, peer));
        assert!(drivers[rank].lock().endpoints[peer].presence == Presence::Here);
    }
}

#[test]
fn a_peer_that_never_talks_takes_less_than_a_kibibyte() {
    let bytes = [size_of::<Endpoint>(), size_of::<UnopenedShm>(), size_of::<Member>()];
    assert!(bytes.iter().sum::<usize>() < 1024 - LABEL_BYTES - RECORD_BYTES, "{bytes:?}");
}

/// Bytes of a long name of a peer.
const LABEL_BYTES: usize = 128;
/// Bytes of what a peer has published about itself, with three addresses and what the allocator adds.
const RECORD_BYTES: usize = 384;
