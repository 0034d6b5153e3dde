//! The clock of deadlines, grace periods and pauses, and the waits that end by it.
//!
//! **Why it is here.** Code that reads the kernel's clock itself can be tested only by waiting, and on a busy
//! machine nobody can say how long. So the library has one clock, this one, and a test may turn it
//! ([`TestClock`]): a deadline of minutes has then come at once. It may also stop the clock. What ends all
//! the same has waited for an event and for no time.
//!
//! **How it works.** The time is that of the kernel's monotonic clock plus what a test has added. In a
//! program this is nothing, for one relaxed load. A thread that sleeps until some time asks [`at_once`] for
//! how long it may sleep. In a program this is the whole time. Once a test has taken the clock, it is a
//! millisecond. Then the thread looks at the clock again, and sleeps on. So nobody has to know who sleeps,
//! and `advance` wakes nobody.
//!
//! **What was decided against.** A clock that is handed to every object would be a parameter of all that
//! waits, for tests alone. An event that wakes the sleepers would be one more descriptor in every poll.
//!
//! **Limits.** There is one clock in a process, so ranks that are threads share it, and other tests of the
//! process do, too. A test that turns it has a process of its own. What measures or dates, such as traces and
//! `anyccl perf`, reads the kernel's clock. Waits without a limit of time are not concerned.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

/// Nanoseconds that a test has added, plus one. Zero: no test has taken the clock.
static TURNED: AtomicU64 = AtomicU64::new(0);

/// The kernel's time at which a test has stopped the clock.
static STOPPED: Mutex<Option<Instant>> = Mutex::new(None);

/// Longest sleep while a test has the clock.
const LOOK_TIME: Duration = Duration::from_millis(1);

/// The time.
#[inline]
pub fn now() -> Instant {
    // Relaxed: nothing else depends on the value, and a thread sees the additions in their order.
    match TURNED.load(Ordering::Relaxed) {
        0 => Instant::now(),
        turned => time_of_test(Duration::from_nanos(turned - 1)),
    }
}

#[cold]
fn time_of_test(added: Duration) -> Instant {
    STOPPED.lock().unwrap_or_else(Instant::now) + added
}

/// The kernel's monotonic clock in nanoseconds. All processes of a host read the same.
pub fn monotonic_nanoseconds() -> u64 {
    nanoseconds_of(libc::CLOCK_MONOTONIC)
}

/// How long this thread has been on a processor, in nanoseconds.
pub fn thread_nanoseconds() -> u64 {
    nanoseconds_of(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn nanoseconds_of(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the kernel to write to, and both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The time that has passed since `start`.
#[inline]
pub fn since(start: Instant) -> Duration {
    now().saturating_duration_since(start)
}

/// The time that is left until `end`.
#[inline]
pub fn left(end: Instant) -> Duration {
    end.saturating_duration_since(now())
}

/// Whether a test has taken the clock.
pub fn is_turned() -> bool {
    TURNED.load(Ordering::Relaxed) != 0
}

/// How long a thread that sleeps for `time` may do so before it looks at the clock again.
#[inline]
pub fn at_once(time: Duration) -> Duration {
    if is_turned() { time.min(LOOK_TIME) } else { time }
}

/// Sleeps for `time`.
pub fn sleep(time: Duration) {
    let end = now() + time;
    let mut rest = time;
    while !rest.is_zero() {
        #[cfg(test)]
        if let Some(scheduler) = super::scheduler::mine() {
            scheduler.sleep(end);
            rest = left(end);
            continue;
        }
        thread::sleep(at_once(rest));
        rest = left(end);
    }
}

/// Waits for a notification, at most until `end`. Returns whether that time has come. May return early.
pub fn wait_until<T>(changed: &Condvar, guard: &mut MutexGuard<'_, T>, end: Instant) -> bool {
    let rest = left(end);
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        // Nobody tells the scheduler of notifications.
        MutexGuard::unlocked(guard, || scheduler.wait(Some(end.min(now() + LOOK_TIME))));
        return now() >= end;
    }
    rest.is_zero() || changed.wait_for(guard, at_once(rest)).timed_out() && now() >= end
}

/// The clock of this process in the hands of a test. When the value is dropped, a stopped clock catches up.
pub struct TestClock(());

impl Drop for TestClock {
    fn drop(&mut self) {
        self.start();
    }
}

impl TestClock {
    /// Takes the clock. Threads that begin to wait from now on see how it is turned.
    pub fn take() -> TestClock {
        // A clock that is taken already stays as it is.
        let _ = TURNED.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        TestClock(())
    }

    /// Stops the clock: from now on only `advance` moves it.
    pub fn stop(&self) {
        STOPPED.lock().get_or_insert_with(Instant::now);
    }

    /// Starts a stopped clock, which catches up.
    pub fn start(&self) {
        *STOPPED.lock() = None;
    }

    /// Turns the clock forward. It cannot be turned back.
    pub fn advance(&self, time: Duration) {
        TURNED.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Runs `body`, which waits for a time to pass, and meanwhile turns the clock by `step` again and again.
    /// Between two turns each waiting thread looks at the clock, if the machine lets it run.
    pub fn advance_while<R>(&self, step: Duration, body: impl FnOnce() -> R) -> R {
        /// Tells the thread that turns to end, also when the body panics.
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let has_ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let _end = End(&has_ended);
            scope.spawn(|| {
                while !has_ended.load(Ordering::Relaxed) {
                    self.advance(step);
                    thread::sleep(LOOK_TIME * 2);
                }
            });
            body()
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
