//! Ranks that connect when they first talk.

use parking_lot::Mutex;

use super::*;
use crate::config::ConnectChoice;
use crate::endpoint::Endpoint;

fn on_demand(transport: TransportChoice) -> Config {
    Config { connect: ConnectChoice::OnDemand, ..config(transport) }
}

/// Runs `body` on ranks that connect on demand, over each transport.
fn over_each_transport<T: Send>(size: u32, body: impl Fn(&Communicator) -> T + Sync) -> Vec<Vec<T>> {
    let lanes = Config { tcp_lanes: Some(3), ..on_demand(TransportChoice::Tcp) };
    let configs = [on_demand(TransportChoice::Auto), on_demand(TransportChoice::Tcp), lanes];
    configs.iter().map(|config| on_ranks_with(size, config, &body)).collect()
}

/// Number of ranks with which this one is connected.
fn connected(comm: &Communicator) -> usize {
    let engine = comm.driver.lock();
    engine.endpoints().iter().filter(|endpoint: &&Endpoint| endpoint.control.is_some()).count()
}

#[test]
fn a_rank_connects_with_few_others_until_it_needs_more() {
    let all = Barrier::new(20);
    for counts in over_each_transport(20, |comm| {
        let joined = connected(comm);
        // Others may need this rank from here on.
        all.wait();
        let mut data = [1, comm.rank() as i32];
        all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
        assert_eq!(data, [20, 190]);
        let to = (comm.rank() + 6) % comm.size();
        let from = (comm.rank() + comm.size() - 6) % comm.size();
        send_number(comm, to, comm.rank()).unwrap();
        assert_eq!(receive_number(comm, from).unwrap(), from);
        comm.finalize().unwrap();
        (joined, connected(comm))
    }) {
        // Those of Bruck's algorithm: 1, 2, 4, 8 and 16 ranks before and behind.
        assert!(counts.iter().all(|(joined, _)| (5..=10).contains(joined)), "{counts:?}");
        assert!(counts.iter().all(|(joined, end)| joined < end), "{counts:?}");
    }
}

/// Two ranks of twelve that do not connect when they join.
const STRANGERS: [Rank; 2] = [3, 9];

#[test]
fn a_rank_that_computes_is_connected_with_by_lower_and_higher_ranks() {
    for [sender, receiver] in [STRANGERS, [9, 3]] {
        let sent = Barrier::new(2);
        over_each_transport(12, |comm| {
            if comm.rank() == sender {
                send_number(comm, receiver, 77).unwrap();
                sent.wait();
            } else if comm.rank() == receiver {
                // It makes no call before the message has been sent.
                sent.wait();
                assert_eq!(receive_number(comm, sender).unwrap(), 77);
            }
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn two_ranks_that_want_each_other_at_once_are_connected_once() {
    for _ in 0..10 {
        over_each_transport(12, |comm| {
            for round in 0..3 {
                let peer = (comm.rank() + 6) % 12;
                send_number(comm, peer, comm.rank() + round).unwrap();
                assert_eq!(receive_number(comm, peer).unwrap(), peer + round);
            }
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn a_rank_learns_the_reason_of_a_failure_when_it_connects_later() {
    let [aborted, known] = [2, 12].map(Barrier::new);
    over_each_transport(12, |comm| {
        let [failed, other] = STRANGERS;
        if comm.rank() == failed {
            comm.abort("the disk is full");
            aborted.wait();
        } else if comm.rank() == other {
            aborted.wait();
            // The ranks between the two make no call, and pass nothing on.
            let outcome = send_number(comm, failed, 1).and_then(|()| receive_number(comm, failed));
            let text = outcome.map_or_else(|error| error.to_string(), |_| "no error".into());
            known.wait();
            assert!(text.contains("the disk is full"), "{text}");
            return;
        }
        known.wait();
    });
}

#[test]
fn a_rank_that_has_gone_is_named_by_one_that_first_needs_it_later() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp, TransportChoice::Shm] {
        let config = on_demand(transport);
        let id = UniqueId::create(&config).unwrap();
        let [all, both, end] = [12, 2, 11].map(Barrier::new);
        thread::scope(|scope| {
            for rank in 0..12 {
                let (config, all, both, end) = (&config, &all, &both, &end);
                scope.spawn(move || {
                    let comm = Communicator::create(&id, 12, rank, config, &CommConfig::default()).unwrap();
                    all.wait();
                    if rank == STRANGERS[0] {
                        drop(comm);
                        both.wait();
                        return;
                    }
                    if rank == STRANGERS[1] {
                        both.wait();
                        let error = receive_number(&comm, STRANGERS[0]).unwrap_err();
                        assert!(matches!(&error, Error::PeerLost { rank: 3, .. }), "{error}");
                        let text = error.to_string();
                        assert!(text.contains("nobody listens any more") && text.contains("recv"), "{text}");
                    }
                    end.wait();
                });
            }
        });
    }
}

#[test]
fn survivors_connect_to_agree_on_who_is_left() {
    over_each_transport(12, |comm| {
        if comm.rank() == 4 {
            return;
        }
        let mut data = [1];
        let error = all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap_err();
        assert!(error.to_string().contains("rank 4"), "{error}");
        let survivors = comm.shrink(&CommConfig::default()).unwrap();
        assert_eq!(survivors.size(), 11);
        let mut data = [1];
        all_reduce(&survivors, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
        assert_eq!(data, [11]);
    });
}

#[test]
fn a_rank_that_waits_for_anybody_learns_of_the_end_of_a_rank_with_which_it_is_not_connected() {
    let made = Barrier::new(2);
    let contexts = Mutex::new(Vec::new());
    over_each_transport(12, |comm| {
        if !STRANGERS.contains(&comm.rank()) {
            return comm.finalize().unwrap();
        }
        if comm.rank() == STRANGERS[0] {
            contexts.lock().push(comm.new_context().unwrap());
        }
        made.wait();
        let context = *contexts.lock().last().unwrap();
        let part = comm.form_with_context(context, &STRANGERS, &CommConfig::default()).unwrap();
        made.wait();
        if comm.rank() == STRANGERS[1] {
            part.abort("enough");
        } else {
            let mut number = 0u32;
            let data = (&raw mut number).cast();
            let buffer = RecvBuffer { data, datatype: Datatype::Uint32, count: 1, is_lenient: false };
            // SAFETY: one number, which outlives the call.
            let outcome = unsafe { part.receive(Selector::new(None, None), buffer) };
            let error = outcome.unwrap_err();
            assert!(error.to_string().contains("enough"), "{error}");
        }
        comm.finalize().unwrap();
    });
}
