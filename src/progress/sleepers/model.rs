//! Model of the sleepers: two sleepers and a thread that brings outcomes, by loom (crate `anyccl-models`), in
//! every order with at most three preemptions.
//!
//! No sleeper misses its outcome; otherwise it would sleep for ever, which loom reports. None wakes up more
//! often than there were outcomes.

use super::*;
use loom::sync::Condvar;
use loom::thread;
use std::convert::Infallible;

/// A doorbell that one thread waits for like a descriptor: it stays rung.
struct ModelDoorbell {
    is_rung: Mutex<bool>,
    rung: Condvar,
}

impl ModelDoorbell {
    fn new() -> ModelDoorbell {
        ModelDoorbell { is_rung: Mutex::new(false), rung: Condvar::new() }
    }

    fn wait(&self) {
        let mut is_rung = self.is_rung.lock().unwrap();
        while !*is_rung {
            is_rung = self.rung.wait(is_rung).unwrap();
        }
    }
}

impl Doorbell for ModelDoorbell {
    fn ring(&self) {
        *self.is_rung.lock().unwrap() = true;
        self.rung.notify_all();
    }

    fn clear(&self) {
        *self.is_rung.lock().unwrap() = false;
    }
}

/// Ways to wake sleepers.
trait Protocol: Send + Sync + 'static {
    type Sleeper;
    fn new() -> Self;
    fn enter(&self) -> Self::Sleeper;
    fn wait(&self, sleeper: &Self::Sleeper);
    fn leave(&self, sleeper: Self::Sleeper);
    fn ring_all(&self);
}

impl Protocol for Sleepers<ModelDoorbell> {
    type Sleeper = Option<Arc<ModelDoorbell>>;

    fn new() -> Self {
        let sleepers = Sleepers::new();
        sleepers.keep(ModelDoorbell::new());
        sleepers
    }

    fn enter(&self) -> Self::Sleeper {
        Sleepers::enter(self, || Ok::<_, Infallible>(ModelDoorbell::new())).1
    }

    fn wait(&self, sleeper: &Self::Sleeper) {
        sleeper.as_ref().unwrap().wait();
    }

    fn leave(&self, sleeper: Self::Sleeper) {
        Sleepers::leave(self, sleeper);
    }

    fn ring_all(&self) {
        Sleepers::ring_all(self);
    }
}

/// One doorbell for all sleepers, cleared by the last one that leaves.
struct OneDoorbell {
    count: AtomicUsize,
    doorbell: ModelDoorbell,
}

impl Protocol for OneDoorbell {
    type Sleeper = ();

    fn new() -> Self {
        OneDoorbell { count: AtomicUsize::new(0), doorbell: ModelDoorbell::new() }
    }

    fn enter(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn wait(&self, (): &()) {
        self.doorbell.wait();
    }

    fn leave(&self, (): ()) {
        if self.count.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.doorbell.clear();
        }
    }

    fn ring_all(&self) {
        if self.count.load(Ordering::Relaxed) > 0 {
            self.doorbell.ring();
        }
    }
}

/// The state that the threads share: the engine with the outcomes of the two sleepers, and the sleepers.
struct Shared<P> {
    outcomes: Mutex<[bool; 2]>,
    sleepers: P,
}

/// Sleeps until it has its outcome. Returns how often it woke up.
fn sleep<P: Protocol>(shared: &Shared<P>, number: usize) -> usize {
    let mut wakes = 0;
    loop {
        let outcomes = shared.outcomes.lock().unwrap();
        if outcomes[number] {
            return wakes;
        }
        let sleeper = shared.sleepers.enter();
        drop(outcomes);
        shared.sleepers.wait(&sleeper);
        wakes += 1;
        assert!(wakes <= 2, "woken more often than there were outcomes");
        let outcomes = shared.outcomes.lock().unwrap();
        shared.sleepers.leave(sleeper);
        drop(outcomes);
    }
}

fn check<P: Protocol>() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let shared = Arc::new(Shared { outcomes: Mutex::new([false; 2]), sleepers: P::new() });
        let sleepers = [0, 1].map(|number| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || sleep(&shared, number))
        });
        for number in [0, 1] {
            let mut outcomes = shared.outcomes.lock().unwrap();
            outcomes[number] = true;
            shared.sleepers.ring_all();
        }
        for sleeper in sleepers {
            sleeper.join().unwrap();
        }
    });
}

#[test]
fn every_sleeper_gets_its_outcome_and_wakes_up_for_outcomes_only() {
    check::<Sleepers<ModelDoorbell>>();
}

#[test]
#[should_panic(expected = "woken more often than there were outcomes")]
fn one_doorbell_that_the_last_sleeper_clears_keeps_the_others_awake() {
    check::<OneDoorbell>();
}
