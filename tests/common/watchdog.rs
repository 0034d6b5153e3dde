//! A watchdog that ends a hanging test with a message.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How much longer a limit gets on a machine on which threads wait for processors all the time.
const MOST_TIMES: u32 = 4;

/// A time limit while this value lives. When the time is over, the test process prints what hangs, and ends.
/// Time in which some thread of the machine waited for a processor does not count, up to [`MOST_TIMES`].
pub struct Watchdog {
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub fn new(what: impl Into<String>, limit: Duration) -> Watchdog {
        let what = what.into();
        let (alive, end) = channel();
        let watch = move || {
            let (begun, busy) = (Instant::now(), busy_time());
            let is_alive = |time| end.recv_timeout(time) != Err(RecvTimeoutError::Timeout);
            loop {
                let more = (busy_time() - busy).min(limit * (MOST_TIMES - 1));
                let left = (limit + more).saturating_sub(begun.elapsed());
                if is_alive(left) {
                    break;
                }
                if !left.is_zero() {
                    continue;
                }
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

/// The time in which some thread of the machine was ready to run and did not, since the machine was started.
/// It stands still where the kernel does not count it.
fn busy_time() -> Duration {
    let text = std::fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = text.lines().next().and_then(|line| line.rsplit_once("total=")?.1.parse().ok());
    Duration::from_micros(total.unwrap_or(0))
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
