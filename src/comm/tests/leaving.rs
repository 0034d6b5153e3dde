//! Goodbyes in the background.

use std::sync::{Arc, mpsc};

use super::super::lingering;
use super::*;

/// Runs `body` on two ranks, with two communicators that the ranks have joined.
fn on_two_ranks(body: impl Fn(u32, [Arc<Communicator>; 2]) + Sync) {
    let config = config(TransportChoice::Auto);
    let ids = [UniqueId::create(&config).unwrap(), UniqueId::create(&config).unwrap()];
    let (config, ids, body) = (&config, &ids, &body);
    thread::scope(|scope| {
        for rank in 0..2 {
            scope.spawn(move || {
                let own = CommConfig::default();
                let join = |id| Communicator::create(id, 2, rank, config, &own).unwrap().shared();
                body(rank, [join(&ids[0]), join(&ids[1])]);
            });
        }
    });
}

#[test]
fn ranks_leave_two_communicators_in_opposite_orders() {
    on_two_ranks(|rank, comms| {
        let (first, second) = (&comms[rank as usize], &comms[1 - rank as usize]);
        let (end, has_ended) = mpsc::channel();
        first.leave_in_background(move |parted| end.send(parted).unwrap()).unwrap();
        assert!(matches!(first.finalize(), Err(Error::InvalidUsage(_))));
        second.finalize().unwrap();
        has_ended.recv().unwrap().unwrap();
    });
}

#[test]
fn a_rank_whose_process_exits_during_its_goodbye_has_quit() {
    let exits = Barrier::new(2);
    on_two_ranks(|rank, [comm, other]| {
        let mut data = [1];
        all_reduce(&comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
        assert_eq!(data, [2]);
        let (end, has_ended) = mpsc::channel();
        if rank == 0 {
            comm.leave_in_background(move |parted| end.send(parted).unwrap()).unwrap();
            lingering::see_off();
            exits.wait();
            has_ended.recv().unwrap().unwrap();
        } else {
            exits.wait();
            let error = all_reduce(&comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap_err();
            assert!(
                matches!(&error, Error::Aborted(text) if text.contains("exit of the process")),
                "{error}"
            );
            comm.finalize().unwrap();
        }
        other.finalize().unwrap();
    });
}
