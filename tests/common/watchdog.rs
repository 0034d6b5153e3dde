//! A watchdog that ends a hanging test with a message.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A time limit while this value lives. When the time is over, the test process prints what hangs, and ends.
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
                // The write bypasses the capture of the test harness, which would never show the text of a
                // hanging test.
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
