//! Model of requests to abort: two threads that abort, and one that holds the engine in a call, by loom
//! (crate `anyccl-models`).

use std::sync::Arc;

use super::*;
use loom::thread;

/// The engine, with the number of times that each communicator was aborted, and the requests.
struct Shared {
    engine: Mutex<[u32; 2]>,
    requests: AbortRequests<usize>,
}

impl Shared {
    fn carry_out(&self, engine: &mut [u32; 2]) {
        for comm in self.requests.take() {
            engine[comm] += 1;
        }
    }

    /// Aborts a communicator, as `Driver::abort` does. It has failed when the call returns.
    fn abort(&self, comm: usize) {
        self.requests.add(comm);
        let mut engine = self.engine.lock();
        self.carry_out(&mut engine);
        assert_eq!(engine[comm], 1, "an abort was lost, or was carried out twice");
    }
}

fn shared() -> Arc<Shared> {
    Arc::new(Shared { engine: Mutex::new([0; 2]), requests: AbortRequests::new() })
}

#[test]
fn an_abort_is_carried_out_once_and_before_its_thread_goes_on() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let shared = shared();
        let aborting = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.abort(0))
        };
        let calling = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut engine = shared.engine.lock();
                // The call looks twice, and then lets others have the engine.
                shared.carry_out(&mut engine);
                shared.carry_out(&mut engine);
            })
        };
        shared.abort(1);
        aborting.join().unwrap();
        calling.join().unwrap();
    });
}

#[test]
fn a_call_that_never_lets_the_engine_go_sees_the_abort() {
    loom::model(|| {
        let shared = shared();
        let aborting = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.abort(0))
        };
        let mut engine = shared.engine.lock();
        while engine[0] == 0 {
            shared.carry_out(&mut engine);
            thread::yield_now();
        }
        drop(engine);
        aborting.join().unwrap();
    });
}
