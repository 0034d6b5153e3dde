//! Departures of communicators: this process counts those that stay and those that are leaving, so that the
//! last one to leave waits for all.

use anyccl_edge::PerProcess;
use anyccl_engine::base::{Error, Result};
use parking_lot::{Condvar, Mutex};

/// The communicators of this process, in numbers.
#[derive(Default)]
pub struct Departures {
    count: Mutex<Count>,
    changed: Condvar,
}

/// Numbers of members, and a failure that no call has returned yet.
#[derive(Default)]
struct Count {
    /// Members that have not begun to leave. Those that are being made count, too.
    staying: usize,
    /// Members that are leaving.
    leaving: usize,
    /// Error of a goodbye that nobody waited for.
    failure: Option<Error>,
}

static DEPARTURES: PerProcess<Departures> = PerProcess::new();

/// Membership of a communicator in the departures of its process. Dropping it ends the membership.
pub struct Member {
    departures: &'static Departures,
    is_leaving: bool,
}

impl Member {
    /// Adds a member that stays.
    pub fn new() -> Member {
        let departures = Departures::of_this_process();
        departures.count.lock().staying += 1;
        Member { departures, is_leaving: false }
    }

    /// Begins to leave; returns whether other members stay.
    pub fn begin(&mut self) -> bool {
        let mut count = self.departures.count.lock();
        count.staying -= 1;
        count.leaving += 1;
        self.is_leaving = true;
        count.staying > 0
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut count = self.departures.count.lock();
        match self.is_leaving {
            true => count.leaving -= 1,
            false => count.staying -= 1,
        }
        self.departures.changed.notify_all();
    }
}

impl Departures {
    /// The departures of this process.
    pub fn of_this_process() -> &'static Departures {
        &DEPARTURES.get_or(Departures::default).value
    }

    /// Waits for the goodbyes of all members, unless some have not begun. Returns the error of a goodbye that
    /// nobody waited for, once.
    pub fn wait(&self) -> Result<()> {
        let mut count = self.count.lock();
        while count.staying == 0 && count.leaving > 0 {
            self.changed.wait(&mut count);
        }
        count.failure.take().map_or(Ok(()), Err)
    }

    /// Keeps the error of a goodbye that nobody waits for; the first error counts.
    pub fn keep_failure(&self, error: Error) {
        self.count.lock().failure.get_or_insert(error);
    }
}
