//! `ANYCCL_TRACE`, `ANYCCL_RECORD`: the time line of a rank as a file, in the trace format of Chrome, which
//! Perfetto reads.
//!
//! A trace has rounds and messages of collectives; a recording has none. Both have what repeats a call: its
//! arguments, the thread that made it, and when the program waited for it. So `anyccl simulate --replay` and
//! `anyccl perf --replay` read both, and so does `anyccl trace report`.
//!
//! A call is a bar, the rounds of its plan lie in it, and messages have rows of their own, one for each peer
//! and direction. Calls that are under way at the same time are in different rows ([`Row::slot`]). Waits for
//! calls that were started before have a row, too.
//!
//! The file is an array of JSON objects, each in a line. The format allows that its end is missing, so a file
//! of a process that was killed can be read. Times are those of the monotonic clock, in microseconds: all
//! processes of a machine read the same. The first object says which machine it is, and what the calendar
//! said. `anyccl trace` puts the files of several machines together.
//!
//! Text is collected in memory (`object_file`), and written when a communicator fails and at the end; whose
//! file it is, at once. `rows` has the rows, and `rounds` finds the rounds of a call.

mod lines;
mod object_file;
mod rounds;
mod rows;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;

use parking_lot::Mutex;

pub use lines::{CallLine, CommLine, thread};

use self::object_file::ObjectFile;
use self::rounds::rounds;
use self::rows::{Row, Subject};
use super::counts::CountedRank;
use super::json::quoted;
use super::trace::{self, Activity};
use crate::base::{Rank, VERSION};
use crate::sys::per_process::PerProcess;
use crate::sys::{at_exit, clock, host};

/// Beginning of the names of the files.
pub const FILE_PREFIX: &str = "trace-";
/// Version of the arguments of calls in the file. Readers refuse larger ones.
pub const FORMAT: u32 = 1;
/// How long the end of the process waits for a thread that is in a call.
const PATIENCE: Duration = Duration::from_millis(100);

/// The time line of one rank.
#[derive(Debug)]
pub struct Timeline {
    objects: ObjectFile,
    /// Whether the steps of calls are written.
    pub has_steps: bool,
    rank: Rank,
    /// The time of [`trace::now`] when the monotonic clock was zero.
    zero: u64,
    /// Slots that calls have left.
    free_slots: BinaryHeap<Reverse<usize>>,
    /// Number of slots that there are.
    slots: usize,
    /// Rows that have been named, with their numbers.
    rows: HashMap<Row, usize>,
}

/// A time line that the end of the process also reaches.
pub type SharedTimeline = Arc<Mutex<Timeline>>;

static TIMELINES: PerProcess<Mutex<Vec<SharedTimeline>>> = PerProcess::new();
static AT_EXIT: Once = Once::new();

fn timelines() -> &'static Mutex<Vec<SharedTimeline>> {
    &TIMELINES.get_or(Mutex::default).value
}

/// Holds the lock of the list.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    timelines().lock()
}

/// Begins the file of a rank in a folder, which is made if it is missing. It is written to the end of the
/// process, or until [`end`]. `has_steps`: with the steps of calls.
pub fn begin(folder: &Path, of: CountedRank, hosts: u32, has_steps: bool) -> io::Result<SharedTimeline> {
    let timeline = Timeline { has_steps, ..Timeline::create(folder, of, hosts)? };
    let timeline = Arc::new(Mutex::new(timeline));
    AT_EXIT.call_once(|| at_exit::run(end_at_exit));
    timelines().lock().push(Arc::clone(&timeline));
    Ok(timeline)
}

/// Ends a file.
pub fn end(timeline: &SharedTimeline) {
    timeline.lock().objects.end();
    timelines().lock().retain(|other| !Arc::ptr_eq(other, timeline));
}

/// Ends all files of this process.
pub(crate) extern "C" fn end_at_exit() {
    for timeline in std::mem::take(&mut *timelines().lock()) {
        if let Some(mut timeline) = timeline.try_lock_for(PATIENCE) {
            timeline.objects.end();
        }
    }
}

impl Timeline {
    fn create(folder: &Path, of: CountedRank, hosts: u32) -> io::Result<Timeline> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{FILE_PREFIX}{:016x}-rank-{}.json", of.job, of.rank));
        let objects = ObjectFile::create(path, of.rank)?;
        let monotonic = clock::monotonic_nanoseconds();
        let time = trace::now();
        let mut timeline = Timeline {
            objects,
            has_steps: true,
            rank: of.rank,
            zero: time.saturating_sub(monotonic),
            free_slots: BinaryHeap::new(),
            slots: 0,
            rows: HashMap::new(),
        };
        let (name, process) = (host::host_name(), std::process::id());
        let mut machine = DefaultHasher::new();
        host::machine_id().hash(&mut machine);
        timeline.about(
            "anyccl",
            &format!(
                "\"version\":{},\"format\":{FORMAT},\"job\":\"{:016x}\",\"rank\":{},\"size\":{},\"hosts\":{hosts},\"host\":{},\
                 \"machine\":\"{:016x}\",\"process\":{process},\"monotonic\":{monotonic},\"time\":{time}",
                quoted(VERSION),
                of.job,
                of.rank,
                of.size,
                quoted(&name),
                machine.finish(),
            ),
        );
        timeline.about(
            "process_name",
            &format!("\"name\":{}", quoted(&format!("rank {} (host {name}, pid {process})", of.rank))),
        );
        timeline.about("process_sort_index", &format!("\"sort_index\":{}", of.rank));
        // A file of a rank that is killed soon says at least whose it is.
        timeline.flush();
        Ok(timeline)
    }

    /// Adds facts about the whole file.
    fn about(&mut self, name: &str, facts: &str) {
        let rank = self.rank;
        self.objects
            .push(&format!("\"name\":\"{name}\",\"ph\":\"M\",\"pid\":{rank},\"tid\":0,\"args\":{{{facts}}}"));
    }

    /// Notes a communicator.
    pub fn note_comm(&mut self, comm: &CommLine) {
        self.about(
            "anyccl_communicator",
            &format!(
                "\"context\":{},\"group\":\"{:016x}\",\"name\":{},\"rank\":{},\"ranks\":{:?}",
                comm.context,
                comm.group,
                quoted(comm.name),
                comm.rank,
                comm.members
            ),
        );
    }

    /// Takes the lowest free slot, for a call that begins.
    pub fn take_slot(&mut self) -> usize {
        if let Some(Reverse(slot)) = self.free_slots.pop() {
            return slot;
        }
        self.slots += 1;
        self.slots - 1
    }

    /// Frees the slot of a call that has ended.
    pub fn free_slot(&mut self, slot: usize) {
        self.free_slots.push(Reverse(slot));
    }

    /// Writes a call.
    pub fn note_call(&mut self, call: &CallLine) {
        if !self.objects.is_open() {
            return;
        }
        let row = |subject| Row { slot: call.slot, subject };
        let mut facts = format!(
            "\"call\":{},\"communicator\":{},\"bytes\":{},\"blocking\":{},\"state\":\"{}\",\"thread\":{}{}",
            quoted(&call.title),
            call.context,
            call.bytes,
            call.is_blocking,
            call.state,
            call.thread,
            call.details,
        );
        let mut add_time = |name, time: u64| {
            let after = microseconds(time.saturating_sub(call.begin));
            write!(facts, ",\"{name}\":{after}").expect("a string takes all");
        };
        if let Some(returned) = call.returned.filter(|_| !call.is_blocking) {
            add_time("returned", returned);
        }
        if let Some((taken, by)) = call.taken.filter(|_| !call.is_blocking) {
            add_time("taken", taken);
            write!(facts, ",\"taken_by\":{by}").expect("a string takes all");
        }
        let mut add = |name, value: Option<u64>| {
            if let Some(value) = value {
                write!(facts, ",\"{name}\":{value}").expect("a string takes all");
            }
        };
        add("number", call.number.map(u64::from));
        add("peer", call.peer.map(u64::from));
        self.bar(row(Subject::Calls), call.name, "call", (call.begin, call.end), &facts);
        if self.has_steps {
            self.note_steps(call);
        }
    }

    fn note_steps(&mut self, call: &CallLine) {
        let row = |subject| Row { slot: call.slot, subject };
        let of_call = format!("\"communicator\":{},\"number\":{}", call.context, call.number.unwrap_or(0));
        for round in rounds(&call.steps) {
            let subject = if round.lane == 0 { Subject::Calls } else { Subject::Lane(round.lane) };
            let facts = format!("{of_call},\"lane\":{},\"round\":{}", round.lane, round.round);
            let name = format!("round {}", round.round);
            let begin = round.begin.max(call.begin);
            self.bar(row(subject), &name, "round", (begin, round.end.min(call.end)), &facts);
        }
        for step in &call.steps {
            let peer = step.peer.unwrap_or(0);
            let (subject, name, category) = match step.activity {
                Activity::Call => continue,
                Activity::Copy => (Subject::Local, "copy".to_string(), "local"),
                Activity::Reduce => (Subject::Local, "reduce".to_string(), "local"),
                Activity::Send => (Subject::To(peer), format!("send to {peer}"), "message"),
                Activity::Receive => (Subject::From(peer), format!("receive from {peer}"), "message"),
                Activity::ReceiveReduce => {
                    (Subject::From(peer), format!("receive and reduce from {peer}"), "message")
                }
            };
            let mut facts = format!("{of_call},\"lane\":{},\"round\":{}", step.lane, step.round);
            write!(facts, ",\"bytes\":{}", step.bytes).expect("a string takes all");
            if category == "message" {
                write!(facts, ",\"peer\":{peer}").expect("a string takes all");
            }
            let span = (step.begin.max(call.begin), step.end.min(call.end));
            self.bar(row(subject), &name, category, span, &facts);
        }
    }

    /// Writes a wait for calls that were started before.
    pub fn note_wait(&mut self, begin: u64, end: u64) {
        // Threads may wait at the same time. They share the row: few programs do that.
        self.bar(
            Row { slot: 0, subject: Subject::Waits },
            "wait",
            "wait",
            (begin, end),
            &format!("\"thread\":{}", thread()),
        );
    }

    fn bar(&mut self, row: Row, name: &str, category: &str, (begin, end): (u64, u64), facts: &str) {
        if !self.objects.is_open() {
            return;
        }
        let number = self.number_of(row);
        let (rank, at) = (self.rank, microseconds(begin.saturating_sub(self.zero)));
        let time = microseconds(end.saturating_sub(begin));
        self.objects.push(&format!(
            "\"name\":\"{name}\",\"cat\":\"{category}\",\"ph\":\"X\",\"pid\":{rank},\"tid\":{number},\"ts\":{at},\
             \"dur\":{time},\"args\":{{{facts}}}"
        ));
    }

    /// The number of a row, which is named on first use.
    fn number_of(&mut self, row: Row) -> usize {
        if let Some(number) = self.rows.get(&row) {
            return *number;
        }
        let number = self.rows.len() + 1;
        self.rows.insert(row, number);
        let (name, order) = (row.name(), row.order());
        let rank = self.rank;
        for facts in [
            format!(
                "\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{rank},\"tid\":{number},\"args\":{{\"name\":\"{name}\"}}"
            ),
            format!(
                "\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":{rank},\"tid\":{number},\"args\":{{\"sort_index\":{order}}}"
            ),
        ] {
            self.objects.push(&facts);
        }
        number
    }

    /// Writes what is in memory.
    pub fn flush(&mut self) {
        self.objects.flush();
    }
}

/// A time in microseconds, to the nanosecond.
fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::path::PathBuf;

    use super::*;
    use crate::sys::owned::Owned;

    const OF: CountedRank = CountedRank { job: 7, rank: 1, size: 2 };

    fn call(timeline: &mut Timeline, begin: u64) {
        let slot = timeline.take_slot();
        timeline.note_call(&CallLine {
            name: "all_reduce",
            title: "all_reduce(float32 sum, count 1)".into(),
            number: Some(3),
            bytes: 4,
            begin: timeline.zero + begin,
            end: timeline.zero + begin + 1500,
            slot,
            is_blocking: true,
            state: "ended",
            ..CallLine::default()
        });
        timeline.free_slot(slot);
    }

    #[test]
    fn a_file_is_complete_without_its_end_and_with_it() {
        let folder = tempfile();
        let mut timeline = Timeline::create(&folder, OF, 1).unwrap();
        call(&mut timeline, 2000);
        timeline.flush();
        let cut = fs::read_to_string(&timeline.objects.path).unwrap();
        assert!(cut.starts_with("[\n{\"name\":\"anyccl\"") && cut.ends_with('}'), "{cut}");
        assert!(cut.contains("\"ts\":2.000,\"dur\":1.500"), "{cut}");
        call(&mut timeline, 4000);
        timeline.objects.end();
        let whole = fs::read_to_string(&timeline.objects.path).unwrap();
        assert!(whole.starts_with(&format!("{cut},\n")) && whole.ends_with("}\n]\n"), "{whole}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn calls_at_the_same_time_have_slots_of_their_own() {
        let folder = tempfile();
        let mut timeline = Timeline::create(&folder, OF, 1).unwrap();
        assert_eq!((timeline.take_slot(), timeline.take_slot()), (0, 1));
        timeline.free_slot(0);
        assert_eq!((timeline.take_slot(), timeline.take_slot()), (0, 2));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_disk_that_is_full_ends_the_trace_and_memory_does_not_grow() {
        let folder = tempfile();
        let mut timeline = Timeline::create(&folder, OF, 1).unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        timeline.objects.file = Some(Owned::new(full));
        call(&mut timeline, 0);
        timeline.flush();
        assert!(timeline.objects.file.is_none());
        for at in 0..1000 {
            call(&mut timeline, at);
        }
        assert!(timeline.objects.text.is_empty());
        timeline.objects.end();
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_older_file_is_not_overwritten() {
        let folder = tempfile();
        let first = Timeline::create(&folder, OF, 1).unwrap();
        // Whose it is stands there at once.
        assert!(fs::read_to_string(&first.objects.path).unwrap().contains("\"size\":"));
        assert!(Timeline::create(&folder, OF, 1).is_err());
        drop(first);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A folder of this test's own, which does not exist yet.
    fn tempfile() -> PathBuf {
        let id = std::thread::current().id();
        let name = format!("anyccl-timeline-{}-{id:?}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        folder
    }
}
