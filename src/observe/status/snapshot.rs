//! What a page says, read by another process. Its bytes are those of another process, and are checked.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::failure::FailureKind;
use super::layout::{COUNTER, CommWords, PageWords, USED, halves};
use super::operations::{self, OperationSnapshot};
use super::progress::{self, Progress};
use super::wait::{self, WaitSnapshot};
use crate::base::{Call, CallKind, Rank};
use crate::sys::ticks::{Moment, Scale, Ticks};

/// A page at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The process.
    pub pid: u32,
    /// Number of the job.
    pub job: u64,
    /// Rank in the job.
    pub rank: Rank,
    /// Number of ranks of the job.
    pub size: u32,
    /// Number of hosts of the job.
    pub hosts: u32,
    /// Number of the process's PID namespace, which `pid` and the texts of waits are of; 0: not known.
    pub pid_namespace: u64,
    /// Whether ranks of a host have several PID namespaces.
    pub are_apart: bool,
    /// Names of these hosts, as many as the page can hold.
    pub host_names: Vec<String>,
    /// When this was read, in nanoseconds of its host's CLOCK_MONOTONIC.
    pub read_at: u64,
    /// When that clock was zero, in nanoseconds since the Unix epoch.
    pub clock_zero: u64,
    /// The communicators.
    pub comms: Vec<CommSnapshot>,
    /// The waits that last long.
    pub waits: Vec<WaitSnapshot>,
    /// The last collective calls, in their order.
    pub operations: Vec<OperationSnapshot>,
    /// The last messages, in their order.
    pub messages: Vec<OperationSnapshot>,
    /// How far those have come that move many bytes, by their numbers.
    pub progress: BTreeMap<u64, Progress>,
}

/// A communicator of a [`Snapshot`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommSnapshot {
    /// Number that all its ranks know it by.
    pub context: u32,
    /// Number of the group of its ranks.
    pub group: u64,
    /// Its name.
    pub name: String,
    /// Rank of the process.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// Number of collective calls that were made.
    pub made: u64,
    /// Number of these calls of each kind, by its name.
    pub made_by_kind: BTreeMap<&'static str, u64>,
    /// The last of them.
    pub last: Option<Call>,
    /// How it has failed, if it has.
    pub failure: Option<FailureKind>,
    /// Why.
    pub reason: String,
    /// Its ranks as ranks of the job, in their order; those from 1024 on are left out.
    pub members: Vec<Rank>,
}

impl Snapshot {
    /// The last operation on a communicator, if the page still has it.
    pub fn last_operation(&self, context: u32) -> Option<&OperationSnapshot> {
        self.operations.iter().rev().find(|operation| operation.context == context)
    }
}

fn of(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

/// What the page of an engine of this process says. The engine is locked.
pub(super) fn read_own(page: &PageWords) -> Snapshot {
    snapshot(page, &ReadTime::now(page), true)
}

/// When a page was read, on the clocks of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadTime {
    /// The clock of the page, and the monotonic one.
    pub moment: Moment,
    /// When the monotonic clock was zero, in nanoseconds since the Unix epoch.
    pub clock_zero: u64,
}

impl ReadTime {
    /// The time now, for a page of this host.
    pub fn now(page: &PageWords) -> ReadTime {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let moment = clock_of(page).moment();
        ReadTime { moment, clock_zero: epoch.saturating_sub(moment.nanoseconds) }
    }
}

fn clock_of(page: &PageWords) -> Ticks {
    if of(&page.clock) == COUNTER { Ticks::Counter } else { Ticks::Coarse }
}

/// What a page says that was read at that time. `is_still`: nothing but operations has changed meanwhile.
pub(super) fn snapshot(page: &PageWords, read: &ReadTime, is_still: bool) -> Snapshot {
    let (rank, size) = halves(of(&page.rank));
    let from = Moment { ticks: of(&page.taken_at[0]), nanoseconds: of(&page.taken_at[1]) };
    let scale = Scale::new(clock_of(page), from, read.moment);
    let read_at = read.moment.nanoseconds;
    let comms = page.comms.iter().filter_map(|words| comm(words, is_still));
    let operations = operations::read(&page.operations, &scale);
    let far =
        |one: &OperationSnapshot| Some((one.number, progress::read(&page.progress, one.number, &scale)?));
    Snapshot {
        pid: of(&page.pid) as u32,
        job: of(&page.job),
        rank,
        size,
        hosts: of(&page.hosts) as u32,
        pid_namespace: of(&page.pid_namespace),
        are_apart: of(&page.are_apart) != 0,
        host_names: page.host_names.read().split_whitespace().map(str::to_string).collect(),
        read_at,
        clock_zero: read.clock_zero,
        comms: comms.collect(),
        waits: page
            .waits
            .iter()
            .filter(|_| is_still)
            .filter_map(|words| wait::read(words, read_at))
            .collect(),
        progress: operations.iter().filter_map(far).collect(),
        operations,
        messages: operations::read(&page.messages, &scale),
    }
}

/// A communicator, unless its place is free.
fn comm(words: &CommWords, is_still: bool) -> Option<CommSnapshot> {
    let context = of(&words.context);
    let (rank, size) = halves(of(&words.rank));
    let made = of(&words.made);
    let call = [of(&words.call[0]), of(&words.call[1])];
    let failure = FailureKind::from_number(words.failure.load(Ordering::Acquire));
    let bits = words.members.iter().zip(0u32..).flat_map(|(word, at)| {
        let word = of(word);
        (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| 64 * at + bit)
    });
    let mut made_by_kind = BTreeMap::new();
    for (count, number) in words.made_by_kind.iter().map(of).zip(0..).filter(|(count, _)| *count > 0) {
        if let Some(kind) = CallKind::from_number(number) {
            let sum: &mut u64 = made_by_kind.entry(kind.name()).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    (context & USED != 0).then(|| CommSnapshot {
        context: context as u32,
        group: of(&words.group),
        name: words.name.read(),
        rank,
        size,
        made,
        made_by_kind,
        last: if made > 0 && is_still { Call::unpack(call) } else { None },
        failure,
        reason: if failure.is_some() { words.reason.read() } else { String::new() },
        members: bits.collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::super::held::HeldPage;
    use super::super::layout::{FILE_BYTES, KEPT, PAGE_BYTES};
    use super::super::operations::ShownEnd;
    use super::super::page::{CommIdentity, Identity, StatusPage};
    use super::super::page_file::PageFile;
    use super::super::wait::PeerLink;
    use super::*;
    use crate::base::{CallKind, Collective, Datatype, Error};
    use crate::sys::clock;

    fn all() -> Vec<Snapshot> {
        let files = PageFile::all_of(std::process::id()).unwrap();
        files.iter().flat_map(PageFile::pages).map(|page| page.unwrap().snapshot()).collect()
    }

    fn mine(job: u64) -> Snapshot {
        all().into_iter().find(|snapshot| snapshot.job == job).expect("a page of this test")
    }

    fn page(job: u64) -> StatusPage {
        StatusPage::create(Identity { job, rank: 2, size: 3, hosts: &["a".into(), "b".into()] }).unwrap()
    }

    fn about(context: u32) -> CommIdentity<'static> {
        CommIdentity { context, group: 8, name: "part\n\u{1b}[31m", rank: 1, size: 2, members: &[0, 2, 70] }
    }

    fn call(count: u64) -> Call {
        let kind = CallKind::Collective(Collective::AllGather);
        Call { kind, datatype: Datatype::Int32, op: None, root: 0, count }
    }

    #[test]
    fn calls_and_waits_are_read_as_they_were_written() {
        let page = page(71);
        let slot = page.add_comm(&about(9));
        assert_eq!(mine(71).comms[0].last, None);
        slot.note(16, &call(5).pack(), ShownEnd::Open);
        let wait = page.add_wait().unwrap();
        let link =
            |peer, reads| PeerLink { peer, reads, writes: !reads, transport: "tcp", sent: 5, received: 6 };
        wait.show_links(&[link(0, false), link(1, true), link(7, true)]);
        wait.show_links(&[0, 1].map(|peer| link(peer, peer == 1)));
        wait.describe(9, Some(16), Duration::from_secs(5), &"ä".repeat(1000));
        let read = mine(71);
        assert_eq!((read.rank, read.size, read.hosts, read.pid), (2, 3, 2, std::process::id()));
        assert_eq!(read.host_names, ["a", "b"]);
        assert_eq!((read.pid_namespace, read.are_apart), (crate::sys::host::pid_namespace(), false));
        let comm = &read.comms[0];
        assert_eq!((comm.group, &comm.members[..]), (8, &[0, 2, 70][..]));
        assert_eq!((comm.context, comm.rank, comm.size, comm.made), (9, 1, 2, 17));
        assert_eq!((comm.last, comm.failure), (Some(call(5)), None));
        assert_eq!(comm.name, "part  [31m");
        assert_eq!(comm.made_by_kind, BTreeMap::from([("all_gather", 1)]));
        assert_eq!((read.waits[0].context, read.waits[0].call), (9, Some(16)));
        assert!(read.waits[0].silence >= Duration::from_secs(5));
        assert_eq!(read.waits[0].text, "ä".repeat(496));
        let links = read.waits[0].links.iter();
        let facts = links.map(|link| (link.peer, link.reads, link.writes, link.sent, link.received));
        assert_eq!(facts.collect::<Vec<_>>(), [(0, false, true, 5, 6), (1, true, false, 5, 6)]);
        assert!(read.waits[0].links.iter().all(|link| link.transport == "tcp"));
        slot.note_failure(&Error::Mismatch("they differ".into()));
        page.note_pid_namespaces();
        drop(wait);
        let read = mine(71);
        assert_eq!(read.comms[0].failure, Some(FailureKind::Mismatch));
        assert_eq!((read.comms[0].reason.as_str(), read.are_apart), ("they differ", true));
        assert!(read.waits.is_empty());
        drop(slot);
        assert!(mine(71).comms.is_empty());
    }

    #[test]
    fn the_last_operations_are_read_with_their_times_and_ends() {
        let page = page(73);
        let (one, other) = (page.add_comm(&about(1)), page.add_comm(&about(2)));
        let start = clock::monotonic_nanoseconds();
        one.note(0, &call(10).pack(), ShownEnd::Soon);
        other.note(0, &call(11).pack(), ShownEnd::Open);
        let second = page.latest_operation();
        one.note(1, &call(12).pack(), ShownEnd::Soon);
        page.note_latest_goes_on();
        page.note_moved(second);
        page.note_end(second, true);
        page.note_progress(3, || 100, 10);
        page.note_progress(3, || unreachable!("it has its place"), 30);
        let read = mine(73);
        let progress: Vec<_> = read.progress.iter().map(|(at, far)| (*at, far.asked, far.moved)).collect();
        assert_eq!(progress, [(3, 100, 30)]);
        let facts = |operation: &OperationSnapshot| {
            let OperationSnapshot { number, context, call_number, call, .. } = operation;
            (*number, *context, *call_number, call.count, operation.has_ended, operation.has_failed)
        };
        let found: Vec<_> = read.operations.iter().map(facts).collect();
        let expected = [(1, 1, 0, 10, true, false), (2, 2, 0, 11, true, true), (3, 1, 1, 12, false, false)];
        assert_eq!(found, expected);
        // Times of two readings differ by nanoseconds, because each reads the clocks itself.
        assert_eq!(page.snapshot().operations.iter().map(facts).collect::<Vec<_>>(), expected);
        // The coarse clock may lag behind.
        let started = start.saturating_sub(20_000_000);
        let [first, second, third] = read.operations.as_slice() else { panic!("{found:?}") };
        for (before, after) in [
            (Some(started), first.began),
            (first.began, first.ended),
            (first.ended, second.began),
            (second.began, third.began),
            (third.began, second.moved),
            (second.moved, second.ended),
            (second.ended, Some(read.read_at)),
        ] {
            assert!(before.unwrap() <= after.unwrap(), "{:?}", read.operations);
        }
        assert_eq!((first.moved, third.moved, third.ended), (None, None, None));
        assert_eq!(read.last_operation(1), Some(third));
        assert_eq!(read.last_operation(3), None);
    }

    #[test]
    fn the_recorder_keeps_the_last_operations_and_a_late_end_spoils_none() {
        let page = page(74);
        let slot = page.add_comm(&about(1));
        for number in 0..KEPT as u32 + 50 {
            slot.note(number, &call(u64::from(number)).pack(), ShownEnd::Open);
        }
        // Their lines belong to others by now.
        page.note_end(1, true);
        page.note_moved(50);
        page.note_end(0, true);
        let read = mine(74).operations;
        assert_eq!((read.len(), read[0].number), (KEPT, 51));
        assert!(read.iter().zip(50..).all(|(operation, call_number)| operation.call_number == call_number));
        assert!(read.iter().all(|operation| !operation.has_ended && operation.moved.is_none()));
        // The next owner of the page begins without them.
        drop((slot, page));
        assert!(self::page(75).snapshot().operations.is_empty());
    }

    #[test]
    fn communicators_and_waits_beyond_the_places_are_left_out_but_not_their_operations() {
        let page = page(72);
        let comms: Vec<_> = (0..70).map(|context| page.add_comm(&about(context))).collect();
        comms[69].note(3, &call(1).pack(), ShownEnd::Open);
        let mut waits = Vec::new();
        for context in 0..20 {
            if let Some(wait) = page.add_wait() {
                wait.describe(context, None, Duration::ZERO, "");
                waits.push(wait);
            }
        }
        assert_eq!(waits.len(), 16);
        let read = mine(72);
        assert_eq!((read.comms.len(), read.waits.len()), (64, 16));
        assert!(read.comms.iter().all(|comm| comm.made == 0));
        assert_eq!((read.operations[0].context, read.operations[0].call_number), (69, 3));
    }

    #[test]
    fn only_a_process_with_the_page_of_that_rank_is_held() {
        let (_page, pid) = (page(76), std::process::id());
        let fd = StatusPage::descriptor().unwrap();
        assert!(HeldPage::of((pid, fd), 76, 2).is_some());
        assert!(HeldPage::of((pid, fd), 76, 1).is_none() && HeldPage::of((pid, fd), 77, 2).is_none());
        assert!(HeldPage::of((pid, 0), 76, 2).is_none(), "another file");
        assert!(HeldPage::of((u32::MAX, fd), 76, 2).is_none(), "no process");
    }

    #[test]
    fn what_is_not_a_page_is_not_read() {
        let shared = |len| crate::sys::shared_memory::SharedMemory::create(len).unwrap();
        let (_memory, fd) = shared(FILE_BYTES);
        assert_eq!(PageFile::new(File::from(fd)).unwrap().pages().count(), 0, "no magic");
        let (_memory, fd) = shared(PAGE_BYTES);
        assert!(PageFile::new(File::from(fd)).is_err(), "another length");
        assert!(PageFile::new(File::open("/proc/self/exe").unwrap()).is_err(), "no memfd");
        assert!(PageFile::all_of(u32::MAX).is_err(), "no process");
    }

    #[test]
    fn any_bytes_behind_the_magic_are_read_without_harm() {
        use std::os::unix::fs::FileExt;
        for seed in 1..=20u64 {
            let (_memory, fd) = crate::sys::shared_memory::SharedMemory::create(FILE_BYTES).unwrap();
            let file = File::from(fd);
            let mut bytes = vec![0; PAGE_BYTES];
            let mut number = seed;
            for word in bytes.chunks_exact_mut(8) {
                number = crate::base::mix(number);
                // Small numbers and ones in the places of larger ones, too.
                word.copy_from_slice(&(number >> (number % 64)).to_le_bytes());
            }
            let at = std::mem::offset_of!(PageWords, magic);
            bytes[at..at + 8].copy_from_slice(&super::super::layout::MAGIC.to_le_bytes());
            file.write_all_at(&bytes, PAGE_BYTES as u64).unwrap();
            let file = PageFile::new(file).unwrap();
            let read: Vec<_> = file.pages().map(|page| page.unwrap().snapshot()).collect();
            assert_eq!(read.len(), 1);
            let text = super::super::dump::text(&read[0], "\u{7}\"");
            assert!(!text.contains('\u{7}') && text.contains("\\u0007\\\""));
        }
    }
}
