//! Ends a test that hangs, with a sentence.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// While it lives, time runs. When the time is over, the test process says what hangs and ends.
pub struct Watchdog {
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub fn new(what: impl Into<String>, limit: Duration) -> Watchdog {
        let what = what.into();
        let (alive, end) = channel();
        let watch = move || {
            if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                // Past the capture of the test harness, which would never show it.
                let text = format!("\nHANGS: {what}: not done after {} s\n", limit.as_secs());
                let _ = std::io::stderr().write_all(text.as_bytes());
                std::process::exit(101);
            }
        };
        Watchdog { alive: Some(alive), thread: Some(std::thread::spawn(watch)) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
