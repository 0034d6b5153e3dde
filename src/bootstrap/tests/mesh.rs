//! Meshes of several sizes, over several kinds of sockets.

use std::os::fd::AsRawFd;
use std::sync::Arc;

use super::{Tap, all_ok, join, mesh_of, mesh_of_tapped, ranks, shortly, soon};
use crate::base::Error;
use crate::bootstrap::discovery::by_unique_id::job_from_id;
use crate::bootstrap::discovery::job::Job;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::unique_id::UniqueId;
use crate::bootstrap::mesh::connect::{Mesh, connect};
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::memory::MemoryStore;
use crate::bootstrap::store::tcp::server::Server;
use crate::config::{Config, TransportChoice};
use crate::sys::poll::{Interest, PollSet};
use crate::sys::port::ReservedPort;
use crate::sys::socket::Socket;

fn write_all(socket: &Socket, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        bytes = &bytes[socket.write(bytes).unwrap().unwrap_or(0)..];
    }
}

fn read_all(socket: &Socket, mut bytes: &mut [u8]) {
    while !bytes.is_empty() {
        let mut set = PollSet::new();
        set.add(socket, Interest::Read);
        set.wait(Some(soon())).unwrap();
        let read = socket.read(bytes).unwrap().unwrap_or(0);
        bytes = &mut bytes[read..];
    }
}

/// Checks that every socket leads to the rank it names, and that both ends are of the same kind.
fn each_pair_can_talk(meshes: &[Mesh]) {
    for (me, mesh) in meshes.iter().enumerate() {
        assert!(mesh.peers[me].is_none());
        for (rank, peer) in mesh.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            write_all(&peer.control, &[b'c', me as u8, rank as u8]);
            for (lane, data) in peer.data.iter().enumerate() {
                write_all(data, &[lane as u8, me as u8, rank as u8]);
            }
        }
    }
    for (me, mesh) in meshes.iter().enumerate() {
        for (rank, peer) in mesh.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            let mut heard = [0; 3];
            read_all(&peer.control, &mut heard);
            assert_eq!(heard, [b'c', rank as u8, me as u8]);
            for (lane, data) in peer.data.iter().enumerate() {
                read_all(data, &mut heard);
                assert_eq!(heard, [lane as u8, rank as u8, me as u8]);
            }
        }
    }
}

#[test]
fn ranks_of_one_host_are_connected_by_unix_sockets_alone() {
    for size in [1, 2, 3, 5, 8] {
        let meshes = all_ok(mesh_of(size, |_, _| {}));
        for mesh in &meshes {
            assert_eq!(mesh.root_settings, b"from rank 0");
            assert_eq!(mesh.infos.len(), size as usize);
            assert!(mesh.infos.iter().all(|info| info.pid == std::process::id()));
            assert!(mesh.peers.iter().flatten().all(|p| p.control.is_unix() && p.data.is_empty()));
        }
        each_pair_can_talk(&meshes);
    }
}

#[test]
fn with_tcp_forced_every_pair_has_two_tcp_connections() {
    for size in [2, 3, 5, 8] {
        // One rank that wants TCP is enough for its pairs.
        let meshes = all_ok(mesh_of(size, |_, config| config.transport = TransportChoice::Tcp));
        for mesh in &meshes {
            assert!(mesh.peers.iter().flatten().all(|p| !p.control.is_unix() && p.data.len() == 1));
        }
        each_pair_can_talk(&meshes);
    }
}

#[test]
fn pretended_hosts_use_unix_sockets_within_and_tcp_between() {
    let meshes = all_ok(mesh_of(5, |rank, config| config.host_id = Some(format!("host {}", rank % 2))));
    for (me, mesh) in meshes.iter().enumerate() {
        for (rank, peer) in mesh.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            let together = me % 2 == rank % 2;
            assert_eq!(
                (peer.control.is_unix(), peer.data.is_empty()),
                (together, together),
                "{me} and {rank}"
            );
        }
    }
    each_pair_can_talk(&meshes);
}

#[test]
fn one_rank_that_wants_tcp_gets_it_from_all_others() {
    let meshes = all_ok(mesh_of(4, |rank, config| {
        if rank == 2 {
            config.transport = TransportChoice::Tcp;
        }
    }));
    for (me, mesh) in meshes.iter().enumerate() {
        for (rank, peer) in mesh.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            assert_eq!(!peer.data.is_empty(), me == 2 || rank == 2, "{me} and {rank}");
        }
    }
    each_pair_can_talk(&meshes);
}

#[test]
fn two_ranks_have_as_many_lanes_as_both_may_use_and_a_connection_for_the_rest() {
    let meshes = all_ok(mesh_of(4, |rank, config| {
        config.transport = TransportChoice::Tcp;
        config.tcp_lanes = [3, 1, 2, 16].map(Some)[rank as usize];
    }));
    for (me, mesh) in meshes.iter().enumerate() {
        for (rank, peer) in mesh.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            let expected = match (me.min(rank), me.max(rank)) {
                (1, _) | (_, 1) => 1,
                (0, 3) => 4,
                _ => 3,
            };
            assert_eq!(peer.data.len(), expected, "{me} and {rank}");
        }
    }
    each_pair_can_talk(&meshes);
}

#[test]
fn two_ranks_of_which_one_leaves_the_lanes_to_the_library_have_no_more_than_the_other_may_use() {
    // Every path is a long one here.
    let meshes = all_ok(mesh_of(4, |rank, config| {
        config.transport = TransportChoice::Tcp;
        config.tcp_lanes = [None, Some(1), None, Some(3)][rank as usize];
    }));
    let data = |me: usize, rank: usize| meshes[me].peers[rank].as_ref().unwrap().data.len();
    for (pair, expected) in [((0, 1), 1), ((0, 2), 5), ((0, 3), 4), ((1, 2), 1), ((2, 3), 4)] {
        assert_eq!((data(pair.0, pair.1), data(pair.1, pair.0)), (expected, expected), "{pair:?}");
    }
    each_pair_can_talk(&meshes);
}

#[test]
fn shm_between_two_hosts_is_an_error_on_all_ranks_that_names_a_pair() {
    let results = mesh_of(2, |rank, config| {
        config.transport = TransportChoice::Shm;
        config.host_id = Some(format!("host {rank}"));
    });
    for result in results {
        let Err(Error::Unsupported(text)) = result else { panic!("connected, or another error") };
        assert!(
            text.contains("rank 0") && text.contains("rank 1") && text.contains("different hosts"),
            "{text}"
        );
    }
}

/// Makes rank 1 publish a Unix name at which nobody listens, as a rank in another network namespace does.
fn rank_1_is_in_another_namespace() -> Tap {
    Arc::new(|record| {
        if record.rank == 1 {
            record.unix_name = (*b"anyccl-test-nobody-listens-here").into();
        }
    })
}

#[test]
fn ranks_of_one_host_whose_unix_sockets_do_not_meet_use_tcp() {
    let meshes = all_ok(mesh_of_tapped(4, rank_1_is_in_another_namespace(), |_, _| {}));
    for (me, mesh) in meshes.iter().enumerate() {
        for (rank, peer) in mesh.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            // The higher rank connects: only ranks above rank 1 fail to reach it.
            let apart = me.min(rank) == 1;
            assert_eq!((!peer.control.is_unix(), !peer.data.is_empty()), (apart, apart), "{me} and {rank}");
        }
    }
    each_pair_can_talk(&meshes);
}

#[test]
fn shm_with_a_rank_whose_unix_socket_cannot_be_reached_is_an_error_that_names_it() {
    let shm = |_, config: &mut Config| config.transport = TransportChoice::Shm;
    let results = mesh_of_tapped(3, rank_1_is_in_another_namespace(), shm);
    let Err(Error::Unsupported(text)) = &results[2] else { panic!("connected, or another error") };
    assert!(text.contains("rank 1") && text.contains("namespaces"), "{text}");
    assert!(results.iter().all(Result::is_err), "the others notice that rank 2 has left");
}

#[test]
fn every_socket_closes_on_exec_and_does_not_block() {
    let meshes = all_ok(mesh_of(2, |_, config| config.transport = TransportChoice::Tcp));
    for peer in meshes.iter().flat_map(|mesh| mesh.peers.iter().flatten()) {
        for socket in [&peer.control].into_iter().chain(&peer.data) {
            // SAFETY: takes and returns integers only.
            let flags = unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFD) };
            assert_ne!(flags & libc::FD_CLOEXEC, 0);
            // SAFETY: takes and returns integers only.
            let flags = unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFL) };
            assert_ne!(flags & libc::O_NONBLOCK, 0);
        }
    }
}

#[test]
fn a_rank_that_never_comes_is_named_by_all_others() {
    let id = UniqueId::create(&Config::default()).unwrap();
    let deadline = shortly();
    let errors = ranks(3, |rank| {
        if rank == 1 {
            return None;
        }
        let mut job = job_from_id(&id, 3, rank, deadline).unwrap();
        connect(&mut job, &Config::default(), b"", deadline).err()
    });
    for error in errors.into_iter().flatten() {
        assert!(error.to_string().contains("rank 1 has not come"), "{error}");
    }
}

#[test]
fn a_rank_that_is_there_but_connects_with_nobody_is_named_with_its_host() {
    let mut jobs = MemoryStore::jobs(2).unwrap();
    let record = crate::bootstrap::mesh::record::sample(1, 2);
    jobs[1].store.as_mut().unwrap().set("record/1", &record.encode(), soon()).unwrap();
    let error = connect(&mut jobs[0], &Config::default(), b"", shortly()).err().unwrap();
    assert!(
        matches!(&error, Error::Timeout { detail, .. } if detail.contains("rank 1 (host b, pid 4711)")),
        "{error}"
    );
}

#[test]
fn a_rank_that_gives_up_before_the_others_is_not_taken_for_the_one_that_is_missing() {
    let mut jobs = MemoryStore::jobs(3).unwrap();
    // Rank 2 has published itself and then hangs.
    let record = crate::bootstrap::mesh::record::sample(2, 3);
    jobs[2].store.as_mut().unwrap().set("record/2", &record.encode(), soon()).unwrap();
    let errors = std::thread::scope(|scope| {
        let mut patient = jobs.remove(0);
        let mut hasty = jobs.remove(0);
        let patient = scope.spawn(move || connect(&mut patient, &Config::default(), b"", soon()).err());
        // Rank 1 gives up before rank 0 would.
        let hasty = connect(&mut hasty, &Config::default(), b"", shortly()).err();
        (patient.join().unwrap(), hasty)
    });
    assert!(matches!(errors.1, Some(Error::Timeout { .. })), "{errors:?}");
    // Long before its own deadline, and with the words of rank 1.
    let Some(Error::Timeout { detail: text, .. }) = errors.0 else { panic!("{errors:?}") };
    assert!(text.contains("not connected with rank 2") && text.contains("reported by rank 1"), "{text}");
}

#[test]
fn a_lower_rank_that_has_ended_is_noticed_because_nobody_listens_for_it() {
    let mut jobs = MemoryStore::jobs(3).unwrap();
    let reserved = ReservedPort::new().unwrap();
    let closed = ([127, 0, 0, 1], reserved.number()).into();
    let mut record = crate::bootstrap::mesh::record::sample(1, 3);
    record.addresses = [closed].into();
    jobs[1].store.as_mut().unwrap().set("record/1", &record.encode(), soon()).unwrap();
    let errors = std::thread::scope(|scope| {
        let jobs = [jobs.remove(2), jobs.remove(0)];
        let threads = jobs.map(|mut job| {
            scope.spawn(move || connect(&mut job, &Config::default(), b"", soon()).err().unwrap())
        });
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(matches!(errors[0], Error::PeerLost { rank: 1, .. }), "{errors:?}");
    let told =
        matches!(&errors[1], Error::PeerLost { rank: 1, detail } if detail.contains("reported by rank 2"));
    assert!(told, "{errors:?}");
}

#[test]
fn a_rank_that_dies_after_the_exchange_is_noticed_by_those_it_never_reached() {
    let key = JobKey::random().unwrap();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), &key, 2).unwrap();
    let join = |rank| join(server.address(), &key, Seat { rank, size: 2 }, soon()).unwrap();
    let (zero, mut one) = (join(0), join(1));
    let waiting = std::thread::scope(|scope| {
        let store: Option<Box<dyn Store>> = Some(Box::new(zero));
        let mut job = Job { rank: 0, size: 2, key: key.clone(), store, source: "test" };
        let waiting = scope.spawn(move || connect(&mut job, &Config::default(), b"", soon()).err().unwrap());
        one.set("record/1", &crate::bootstrap::mesh::record::sample(1, 2).encode(), soon()).unwrap();
        one.get("table", soon()).unwrap();
        one.die();
        waiting.join().unwrap()
    });
    assert!(matches!(&waiting, Error::Bootstrap(text) if text.contains("rank 1 ended")), "{waiting}");
}

#[test]
fn different_world_sizes_are_an_error_on_both_sides_that_names_both() {
    let id = UniqueId::create(&Config::default()).unwrap();
    let errors = ranks(2, |rank| {
        let mut job = job_from_id(&id, 2 + rank, rank, soon()).map_err(|e| e.to_string())?;
        connect(&mut job, &Config::default(), b"", soon()).map(drop).map_err(|e| e.to_string())
    });
    for error in errors {
        let text = error.unwrap_err();
        assert!(text.contains("of 3 ranks") || text.contains("one of 3"), "{text}");
        assert!(text.contains("of 2 ranks") || text.contains("one of 2"), "{text}");
    }
}

#[test]
fn a_rank_that_cannot_listen_is_told_to_the_others_who_do_not_wait_for_it() {
    let on_none = |rank, config: &mut Config| {
        config.interface = (rank == 1).then(|| "no-such-if".into());
    };
    for error in mesh_of(3, on_none).into_iter().map(|mesh| mesh.err().unwrap()) {
        assert!(
            !matches!(error, Error::Timeout { .. }) && error.to_string().contains("no-such-if"),
            "{error}"
        );
    }
}
