//! The page of an engine, which this process writes.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::failure::FailureKind;
use super::layout::{
    COUNTER, CommWords, FILE_BYTES, FileWords, HostNames, KINDS, LISTED, MAGIC, NAME, PageWords, USED, pair,
};
use super::lease::Lease;
use super::operations::{MessageSide, Recorder, ShownEnd};
use super::progress;
use super::snapshot::{Snapshot, read_own};
use super::wait::WaitSlot;
use crate::base::{Error, Rank};
use crate::sys::host;
use crate::sys::owned::Owned;
use crate::sys::per_process::PerProcess;
use crate::sys::shared_memory::SharedMemory;
use crate::sys::ticks::Ticks;

/// What a page says of its job.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// Random number of the job, the same on all of its ranks.
    pub job: u64,
    /// Rank in the job.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// Its hosts, each once.
    pub hosts: &'a [String],
}

/// What a page says of a communicator.
#[derive(Clone, Copy, Debug)]
pub struct CommIdentity<'a> {
    /// Number that all its ranks know it by. Communicators of different ranks may have the same.
    pub context: u32,
    /// Number of the group of its ranks, the same on all of them.
    pub group: u64,
    /// Its name.
    pub name: &'a str,
    /// Rank of this process.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// Its ranks as ranks of the job.
    pub members: &'a [Rank],
}

/// Names of hosts, with spaces in between: as many as a page can hold.
fn names_that_fit(hosts: &[String]) -> String {
    let mut text = String::new();
    for host in hosts.iter().filter(|host| !host.contains(char::is_whitespace)) {
        if text.len() + host.len() + 1 > HostNames::BYTES {
            break;
        }
        text = if text.is_empty() { host.to_string() } else { text + " " + host };
    }
    text
}

/// The page of an engine. Only the thread that has locked the engine writes to it.
#[derive(Debug)]
pub struct StatusPage(Arc<Lease>);

/// The pages of this process.
struct StatusFile {
    memory: SharedMemory,
    /// Readers open it by its name in `/proc`.
    file: Owned<OwnedFd>,
    ticks: Ticks,
}

impl StatusFile {
    fn create() -> io::Result<StatusFile> {
        let (memory, file) = SharedMemory::create_named(NAME, FILE_BYTES)?;
        Ok(StatusFile { memory, file: Owned::new(file), ticks: Ticks::detect() })
    }

    fn pages(&self) -> &FileWords {
        // SAFETY: the mapping begins at a page and has `FILE_BYTES` bytes. It lives as long as `self`. All
        // words are atomics, for which any bits are valid.
        unsafe { &*self.memory.start().cast::<FileWords>() }
    }
}

static FILE: PerProcess<io::Result<StatusFile>> = PerProcess::new();

impl StatusPage {
    /// Takes a page for an engine; none if all are taken, or the process has no memory for them.
    pub fn create(identity: Identity) -> Option<StatusPage> {
        let here = FILE.get_or(StatusFile::create);
        // Acquire: what its last owner wrote is complete.
        let take = |page: &&PageWords| {
            page.taken.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        let file = here.value.as_ref().ok()?;
        let words = file.pages().iter().find(take)?;
        let is_fresh = words.taken_at[1].load(Ordering::Relaxed) == 0;
        let recorder = Recorder::new(&words.operations, file.ticks, is_fresh);
        let messages = Recorder::new(&words.messages, file.ticks, is_fresh);
        words.progress.iter().for_each(|place| place.operation.store(0, Ordering::Relaxed));
        words.pid.store(u64::from(std::process::id()), Ordering::Relaxed);
        words.job.store(identity.job, Ordering::Relaxed);
        words.rank.store(pair(identity.rank, identity.size), Ordering::Relaxed);
        words.hosts.store(identity.hosts.len() as u64, Ordering::Relaxed);
        words.host_names.write(&names_that_fit(identity.hosts));
        words.pid_namespace.store(host::pid_namespace(), Ordering::Relaxed);
        words.are_apart.store(0, Ordering::Relaxed);
        words.clock.store(if file.ticks == Ticks::Counter { COUNTER } else { 0 }, Ordering::Relaxed);
        let now = file.ticks.moment();
        words.taken_at[0].store(now.ticks, Ordering::Relaxed);
        words.taken_at[1].store(now.nanoseconds, Ordering::Relaxed);
        words.magic.store(MAGIC, Ordering::Release);
        Some(StatusPage(Arc::new(Lease { words, epoch: here.epoch, ticks: file.ticks, recorder, messages })))
    }

    /// The descriptor by which this process has the pages of its engines, if it has any.
    pub fn descriptor() -> Option<RawFd> {
        FILE.get_or(StatusFile::create).value.as_ref().ok().map(|file| file.file.as_raw_fd())
    }

    /// Says that ranks of a host do not see each other's processes.
    pub fn note_pid_namespaces(&self) {
        self.0.words.are_apart.store(1, Ordering::Relaxed);
    }

    /// Takes a place for a communicator. If all are taken, only its operations are shown.
    pub fn add_comm(&self, about: &CommIdentity) -> CallSlot {
        let CommIdentity { context, .. } = *about;
        let PageWords { comms, other_comms, .. } = self.0.words;
        let free = comms.iter().find(|comm| comm.context.load(Ordering::Relaxed) == 0);
        let comm = free.unwrap_or(other_comms);
        comm.rank.store(pair(about.rank, about.size), Ordering::Relaxed);
        comm.group.store(about.group, Ordering::Relaxed);
        comm.made.store(0, Ordering::Relaxed);
        comm.made_by_kind.iter().for_each(|count| count.store(0, Ordering::Relaxed));
        comm.failure.store(0, Ordering::Relaxed);
        comm.name.write(about.name);
        for (at, word) in comm.members.iter().enumerate() {
            let first = 64 * at as u32;
            let here = about.members.iter().filter(|member| (first..first + 64).contains(member));
            word.store(here.fold(0, |word, member| word | 1 << (member - first)), Ordering::Relaxed);
        }
        debug_assert_eq!(comm.members.len() as u32 * 64, LISTED);
        if free.is_some() {
            comm.context.store(u64::from(context) | USED, Ordering::Release);
        }
        CallSlot { words: comm, context, page: Arc::clone(&self.0) }
    }

    /// Number of the operation that was recorded last.
    #[inline]
    pub fn latest_operation(&self) -> u64 {
        self.0.recorder.latest()
    }

    /// Notes that the operation which was recorded last is still under way, though it was to end soon.
    pub fn note_latest_goes_on(&self) {
        self.0.recorder.reopen_latest();
    }

    /// Notes that an operation has moved its first byte.
    pub fn note_moved(&self, operation: u64) {
        self.0.recorder.note_moved(operation);
    }

    /// Notes how far an operation has come that moves many bytes. `asked` returns how many it moves in all.
    pub fn note_progress(&self, operation: u64, asked: impl FnOnce() -> u64, moved: u64) {
        progress::write(&self.0.words.progress, self.0.ticks, operation, asked, moved);
    }

    /// Notes that an operation has ended.
    pub fn note_end(&self, operation: u64, has_failed: bool) {
        self.0.recorder.end(operation, has_failed);
    }

    /// Notes that a message begins, or has ended with its begin. `call` is packed, and its root is the tag.
    // Not inlined, as `CallSlot::note`.
    #[inline(never)]
    pub fn note_message(&self, context: u32, side: MessageSide, call: &[u64; 2], end: ShownEnd) {
        self.0.messages.begin_message(pair(context, 0), call, side, end);
    }

    /// Number of the message that was recorded last.
    pub fn latest_message(&self) -> u64 {
        self.0.messages.latest()
    }

    /// Takes the message back that was recorded last: it has not begun.
    pub fn retract_message(&self) {
        self.0.messages.retract_latest();
    }

    /// Notes that the message which was recorded last is still under way, though it was to end soon.
    pub fn note_message_goes_on(&self) {
        self.0.messages.reopen_latest();
    }

    /// Notes that a message has ended. `got`: what a receive has got.
    pub fn note_message_end(&self, number: u64, has_failed: bool, got: Option<(MessageSide, [u64; 2])>) {
        if let Some((side, call)) = got {
            self.0.messages.note_message(number, &call, side);
        }
        self.0.messages.end(number, has_failed);
    }

    /// What the page says now.
    pub fn snapshot(&self) -> Snapshot {
        read_own(self.0.words)
    }

    /// Takes a place for a wait; none if all are taken.
    pub fn add_wait(&self) -> Option<WaitSlot> {
        let waits = &self.0.words.waits;
        // Acquire: a thread that has freed the place writes nothing to it any more.
        let at = waits.iter().position(|wait| wait.since.load(Ordering::Acquire) == 0)?;
        Some(WaitSlot::new(&waits[at], Arc::clone(&self.0)))
    }
}

/// The place of a communicator, which is free again when this is dropped.
#[derive(Debug)]
pub struct CallSlot {
    words: &'static CommWords,
    context: u32,
    page: Arc<Lease>,
}

impl CallSlot {
    /// Notes a packed call by its number.
    // Not inlined: it needs registers that its callers use, and a call is cheaper than to save them.
    #[inline(never)]
    pub fn note(&self, number: u32, call: &[u64; 2], end: ShownEnd) {
        let words = self.words;
        let of_kind = &words.made_by_kind[call[0] as usize % KINDS];
        // Wrapping: another process may have written anything.
        of_kind.store(of_kind.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        words.call[0].store(call[0], Ordering::Relaxed);
        words.call[1].store(call[1], Ordering::Relaxed);
        words.made.store(u64::from(number) + 1, Ordering::Release);
        self.page.recorder.begin(pair(self.context, number), call, end);
    }

    /// Notes that the communicator has failed.
    pub fn note_failure(&self, error: &Error) {
        self.words.reason.write(&error.to_string());
        self.words.failure.store(FailureKind::of(error) as u64, Ordering::Release);
    }
}

impl Drop for CallSlot {
    fn drop(&mut self) {
        if self.page.is_here() {
            self.words.context.store(0, Ordering::Release);
        }
    }
}
