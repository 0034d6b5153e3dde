//! The early end of a job: `MPI_Abort`, and errors that are fatal.
//!
//! The rank that ends the job writes one line and tells the other ranks through the engine. It asks the
//! process manager, if there is one (PMI), to end the job, and exits with the code. A rank that is told exits
//! with the same code and without output, from the call that it is in or from its next one. The code travels
//! at the end of the engine's sentence.
//!
//! A rank that computes and makes no call is not reached. The launcher ends it, as every launcher does when a
//! rank has failed.

use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyccl_engine::reduce::is_inside_callback;
use anyccl_engine::{base, bootstrap, comm as engine};

use crate::error::Class;

/// How long to wait for the process manager, which ends this process within this time or never.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time for the launcher to pass the line on.
const READING: Duration = Duration::from_millis(30);
/// Time for the rank that ends the job to exit first.
const COURTESY: Duration = Duration::from_millis(100);
/// Text before the exit code in the engine's sentence.
const MARK: &str = "; the exit code of the job is ";

/// Rank and size of the world, for the line.
pub static SEAT: OnceLock<(u32, u32)> = OnceLock::new();

/// Set by the first thread that ends the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Ends the job after a fatal error.
pub fn end_job(text: &str, class: Class) -> ! {
    leave(text, class.0)
}

/// Ends the job. `text` is written for people.
pub fn leave(text: &str, code: i32) -> ! {
    exit_if_told();
    begin_to_end();
    let code = exit_code(code);
    let world = engine::world_now();
    let who = SEAT.get().map_or_else(String::new, |(rank, size)| format!("rank {rank} of {size}: "));
    // A failure to write is ignored.
    let _ = std::io::stderr().write_all(format!("anyccl: error: {who}{text}\n").as_bytes());
    // Inside a reduction function the engine is locked by the call that runs it. The end of the process then
    // tells the others.
    if let Some(world) = world.filter(|_| !is_inside_callback()) {
        world.abort(&format!("{text}{MARK}{code}"));
    }
    // After the request, Hydra may drop a line that it has not read yet.
    thread::sleep(READING);
    // The job goes on without a forked child.
    if !engine::is_world_of_parent() && bootstrap::abort_job(code, &format!("{who}{text}")) {
        thread::sleep(PATIENCE);
    }
    exit(code)
}

/// Ends this process without output if another rank has ended the job.
pub fn exit_if_told() {
    if is_inside_callback() {
        return;
    }
    if let Some(base::Error::Aborted(text)) = engine::world_now().and_then(|world| world.failure()) {
        exit_if_it_says_so(&text);
    }
}

/// Ends this process without output if the engine's sentence says that another rank has ended the job.
pub fn exit_if_it_says_so(text: &str) {
    if let Some(code) = code_in(text) {
        begin_to_end();
        // The launcher should see the end of the rank that wrote the line first.
        thread::sleep(COURTESY);
        exit(code)
    }
}

fn code_in(text: &str) -> Option<u8> {
    let (_, rest) = text.rsplit_once(MARK)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

/// The exit code for a code of the program. Exit codes have eight bits, and 0 means success.
fn exit_code(code: i32) -> u8 {
    match code as u8 {
        0 => 1,
        code => code,
    }
}

/// Returns for one thread of the process. The other threads wait here until the process ends.
fn begin_to_end() {
    while IS_ENDING.swap(true, Ordering::Relaxed) {
        thread::sleep(Duration::from_secs(3600));
    }
}

fn exit(code: u8) -> ! {
    // SAFETY: ends the process without running exit handlers, while other threads may be in the middle of
    // something.
    unsafe { libc::_exit(i32::from(code)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_found_in_the_sentence_of_the_engine() {
        let text =
            format!("\"world\" was aborted: rank 1: MPI_Abort{MARK}7, with a barrier unfinished there");
        assert_eq!(code_in(&text), Some(7));
        assert_eq!(code_in("\"world\" was aborted: rank 1: enough"), None);
    }

    #[test]
    fn no_code_of_an_aborted_job_says_success() {
        assert_eq!([0, 1, 5, 255, 256, 257, -1].map(exit_code), [1, 1, 5, 255, 1, 1, 255]);
    }
}
