//! Waiting for a word of shared memory that another rank changes.

use std::time::Duration;

use anyccl_engine::p2p::Selector;
use anyccl_engine::sys::clock;

use super::Win;
use crate::error::{Class, Error, Result};
use crate::{request, state};

/// Tag of no message: looking for it moves everything on, and notices lost ranks.
const NO_MESSAGE: i32 = -0x3000_0010;

/// Number of looks at the word before the engine gets turns.
const QUICK_LOOKS: u32 = 100;
/// Turns of the engine before this thread sleeps between them.
const BUSY_TURNS: u32 = 1000;
const PAUSE: Duration = Duration::from_micros(20);

impl Win {
    /// Waits until `is_done` returns true. Everything else of this process goes on meanwhile. It is an error
    /// if a rank is lost, or if the time limit passes.
    pub(super) fn wait_until(&self, what: &str, mut is_done: impl FnMut() -> bool) -> Result<()> {
        for _ in 0..QUICK_LOOKS {
            if is_done() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let (start, limit) = (clock::now(), state::time_limit());
        let mut turns = 0;
        while !is_done() {
            self.engine.try_probe(Selector::new(None, Some(NO_MESSAGE)))?;
            request::progress_staged();
            if limit.is_some_and(|limit| clock::since(start) >= limit) {
                let text =
                    format!("{what} of {} was not there within {:?}", self.title(), clock::since(start));
                return Err(Error::new(Class::OTHER, text));
            }
            turns += 1;
            if turns < BUSY_TURNS { std::thread::yield_now() } else { std::thread::sleep(PAUSE) }
        }
        Ok(())
    }
}
