//! The thread that runs the launches of a communicator's captured calls.
//!
//! It starts with the first launch and sleeps while there is none. Several launches may run at the same time,
//! such as a send and a receive of one group.

use std::ffi::c_void;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::captured_call::{CapturedCall, GraphLaunches};
use crate::base::{Error, Result};
use crate::comm::device::host::{Host, Started};
use crate::device::Kinds;
use crate::progress::wait::wait_for_first_until;
use crate::sys::cores::yield_now;
use crate::sys::{clock, thread};

/// Longest time between two looks for a new launch while another one runs.
const NAP: Duration = Duration::from_micros(100);

/// A launch that the engine works on.
struct Running<H: Host> {
    // Dropped first: dropping a work waits for it, and it uses the call until then.
    work: H::Started,
    call: Arc<CapturedCall<H>>,
}

/// The function in the graph: adds a launch of a call. A thread of the driver runs it.
///
/// # Safety
/// `data` is the address of a call that an `Arc` holds.
pub unsafe extern "C" fn launch<H: Host>(data: *mut c_void) {
    let call = data.cast_const().cast::<CapturedCall<H>>();
    // SAFETY: passed on from our caller. The graph has a reference of its own.
    unsafe { Arc::increment_strong_count(call) };
    // SAFETY: the reference of the line above.
    let call = unsafe { Arc::from_raw(call) };
    if !call.is_whole() {
        return call.fail_unheard("it could not be captured as a whole");
    }
    let start_thread = || {
        let (launches, communicator) = (Arc::clone(&call.launches), Weak::clone(&call.communicator));
        thread::spawn_quiet("anyccl-graphs", move || run(&launches, &communicator))
            .map(drop)
            .map_err(|error| Error::system("cannot start the thread for graphs", error))
    };
    if let Err(error) = call.launches.add(Arc::clone(&call), start_thread) {
        call.fail_unheard(&error.to_string());
    }
}

/// Body of the thread.
fn run<H: Host>(launches: &GraphLaunches<H>, communicator: &Weak<H>) {
    // This thread starts calls on copies in host memory, and never waits for its own turn.
    Kinds::trust_this_thread();
    let mut running: Vec<Running<H>> = Vec::new();
    loop {
        if running.is_empty() && !launches.queue.wait_for_call() {
            return;
        }
        let has_started = start_all(launches, communicator, &mut running);
        if !(see_ends(launches, communicator, &mut running) | has_started) {
            rest(&running);
        }
    }
}

/// Starts the launches that were added. Returns whether there were any.
fn start_all<H: Host>(
    launches: &GraphLaunches<H>,
    communicator: &Weak<H>,
    running: &mut Vec<Running<H>>,
) -> bool {
    let mut moved = false;
    while let Some(call) = launches.queue.take_if(|_| true) {
        moved = true;
        match start(&call, communicator) {
            Ok(work) => running.push(Running { work, call }),
            Err(error) => {
                fail(&call, communicator, &error);
                launches.queue.note_ended();
            }
        }
    }
    if moved {
        launches.queue.note_started();
    }
    moved
}

fn start<H: Host>(call: &CapturedCall<H>, communicator: &Weak<H>) -> Result<H::Started> {
    let ended = || Error::InvalidUsage("the communicator was destroyed before its calls had ended".into());
    let comm = communicator.upgrade().ok_or_else(ended)?;
    comm.failure().map_or(Ok(()), Err)?;
    // SAFETY: the stream of a launch waits for its end, and `Running` keeps the call until then.
    unsafe { call.start(&comm) }
}

/// Ends the launches whose work has ended. Returns whether there were any.
fn see_ends<H: Host>(
    launches: &GraphLaunches<H>,
    communicator: &Weak<H>,
    running: &mut Vec<Running<H>>,
) -> bool {
    let mut moved = false;
    let mut at = 0;
    while at < running.len() {
        if !running[at].work.has_ended() {
            at += 1;
            continue;
        }
        moved = true;
        let Running { mut work, call } = running.swap_remove(at);
        let outcome = work.wait().and_then(|()| call.check_message(&work));
        drop(work);
        match outcome {
            Ok(()) => call.succeed(),
            Err(error) => fail(&call, communicator, &error),
        }
        launches.queue.note_ended();
    }
    moved
}

/// Ends a launch that has failed. The communicator tells the program.
fn fail<H: Host>(call: &CapturedCall<H>, communicator: &Weak<H>, error: &Error) {
    match communicator.upgrade() {
        None => return call.fail_unheard("the communicator has ended"),
        Some(comm) if comm.failure().is_none() => comm.abort(&error.to_string()),
        Some(_) => {}
    }
    call.fail();
}

/// Rests until a call has moved on, but not for long.
fn rest<H: Host>(running: &[Running<H>]) {
    let calls: Vec<_> = running.iter().filter_map(|running| running.work.pending_call()).collect();
    if calls.is_empty() {
        yield_now();
    } else {
        wait_for_first_until(&calls, Some(clock::now() + NAP));
    }
}
