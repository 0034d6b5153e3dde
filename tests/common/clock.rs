//! Tests that turn or stop the clock of the library.

use std::process::Command;
use std::time::Duration;

use anyccl_engine::sys::clock::TestClock;

use super::watchdog::Watchdog;

/// Runs a test that turns or stops the clock, in a process of its own. `cargo test` runs tests as threads of
/// one process; then this starts the program again for the test of this thread. `cargo nextest` has given it
/// a process.
pub fn with_clock(body: impl FnOnce(&TestClock)) {
    const ALONE: &str = "ANYCCL_TEST_ALONE";
    let thread = std::thread::current();
    let name = thread.name().expect("the name of the test");
    let _watchdog = Watchdog::new(name, Duration::from_secs(180));
    // With one thread, tests run one after the other, on the main thread.
    if name == "main" || ["NEXTEST", ALONE].iter().any(|name| std::env::var_os(name).is_some()) {
        return body(&TestClock::take());
    }
    let mut again = Command::new(std::env::current_exe().expect("the path of this program"));
    let output = again.args(["--exact", name]).env(ALONE, "1").output().expect("it starts again");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
