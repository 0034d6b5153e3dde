//! The thread that runs the launches of a communicator's captured calls.
//!
//! It starts with the first launch and sleeps while there is none. Several launches may run at the same time,
//! such as a send and a receive of one group. A launch on the direct path starts its last piece in the engine
//! before the next launch starts, so that all ranks start them in the same order.

use std::ffi::c_void;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::captured_call::{CapturedCall, CapturedWork, GraphLaunches};
use crate::base::{Error, Result};
use crate::comm::device::direct::{BundleRun, Next};
use crate::comm::device::host::{Host, Named, Started};
use crate::device::Kinds;
use crate::progress::wait::wait_for_first_until;
use crate::sys::cores::yield_now;
use crate::sys::{clock, thread};

/// Longest time between two looks for a new launch while the engine works on another one.
const NAP: Duration = Duration::from_micros(100);
/// Shortest and longest nap while the device works. Between them a nap is an eighth of the time without an
/// event.
const NAPS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));
/// Time of looking again and again before the first nap, while the device works.
const YIELD_TIME: Duration = Duration::from_micros(50);
/// Time without an event after which the device is asked whether it still works, and between two questions.
const CHECK_TIME: Duration = Duration::from_millis(10);

/// A launch that runs.
struct Running<H: Host> {
    // Dropped first: dropping a work waits for it, and it uses the call until then.
    /// What the engine works on.
    work: Option<H::Started>,
    /// The pieces of a call on the direct path.
    pieces: Option<BundleRun<H>>,
    /// Number of a collective, once the engine has it.
    number: Option<u32>,
    /// Why the launch has failed. Its stream goes on when nobody uses its buffers.
    failure: Option<Error>,
    call: Arc<CapturedCall<H>>,
}

impl<H: Host> Running<H> {
    fn set_work(&mut self, work: H::Started) {
        self.number = self.number.or_else(|| work.number());
        self.work = Some(work);
    }
}

/// The function in the graph: adds a launch of a call. A thread of the driver runs it.
///
/// # Safety
/// `data` is the address of a call that an `Arc` holds.
pub unsafe extern "C" fn launch<H: Host>(data: *mut c_void) {
    let call = data.cast_const().cast::<CapturedCall<H>>();
    // SAFETY: passed on from our caller. The graph has a reference of its own.
    unsafe { Arc::increment_strong_count(call) };
    // SAFETY: the reference of the line above.
    let call = unsafe { Arc::from_raw(call) };
    call.begin_launch();
    if !call.is_whole() {
        return call.fail_unheard("it could not be captured as a whole");
    }
    let start_thread = || {
        let (launches, communicator) = (Arc::clone(&call.launches), Weak::clone(&call.communicator));
        thread::spawn_quiet("anyccl-graphs", move || run(&launches, &communicator))
            .map(drop)
            .map_err(|error| Error::system("cannot start the thread for graphs", error))
    };
    if let Err(error) = call.launches.add(Arc::clone(&call), start_thread) {
        call.fail_unheard(&error.to_string());
    }
}

/// Body of the thread.
fn run<H: Host>(launches: &GraphLaunches<H>, communicator: &Weak<H>) {
    // This thread starts calls, on device memory or on copies in host memory, and never waits for its own
    // turn.
    Kinds::trust_this_thread();
    let mut runner = Runner { launches, communicator, running: Vec::new() };
    loop {
        if runner.running.is_empty() && !launches.queue.wait_for_call() {
            return;
        }
        runner.work();
    }
}

struct Runner<'a, H: Host> {
    launches: &'a GraphLaunches<H>,
    communicator: &'a Weak<H>,
    running: Vec<Running<H>>,
}

impl<H: Host> Runner<'_, H> {
    /// Works until no launch runs.
    fn work(&mut self) {
        let mut since = clock::now();
        let mut checked = since;
        loop {
            let moved = self.start_due() | self.see_ends();
            let now = clock::now();
            if moved {
                (since, checked) = (now, now);
                continue;
            }
            if self.running.is_empty() {
                return;
            }
            if now - checked >= CHECK_TIME {
                checked = now;
                self.check();
            }
            self.rest(now - since);
        }
    }

    /// Starts the launches that were added, as far as it is their turn. Returns whether there were any.
    fn start_due(&mut self) -> bool {
        let mut moved = false;
        while !self.is_starting()
            && let Some(call) = self.launches.queue.take_if(|_| true)
        {
            moved = true;
            let mut launch = Running { work: None, pieces: None, number: None, failure: None, call };
            if let Err(error) = self.start(&mut launch) {
                self.note_failure(&mut launch, error);
            }
            self.running.push(launch);
        }
        if moved {
            self.launches.queue.note_started();
        }
        moved
    }

    /// Whether a launch has pieces that are to be started in the engine before all later launches.
    fn is_starting(&self) -> bool {
        let is_starting = |launch: &Running<H>| launch.pieces.as_ref().is_some_and(BundleRun::is_starting);
        self.running.iter().any(|launch| launch.failure.is_none() && is_starting(launch))
    }

    fn start(&self, launch: &mut Running<H>) -> Result<()> {
        let comm = self.usable()?;
        match &launch.call.work {
            CapturedWork::Staged { ready, .. } => {
                // SAFETY: the stream of a launch waits for its end, and `Running` keeps the call until then.
                // The copies are in its block, and the caller of the captured call vouches for other buffers
                // at each launch.
                launch.set_work(unsafe { comm.start_ready(&mut ready.lock()) }?);
            }
            CapturedWork::Direct(pieces) => launch.pieces = Some(pieces.begin()?),
        }
        Ok(())
    }

    /// The communicator, if it can make calls.
    fn usable(&self) -> Result<Arc<H>> {
        let ended =
            || Error::InvalidUsage("the communicator was destroyed before its calls had ended".into());
        let comm = self.communicator.upgrade().ok_or_else(ended)?;
        comm.failure().map_or(Ok(comm), Err)
    }

    /// Goes on with the launches, and ends those that are at their end. Returns whether anything has changed.
    fn see_ends(&mut self) -> bool {
        let mut moved = false;
        let mut at = 0;
        while at < self.running.len() {
            let mut launch = self.running.swap_remove(at);
            let advanced = self.advance(&mut launch);
            moved |= !matches!(advanced, Ok(Advance::Nothing));
            match advanced {
                Ok(Advance::Ended) => {
                    launch.call.let_go();
                    self.launches.queue.note_ended();
                    continue;
                }
                Ok(Advance::Failed) => {
                    self.fail(launch);
                    continue;
                }
                Ok(Advance::Nothing | Advance::Moved) => {}
                Err(error) => self.note_failure(&mut launch, error),
            }
            self.running.push(launch);
            let last = self.running.len() - 1;
            self.running.swap(at, last);
            at += 1;
        }
        moved
    }

    /// Goes on with a launch.
    fn advance(&self, launch: &mut Running<H>) -> Result<Advance> {
        if launch.failure.is_some() {
            let is_in_use = launch.pieces.as_mut().is_some_and(BundleRun::is_in_use);
            return Ok(if is_in_use { Advance::Nothing } else { Advance::Failed });
        }
        if let Some(work) = &mut launch.work {
            if !work.has_ended() {
                return Ok(Advance::Nothing);
            }
            let outcome = work.wait().and_then(|()| launch.call.check_message(work));
            launch.work = None;
            outcome?;
            return Ok(if launch.pieces.is_none() { Advance::Ended } else { Advance::Moved });
        }
        let Some(pieces) = &mut launch.pieces else { return Ok(Advance::Ended) };
        let comm = self.usable()?;
        let has_changed = pieces.look()?;
        // SAFETY: `Running` keeps the pieces, whose buffers do not move, until the work has ended.
        Ok(match unsafe { pieces.next(&comm) }? {
            Next::Ended => Advance::Ended,
            Next::Call(work) => {
                launch.set_work(work);
                Advance::Moved
            }
            Next::Device if has_changed => Advance::Moved,
            Next::Device => Advance::Nothing,
        })
    }

    /// Notes why a launch cannot go on, and tells the program by its communicator.
    fn note_failure(&self, launch: &mut Running<H>, error: Error) {
        let Some(comm) = self.communicator.upgrade() else {
            launch.failure = Some(error);
            return;
        };
        let call = Named { call: &*launch.call, number: launch.number };
        launch.failure = Some(comm.fail_by(error, call));
    }

    /// Ends a launch that has failed. Nobody uses its buffers.
    fn fail(&self, launch: Running<H>) {
        match self.communicator.upgrade() {
            None => launch.call.fail_unheard("the communicator has ended"),
            Some(_) => launch.call.fail(),
        }
        self.launches.queue.note_ended();
    }

    /// Asks the device whether it still works on what the launches wait for, and the other ranks whether they
    /// still wait for it.
    fn check(&mut self) {
        if self.running.iter().all(|launch| launch.work.is_none())
            && let Some(communicator) = self.communicator.upgrade()
        {
            communicator.try_move_on();
        }
        for at in 0..self.running.len() {
            let launch = &self.running[at];
            let is_waiting = launch.work.is_none() && launch.failure.is_none();
            let answer = launch.pieces.as_ref().filter(|_| is_waiting).and_then(BundleRun::check);
            if let Some(Err(error)) = answer {
                let mut launch = self.running.swap_remove(at);
                self.note_failure(&mut launch, error);
                self.running.push(launch);
                return;
            }
        }
    }

    /// Rests until a launch has moved on, but not for long. `idle` is the time since something last happened.
    fn rest(&self, idle: Duration) {
        let works: Vec<_> =
            self.running.iter().filter_map(|launch| launch.work.as_ref()?.pending_call()).collect();
        if !works.is_empty() {
            wait_for_first_until(&works, Some(clock::now() + NAP));
        } else if idle < YIELD_TIME {
            yield_now();
        } else {
            self.launches.queue.nap((idle / 8).clamp(NAPS.0, NAPS.1));
        }
    }
}

/// What has become of a launch.
enum Advance {
    Nothing,
    Moved,
    Ended,
    /// The launch has failed, and nobody uses its buffers.
    Failed,
}
