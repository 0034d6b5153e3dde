//! What each rank of a trial does. The victim does the same until the fault hits it.

use anyccl_engine::base::{Collective, Error};
use anyccl_engine::comm::{Communicator, world_finalize};

use super::trial::ONLY_JOINS;
use crate::common::attempt::{Attempt, Placement};
use crate::common::case::Case;
use crate::common::processes::{join, listen, say};

/// Joins, makes calls, and reports the error that ended them.
pub fn live_through_it() {
    let victim = std::env::var("ANYCCL_TEST_VICTIM").expect("the parent says whom it meets");
    say("here");
    if listen() == "exit" {
        std::process::exit(0);
    }
    let (orders, hear) = std::sync::mpsc::channel();
    // The order "exit" must end the process while its main thread is inside a call.
    std::thread::spawn(move || {
        loop {
            match listen().as_str() {
                "exit" => std::process::exit(0),
                "" => return,
                order => orders.send(order.to_string()).expect("somebody waits for orders"),
            }
        }
    });
    let error = match join() {
        Ok(comm) => {
            say("joined");
            let order = std::env::var_os(ONLY_JOINS).is_none().then(|| hear.recv().expect("an order"));
            match order.as_deref() {
                Some("finalize") => {
                    say("calling");
                    world_finalize().expect_err("one rank does not")
                }
                Some("busy") => {
                    say("calling");
                    call_until_failure(&comm, None)
                }
                Some(name) => {
                    say("calling");
                    call_until_failure(&comm, Collective::from_name(name))
                }
                // This rank has joined in time, although its peer has not.
                None if comm.rank().to_string() != victim => {
                    say("calling");
                    call_until_failure(&comm, Some(Collective::Barrier))
                }
                // This rank is the victim. The fault comes from outside.
                None => {
                    let _ = hear.recv();
                    return;
                }
            }
        }
        Err(error) => error,
    };
    say(&format!("error: {error}"));
    // The rank lives until it has been judged.
    let _ = hear.recv();
}

/// Calls until an error comes. Alternates between `collective` and a barrier: a rank that completes one of
/// the two without the lost rank fails in the other. `None` means all collectives in turn.
fn call_until_failure(comm: &Communicator, collective: Option<Collective>) -> Error {
    for turn in 0.. {
        let next = Collective::UNIFORM[turn % Collective::UNIFORM.len()];
        let cases = match collective {
            Some(collective) => [Case::plain(collective, 0, 1000), Case::barrier()],
            None => [Case::plain(next, 0, 100_000), Case::barrier()],
        };
        for case in cases {
            if let Err(error) = Attempt::on(comm, case, Placement::Apart).run(comm) {
                return error;
            }
        }
    }
    unreachable!("without end")
}
