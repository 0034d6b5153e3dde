//! The thread of a context that runs its host functions.

use std::cell::Cell;
use std::sync::mpsc::{Sender, channel};

use parking_lot::Mutex;

use crate::loud;

thread_local! {
    /// Whether this thread runs a host function of a stream.
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

type Function = Box<dyn FnOnce() + Send>;

/// The thread that runs the host functions of a context; it starts with the first one.
#[derive(Default)]
pub struct Caller(Mutex<Option<Sender<Function>>>);

impl Caller {
    /// Lets the thread run a function some time.
    pub fn send(&self, function: impl FnOnce() + Send + 'static) {
        let job: Function = Box::new(move || as_host_function(function));
        if self.0.lock().get_or_insert_with(start).send(job).is_err() {
            loud::stop("the thread of the host functions is gone");
        }
    }

    /// Runs a function on the thread and waits until it has returned.
    pub fn run(&self, function: impl FnOnce() + Send + 'static) {
        let (done, has_returned) = channel();
        let job: Function = Box::new(move || {
            as_host_function(function);
            let _ = done.send(());
        });
        let sent = self.0.lock().get_or_insert_with(start).send(job);
        if sent.is_err() || has_returned.recv().is_err() {
            loud::stop("the thread of the host functions is gone");
        }
    }
}

fn start() -> Sender<Function> {
    let (jobs, queue) = channel::<Function>();
    let thread = std::thread::Builder::new().name("cuda-double-host".to_string());
    if let Err(error) = thread.spawn(move || queue.into_iter().for_each(|job| job())) {
        loud::stop(&format!("host functions need a thread: {error}"));
    }
    jobs
}

/// Runs `function` as a host function of a stream: calls of the driver are refused meanwhile.
fn as_host_function(function: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    function();
    IN_HOST_FUNCTION.set(false);
}

/// Whether this thread runs a host function.
pub fn is_inside() -> bool {
    IN_HOST_FUNCTION.get()
}
