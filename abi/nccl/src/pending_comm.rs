//! Communicators that are not formed yet.
//!
//! The handle of a [`PendingComm`] exists from the beginning; it can be used once the communicator is formed.
//! Forming a communicator waits for other ranks. If there are several, each is formed in a thread of its own.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::thread;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::device::{CudaDriver, Entered, Kinds};
use anyccl_engine::log_line;

use crate::call::Progress;
use crate::communicator::{Bar, COMMS, Comm, Formed, Traits, to_c};
use crate::presence;
use crate::types::ncclComm_t;

type Make = Box<dyn FnOnce() -> Result<Option<Formed>> + Send>;

/// What the program gets from the call that forms a communicator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallerGets {
    /// A communicator.
    Handle,
    /// NULL: this rank only takes part in the call.
    Nothing,
}

/// A communicator that is not formed yet.
pub struct PendingComm {
    comm: Arc<Comm>,
    /// The handle; 0 if the program gets none.
    handle: usize,
    place: *mut ncclComm_t,
    parent: Option<Arc<Comm>>,
    make: Make,
}

/// The part of a pending communicator that the forming thread needs.
struct Task {
    comm: Arc<Comm>,
    parent: Option<Arc<Comm>>,
    make: Make,
}

impl PendingComm {
    /// Writes the handle to `place`.
    ///
    /// # Safety
    /// `place` is not NULL, and writable until the call, or the group, has ended.
    pub unsafe fn new(
        place: *mut ncclComm_t,
        traits: Traits,
        parent: Option<Arc<Comm>>,
        outcome: CallerGets,
        make: impl FnOnce() -> Result<Option<Formed>> + Send + 'static,
    ) -> PendingComm {
        presence::tell();
        let comm = Arc::new(Comm::forming(traits));
        let handle = if outcome == CallerGets::Handle { COMMS.insert(Arc::clone(&comm)) } else { 0 };
        // SAFETY: writable by our caller's promise.
        unsafe { place.write(to_c(handle)) };
        PendingComm { comm, handle, place, parent, make: Box::new(make) }
    }

    /// Whether the call waits until the communicator is formed.
    pub fn is_blocking(&self) -> bool {
        self.comm.traits.is_blocking
    }

    /// Drops the communicator: it will not be formed.
    pub fn give_up(self) {
        let _ = COMMS.remove(self.handle, |_, _| Ok(()));
        // SAFETY: writable, as `new` was promised.
        unsafe { self.place.write(ptr::null_mut()) };
    }

    /// Forms all of them, each in a thread of its own. Those with the same parent follow each other in one
    /// thread. Waits for the blocking ones.
    pub fn finish(forming: Vec<PendingComm>) -> Result<Progress> {
        let progress = match forming.iter().all(PendingComm::is_blocking) {
            true => Progress::Done,
            false => Progress::Begun,
        };
        let mut waiting = Vec::new();
        let mut lanes: Vec<(bool, Vec<Task>)> = Vec::new();
        for PendingComm { comm, handle, place, parent, make } in forming {
            let is_blocking = comm.traits.is_blocking;
            if is_blocking {
                waiting.push((Arc::clone(&comm), handle, place));
            }
            let same = |task: &Task| match (&task.parent, &parent) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                _ => false,
            };
            let lane =
                lanes.iter_mut().find(|(blocking, lane)| *blocking == is_blocking && lane.iter().any(same));
            let task = Task { comm, parent: parent.clone(), make };
            match lane {
                Some((_, lane)) => lane.push(task),
                None => lanes.push((is_blocking, vec![task])),
            }
        }
        let (blocking, background): (Vec<_>, Vec<_>) = lanes.into_iter().partition(|(blocking, _)| *blocking);
        for (_, lane) in background {
            run_in_background(lane)?;
        }
        run_together(blocking.into_iter().map(|(_, lane)| lane).collect())?;
        let mut outcome = Ok(());
        for (comm, handle, place) in waiting {
            let Some(error) = comm.failure() else { continue };
            outcome = outcome.and(Err(error));
            let _ = COMMS.remove(handle, |_, _| Ok(()));
            // SAFETY: writable, as the caller of `new` promised: its call or group is this one.
            unsafe { place.write(ptr::null_mut()) };
        }
        outcome.map(|()| progress)
    }
}

/// Runs each lane in a thread of its own, the last one in this thread.
fn run_together(mut lanes: Vec<Vec<Task>>) -> Result<()> {
    let Some(last) = lanes.pop() else { return Ok(()) };
    thread::scope(|scope| {
        for lane in lanes {
            thread::Builder::new()
                .name("nccl init".into())
                .spawn_scoped(scope, || lane.into_iter().for_each(Task::run))
                .map_err(|error| Error::system("starting a thread", error))?;
        }
        last.into_iter().for_each(Task::run);
        Ok(())
    })
}

/// Runs a lane in the background. Its parent takes no calls meanwhile: they would interfere with the
/// agreements of the ranks.
fn run_in_background(lane: Vec<Task>) -> Result<()> {
    let parent = lane.first().and_then(|task| task.parent.clone());
    let parent = parent.filter(|parent| parent.bar() == Bar::None);
    if let Some(parent) = &parent {
        parent.set_bar(Bar::Parting);
    }
    let run = move || {
        lane.into_iter().for_each(Task::run);
        if let Some(parent) = parent.filter(|parent| parent.bar() == Bar::Parting) {
            parent.set_bar(Bar::None);
        }
    };
    let started = thread::Builder::new().name("nccl init".into()).spawn(run);
    started.map(drop).map_err(|error| Error::system("starting a thread", error))
}

/// Makes the device of a communicator current in the thread that forms it. `None`: there is no such device.
fn enter(device: c_int) -> Option<Entered> {
    if !Kinds::detect().may_differ() {
        return None;
    }
    Entered::for_device(CudaDriver::get().ok()?, device).ok()
}

impl Task {
    fn run(self) {
        let _entered = self.comm.traits.device.and_then(enter);
        // A panic is a bug of ours, and must not look like a rank that never arrives.
        let made = catch_unwind(AssertUnwindSafe(self.make));
        let outcome =
            made.unwrap_or_else(|_| Err(Error::Internal("panic while a communicator was formed".into())));
        if let Err(error) = &outcome {
            log_line!(Info, "a communicator could not be formed: {error}");
        }
        self.comm.formed(outcome);
    }
}
