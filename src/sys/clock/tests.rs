//! Tests of the clock, and what tests of the library need to turn it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};

use parking_lot::Mutex;

use super::*;
use crate::sys::poll::PollSet;

const AN_HOUR: Duration = Duration::from_secs(3600);

/// Runs a test in a process of its own. `cargo test` runs tests as threads of one process; then this starts
/// the program again for the test of this thread. `cargo nextest` has given it a process.
pub(crate) fn alone(body: impl FnOnce()) {
    const ALONE: &str = "ANYCCL_TEST_ALONE";
    let thread = thread::current();
    let name = thread.name().expect("the name of the test");
    // With one thread, tests run one after the other, on the main thread.
    if name == "main" || ["NEXTEST", ALONE].iter().any(|name| std::env::var_os(name).is_some()) {
        return body();
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    let output = again.args(["--exact", name]).env(ALONE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Runs a test that turns or stops the clock. A wait that hangs then is ended by the kernel's clock.
pub(crate) fn with_clock(body: impl FnOnce(&TestClock)) {
    const LIMIT: Duration = Duration::from_secs(500);
    alone(|| {
        let (alive, end) = channel::<()>();
        thread::spawn(move || {
            if end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                eprintln!("HANGS: not done after {LIMIT:?}");
                std::process::exit(101);
            }
        });
        body(&TestClock::take());
        drop(alive);
    });
}

/// Checks that `wait`, which ends by the clock in an hour, ends when the clock is turned, and not before.
fn ends_when_turned(wait: impl FnOnce(Instant) + Send + 'static) {
    with_clock(|clock| {
        let (begun, ended) = (channel(), channel());
        let start = now();
        thread::spawn(move || {
            begun.0.send(()).unwrap();
            wait(start + AN_HOUR);
            ended.0.send(now()).unwrap();
        });
        begun.1.recv().unwrap();
        clock.advance(AN_HOUR / 2);
        assert!(ended.1.recv_timeout(LOOK_TIME * 20).is_err(), "it ended too early");
        clock.advance(AN_HOUR / 2);
        assert!(ended.1.recv_timeout(Duration::from_secs(60)).expect("it ends") >= start + AN_HOUR);
    });
}

#[test]
fn a_poll_ends_when_the_clock_is_turned() {
    ends_when_turned(|end| PollSet::new().wait(Some(end)).unwrap());
}

#[test]
fn a_sleep_ends_when_the_clock_is_turned() {
    ends_when_turned(|end| sleep(left(end)));
}

#[test]
fn a_wait_for_a_notification_ends_when_the_clock_is_turned() {
    ends_when_turned(|end| {
        let (nothing, changed) = (Mutex::new(()), Condvar::new());
        let mut guard = nothing.lock();
        while !wait_until(&changed, &mut guard, end) {}
    });
}

#[test]
fn a_stopped_clock_moves_only_when_it_is_turned() {
    with_clock(|clock| {
        clock.stop();
        let start = now();
        thread::sleep(LOOK_TIME);
        assert_eq!(now(), start);
        clock.advance(AN_HOUR);
        assert_eq!(since(start), AN_HOUR);
        // The kernel's clock ends no wait.
        let is_late = Mutex::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                sleep(LOOK_TIME);
                *is_late.lock() = true;
            });
            thread::sleep(LOOK_TIME * 20);
            assert!(!*is_late.lock());
            clock.advance(LOOK_TIME);
        });
    });
}

#[test]
fn without_a_test_that_takes_it_the_clock_is_the_kernels_and_waits_are_whole() {
    alone(|| {
        // Earlier tests on the same thread have taken it.
        if TURNED.load(Ordering::Relaxed) > 0 {
            return;
        }
        let times = [Instant::now(), now(), Instant::now()];
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!(at_once(AN_HOUR), AN_HOUR);
        assert!(since(times[0]) < AN_HOUR && left(times[0]).is_zero());
    });
}

/// Files that read the kernel's clock: this one, and those that measure or date.
const READERS: [&str; 4] =
    ["sys/clock", "observe/trace.rs", "device/tools/copies.rs", "bootstrap/store/file/private_folder.rs"];

/// Words that read the kernel's clock or sleep by it, cut so that this file has none.
const WORDS: [[&str; 2]; 3] = [["Instant::", "now"], [".elap", "sed()"], ["thread::", "sleep("]];

fn files_below(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files_below(&path, visit),
            false => visit(&path),
        }
    }
}

#[test]
fn nothing_else_in_the_engine_reads_the_clock_of_the_kernel() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files_below(&source, &mut |path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let name = path.strip_prefix(&source).unwrap();
        if !READERS.iter().any(|reader| name.to_string_lossy().starts_with(reader)) {
            let words = WORDS.map(|word| word.concat());
            found.extend(
                words.iter().filter(|word| text.contains(*word)).map(|word| format!("{name:?}: {word}")),
            );
        }
    });
    assert!(found.is_empty(), "use sys::clock: {found:?}");
}
