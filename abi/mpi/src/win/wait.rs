//! Waiting for a word of shared memory that another rank changes.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyccl_engine::comm::Request;
use anyccl_engine::p2p::Selector;
use anyccl_engine::sys::clock;

use super::Win;
use crate::error::{Class, Error, Result};
use crate::{request, state};

/// Tag of no message: looking for it moves everything on, and notices lost ranks.
const NO_MESSAGE: i32 = -0x3000_0010;

/// Number of looks at the word before the engine gets turns.
const QUICK_LOOKS: u32 = 100;
/// Time without anything to serve after which this thread sleeps between the engine's turns. A time and not a
/// number of turns: where other processes want the core, each yield gives them milliseconds.
const POLLING: Duration = Duration::from_micros(500);
/// Locks, and flushes, of which one looks for failures.
const CALLS_PER_LOOK: u32 = 256;
const PAUSE: Duration = Duration::from_micros(20);

/// Time of a wait after which it needs every rank of the window.
const VIGIL_AFTER: Duration = Duration::from_millis(20);

/// Probes for a message of each rank, which none sends: while they are under way, the loss of any rank is a
/// failure. The probe for accesses alone needs no rank in particular.
pub(super) struct Vigil(Vec<Request>);

impl Vigil {
    pub fn of(win: &Win) -> Result<Vigil> {
        let others = (0..win.engine.size()).filter(|rank| *rank != win.rank());
        let probe = |rank| {
            win.engine.start_matched_probe(Selector::new(Some(rank), Some(NO_MESSAGE))).map_err(Error::from)
        };
        others.map(probe).collect::<Result<_>>().map(Vigil)
    }
}

impl Drop for Vigil {
    fn drop(&mut self) {
        // A request that has failed has ended, too.
        self.0.iter().for_each(Request::cancel);
    }
}

impl Win {
    /// Counts a call that looks for no failure. `false`: it is time to look.
    #[inline]
    pub(super) fn count_call(&self) -> bool {
        let before = self.calls_since_look.load(Ordering::Relaxed);
        // Threads that count at once may lose a call.
        self.calls_since_look.store(before + 1, Ordering::Relaxed);
        before < CALLS_PER_LOOK
    }

    /// Looks for failures, and for an abort of the job, with one call in many. Calls that find all they
    /// need in memory would not notice any.
    pub(super) fn look_now_and_then(&self) -> Result<()> {
        if !self.count_call() {
            self.calls_since_look.store(0, Ordering::Relaxed);
            self.engine.try_probe(Selector::new(None, Some(NO_MESSAGE)))?;
        }
        Ok(())
    }

    /// The failure of a wait that has taken so long.
    pub(super) fn late(&self, what: &str, waited: Duration) -> Error {
        Error::new(Class::OTHER, format!("{what} of {} was not there within {waited:?}", self.title()))
    }

    /// Waits until `is_done` returns true. Everything else of this process goes on meanwhile. It is an error
    /// if a rank is lost, or if the time limit passes.
    pub(super) fn wait_until(&self, what: &str, mut is_done: impl FnMut() -> bool) -> Result<()> {
        // Of another host, only a turn of the engine brings an answer.
        let looks = if self.distant.is_some() { 1 } else { QUICK_LOOKS };
        for _ in 0..looks {
            if is_done() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let (start, limit) = (clock::now(), state::time_limit());
        let (mut quiet_since, mut vigil) = (start, None);
        while !is_done() {
            let has_worked = if self.distant.is_some() {
                self.serve_now()? || request::has_work_besides(1) && request::progress_staged()
            } else {
                self.engine.try_probe(Selector::new(None, Some(NO_MESSAGE)))?;
                request::progress_staged()
            };
            if self.distant.is_some() && vigil.is_none() && clock::since(start) >= VIGIL_AFTER {
                vigil = Some(Vigil::of(self)?);
            }
            if limit.is_some_and(|limit| clock::since(start) >= limit) {
                return Err(self.late(what, clock::since(start)));
            }
            if has_worked {
                // Another look costs less than the core, which a busy host would not give back at once.
                quiet_since = clock::now();
            } else if clock::since(quiet_since) >= POLLING {
                std::thread::sleep(PAUSE);
            } else {
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}
