//! Live objects, counted, so that a test sees what was left behind.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;

use crate::loud;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Kind {
    /// `cuMemAlloc`, `cuMemAllocAsync`.
    Allocations,
    /// Bytes of these and of physical memory.
    Bytes,
    /// `cuMemHostAlloc`.
    Pinned,
    /// `cuMemHostRegister`.
    Registrations,
    /// `cuIpcOpenMemHandle`, counted once per opening.
    IpcOpenings,
    /// `cuMemAddressReserve`.
    Reservations,
    /// `cuMemCreate` and imports.
    Physical,
    /// `cuMemMap`.
    Mappings,
    /// `cuStreamCreate`.
    Streams,
    /// `cuEventCreate`.
    Events,
    /// `cuCtxCreate`, and each primary context that is retained.
    Contexts,
    /// `cuModuleLoadData`.
    Modules,
    /// Graphs and executable graphs.
    Graphs,
    /// `cuUserObjectCreate`, until the last reference has gone.
    UserObjects,
    /// Value waits that run now.
    Waits,
    /// Calls that have waited for room in a queue for longer than `CUDA_DOUBLE_HANG_MS`: never falls.
    Stalls,
    /// What a program did that CUDA leaves undefined: a count that never falls.
    Faults,
}

const NAMES: [&str; 17] = [
    "allocations",
    "bytes",
    "pinned",
    "registrations",
    "ipc_openings",
    "reservations",
    "physical",
    "mappings",
    "streams",
    "events",
    "contexts",
    "modules",
    "graphs",
    "user_objects",
    "waits",
    "stalls",
    "faults",
];

static COUNTS: [AtomicI64; NAMES.len()] = [const { AtomicI64::new(0) }; NAMES.len()];

/// Descriptors that were handed to the program: number, and device and inode of the file.
static DESCRIPTORS: Mutex<Vec<(c_int, u64, u64)>> = Mutex::new(Vec::new());

/// Adds `by` to a count.
pub fn add(kind: Kind, by: i64) {
    COUNTS[kind as usize].fetch_add(by, Ordering::Relaxed);
}

/// The value of a count.
pub fn value(kind: Kind) -> i64 {
    COUNTS[kind as usize].load(Ordering::Relaxed)
}

/// All counts, with their names.
pub fn all() -> impl Iterator<Item = (&'static str, i64)> {
    NAMES.iter().zip(&COUNTS).map(|(name, count)| (*name, count.load(Ordering::Relaxed)))
}

/// Counts what CUDA leaves undefined and says it.
pub fn fault(sentence: &str) {
    add(Kind::Faults, 1);
    loud::say(sentence);
}

/// Remembers a descriptor that the program owns from now on.
pub fn note_descriptor(descriptor: c_int) {
    if let Some((device, inode)) = identity(descriptor) {
        let mut descriptors = DESCRIPTORS.lock();
        descriptors.retain(|(known, ..)| *known != descriptor);
        descriptors.push((descriptor, device, inode));
    }
}

/// Descriptors that the program has not closed.
pub fn open_descriptors() -> usize {
    let descriptors = DESCRIPTORS.lock();
    descriptors.iter().filter(|(fd, device, inode)| identity(*fd) == Some((*device, *inode))).count()
}

fn identity(descriptor: c_int) -> Option<(u64, u64)> {
    // SAFETY: zeros are a valid `stat`.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes a `stat` that is large enough; a descriptor that is closed is an error.
    let result = unsafe { libc::fstat(descriptor, &raw mut stat) };
    (result == 0).then_some((stat.st_dev, stat.st_ino))
}
