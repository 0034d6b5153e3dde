//! Serving ranks of other hosts: whenever a thread of this process waits or tests, and in a thread of the
//! library, if `ANYCCL_ASYNC_PROGRESS` asks for it.

use std::sync::Once;
use std::time::Duration;

use anyccl_engine::config::Config;
use anyccl_engine::sys::clock;

use super::Win;
use crate::error::Result;
use crate::request::service::{self, Service};
use crate::state::{self, Stage};

/// Time between two looks of the thread, when nothing comes.
const PAUSE: Duration = Duration::from_micros(50);
/// Time without anything to serve after which it pauses.
const POLLING: Duration = Duration::from_micros(50);

impl Win {
    /// Serves what has come from other hosts, unless another thread does. Returns whether there was anything.
    pub(super) fn serve_now(&self) -> Result<bool> {
        let Some(mut inbox) = self.distant.as_ref().and_then(|distant| distant.inbox.try_lock()) else {
            return Ok(false);
        };
        inbox.turn(self)
    }
}

impl Service for Win {
    fn serve(&self) -> bool {
        // The next call on the window finds a failure.
        self.serve_now().unwrap_or(false)
    }
}

/// Starts the thread, once, if the environment asks for it. Without one, calls of the program serve.
pub fn start_thread() {
    static START: Once = Once::new();
    START.call_once(|| {
        if Config::from_environment().is_ok_and(|config| config.async_progress) {
            // A process that gets no thread serves in its calls.
            let _ = std::thread::Builder::new().name("anyccl-windows".into()).spawn(serve_always);
        }
    });
}

fn serve_always() {
    let mut quiet_since = clock::now();
    while state::stage() != Stage::Finalized {
        if service::serve_all() {
            quiet_since = clock::now();
        }
        let is_quiet = clock::since(quiet_since) >= POLLING;
        if is_quiet { std::thread::sleep(PAUSE) } else { std::thread::yield_now() }
    }
}
