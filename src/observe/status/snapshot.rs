//! What a page says, read by another process. Its bytes are those of another process, and are checked.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::layout::{FILE_BYTES, MAGIC, NAME, NO_CALL, PAGE_BYTES, PageWords, USED, WaitWords, halves};
use crate::base::{Call, Rank};
use crate::sys::clock;
use crate::sys::shared_memory::sealed_size;

/// A page at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The process.
    pub pid: u32,
    /// Number of the job.
    pub job: u64,
    /// Which page of the process it is, in the order in which they were made.
    pub order: u64,
    /// Rank in the job.
    pub rank: Rank,
    /// Number of ranks of the job.
    pub size: u32,
    /// Number of hosts of the job.
    pub hosts: u32,
    /// The communicators.
    pub comms: Vec<CommSnapshot>,
    /// The waits that last long.
    pub waits: Vec<WaitSnapshot>,
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
    /// The last of them.
    pub last: Option<Call>,
    /// Whether it has failed.
    pub has_failed: bool,
}

/// A wait of a [`Snapshot`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitSnapshot {
    /// Number of the communicator.
    pub context: u32,
    /// Number of the call; none for a message.
    pub call: Option<u32>,
    /// How long nothing has moved.
    pub silence: Duration,
    /// What is waited for.
    pub text: String,
}

impl Snapshot {
    /// The pages of a process, in the order in which they were made. It is an error if the process is gone,
    /// or is not of this user.
    pub fn of_process(pid: u32) -> io::Result<Vec<Snapshot>> {
        let name = format!("/memfd:{} (deleted)", NAME.to_string_lossy());
        let (mut found, mut files) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
            let Ok(path) = entry.map(|entry| entry.path()) else { continue };
            // Not to wait, should it be another file by now.
            let open = || OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
            if fs::read_link(&path).is_ok_and(|target| target.to_str() == Some(&name))
                && let Ok(file) = open()
                && let Ok(data) = file.metadata()
                // A process may have a file twice, and files of several of anyccl's libraries.
                && !files.contains(&(data.dev(), data.ino()))
                && let Ok(pages) = read(file)
            {
                files.push((data.dev(), data.ino()));
                // A child of fork may have the file of its parent.
                found.extend(pages.into_iter().filter(|page| page.pid == pid));
            }
        }
        found.sort_by_key(|snapshot| snapshot.order);
        Ok(found)
    }
}

/// Looks at a page until two in a row have the same calls and waits.
const MOST_LOOKS: u32 = 10;

/// Reads the pages of a file. It is an error if it is none of this library's.
fn read(file: File) -> io::Result<Vec<Snapshot>> {
    let descriptor = OwnedFd::from(file);
    if sealed_size(&descriptor)? != FILE_BYTES as u64 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let file = File::from(descriptor);
    let mut found = Vec::new();
    for number in 0..FILE_BYTES / PAGE_BYTES {
        found.extend(read_page(&file, number)?);
    }
    Ok(found)
}

/// Reads a page; none if no engine has it.
fn read_page(file: &File, number: usize) -> io::Result<Option<Snapshot>> {
    let mut before = Copied::of(file, number)?;
    for _ in 0..MOST_LOOKS {
        if before.words().magic.load(Ordering::Relaxed) != MAGIC {
            return Ok(None);
        }
        let mut after = Copied::of(file, number)?;
        let is_still = before.words().counts().eq(after.words().counts());
        if is_still {
            return Ok(Some(snapshot(before.words(), true)));
        }
        before = after;
    }
    Ok(Some(snapshot(before.words(), false)))
}

impl PageWords {
    /// The numbers that change with what they belong to.
    fn counts(&self) -> impl Iterator<Item = u64> {
        let of_comms = self.comms.iter().map(|comm| comm.made.load(Ordering::Relaxed));
        of_comms.chain(self.waits.iter().map(|wait| wait.version.load(Ordering::Relaxed)))
    }
}

/// What a page says. `is_still`: nothing has changed while it was read.
fn snapshot(page: &PageWords, is_still: bool) -> Snapshot {
    let (rank, size) = halves(page.rank.load(Ordering::Relaxed));
    let comms = page.comms.iter().filter_map(|comm| {
        let context = comm.context.load(Ordering::Relaxed);
        let (rank, size) = halves(comm.rank.load(Ordering::Relaxed));
        let made = comm.made.load(Ordering::Relaxed);
        let call = [0, 1].map(|half| comm.call[half].load(Ordering::Relaxed));
        (context & USED != 0).then(|| CommSnapshot {
            context: context as u32,
            group: comm.group.load(Ordering::Relaxed),
            name: comm.name.read(),
            rank,
            size,
            made,
            last: if made > 0 && is_still { Call::unpack(call) } else { None },
            has_failed: comm.has_failed.load(Ordering::Relaxed) != 0,
        })
    });
    Snapshot {
        pid: page.pid.load(Ordering::Relaxed) as u32,
        job: page.job.load(Ordering::Relaxed),
        order: page.order.load(Ordering::Relaxed),
        rank,
        size,
        hosts: page.hosts.load(Ordering::Relaxed) as u32,
        comms: comms.collect(),
        waits: page.waits.iter().filter(|_| is_still).filter_map(wait).collect(),
    }
}

/// A wait, unless its place is free or was just being written.
fn wait(words: &WaitWords) -> Option<WaitSnapshot> {
    let since = words.since.load(Ordering::Relaxed);
    if since == 0 || words.version.load(Ordering::Relaxed) % 2 == 1 {
        return None;
    }
    let number = words.number.load(Ordering::Relaxed);
    Some(WaitSnapshot {
        context: words.context.load(Ordering::Relaxed) as u32,
        call: (number != NO_CALL).then_some(number as u32),
        silence: Duration::from_nanos(clock::monotonic_nanoseconds().saturating_sub(since)),
        text: words.text.read(),
    })
}

/// The bytes of a page, aligned as its words.
struct Copied(Box<MaybeUninit<PageWords>>);

impl Copied {
    fn of(file: &File, number: usize) -> io::Result<Copied> {
        let mut words = Box::<PageWords>::new_zeroed();
        // SAFETY: the box has that many bytes, all zero, which may have any value, and is borrowed as long as
        // they are.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), PAGE_BYTES) };
        file.read_exact_at(bytes, (number * PAGE_BYTES) as u64)?;
        Ok(Copied(words))
    }

    fn words(&mut self) -> &PageWords {
        // SAFETY: all bytes are initialized, and any bits are valid.
        unsafe { self.0.assume_init_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::{CommIdentity, Identity, StatusPage};
    use super::*;
    use crate::base::{CallKind, Collective, Datatype};

    fn mine(order: u64) -> Snapshot {
        let all = Snapshot::of_process(std::process::id()).unwrap();
        all.into_iter().find(|snapshot| snapshot.job == order).expect("a page of this test")
    }

    fn page(job: u64) -> StatusPage {
        StatusPage::create(Identity { job, rank: 2, size: 3, hosts: 1 }).unwrap()
    }

    #[test]
    fn calls_and_waits_are_read_as_they_were_written() {
        let page = page(71);
        let about = CommIdentity { context: 9, group: 8, name: "part\n\u{1b}[31m", rank: 1, size: 2 };
        let slot = page.add_comm(&about).unwrap();
        let call = Call {
            kind: CallKind::Collective(Collective::AllGather),
            datatype: Datatype::Int32,
            op: None,
            root: 0,
            count: 5,
        };
        assert_eq!(mine(71).comms[0].last, None);
        slot.note(16, call.pack());
        let wait = page.add_wait().unwrap();
        wait.describe(9, Some(16), Duration::from_secs(5), &"ä".repeat(1000));
        let read = mine(71);
        assert_eq!((read.rank, read.size, read.hosts, read.pid), (2, 3, 1, std::process::id()));
        let comm = &read.comms[0];
        assert_eq!(comm.group, 8);
        assert_eq!((comm.context, comm.rank, comm.size, comm.made), (9, 1, 2, 17));
        assert_eq!((comm.last, comm.has_failed), (Some(call), false));
        assert_eq!(comm.name, "part  [31m");
        assert_eq!((read.waits[0].context, read.waits[0].call), (9, Some(16)));
        assert!(read.waits[0].silence >= Duration::from_secs(5));
        assert_eq!(read.waits[0].text, "ä".repeat(496));
        slot.note_failure();
        drop(wait);
        assert!(mine(71).comms[0].has_failed && mine(71).waits.is_empty());
        drop(slot);
        assert!(mine(71).comms.is_empty());
    }

    #[test]
    fn communicators_and_waits_beyond_the_places_are_left_out() {
        let page = page(72);
        let comms: Vec<_> = (0..70)
            .filter_map(|context| {
                page.add_comm(&CommIdentity { context, group: 0, name: "c", rank: 0, size: 1 })
            })
            .collect();
        let mut waits = Vec::new();
        for context in 0..20 {
            if let Some(wait) = page.add_wait() {
                wait.describe(context, None, Duration::ZERO, "");
                waits.push(wait);
            }
        }
        assert_eq!((comms.len(), waits.len()), (64, 16));
        assert_eq!((mine(72).comms.len(), mine(72).waits.len()), (64, 16));
    }

    #[test]
    fn what_is_not_a_page_is_not_read() {
        let (_memory, fd) = crate::sys::shared_memory::SharedMemory::create(FILE_BYTES).unwrap();
        assert!(read(File::from(fd)).unwrap().is_empty(), "no magic");
        let (_memory, fd) = crate::sys::shared_memory::SharedMemory::create(PAGE_BYTES).unwrap();
        assert!(read(File::from(fd)).is_err(), "another length");
        assert!(read(File::open("/proc/self/exe").unwrap()).is_err(), "no memfd");
        assert!(Snapshot::of_process(u32::MAX).is_err(), "no process");
    }
}
