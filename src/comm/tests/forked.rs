//! What runs in a child of fork, while threads that exist in the parent only hold all locks.
//!
//! The head of `sys::fork` has the list of these functions. A child that waits for a lock is ended by a
//! timer.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::super::create::hold_world;
use super::super::lingering;
use super::*;
use crate::backend::mpi;
use crate::base::Error;
use crate::memory::Arena;
use crate::observe::log::Level;
use crate::observe::{counts, log, metrics, timeline, trace};
use crate::sys::owned::Owned;
use crate::sys::shared_memory::sealed;
use crate::sys::socket::Socket;
use crate::sys::sparse_memory::PAGE_BYTES;
use crate::sys::{fork, process};
use crate::{bootstrap, memory};

/// Time after which a child that waits is ended.
const PATIENCE_SECONDS: u32 = 60;

/// What lets a lock go when it is dropped.
trait Guard {}

impl<T> Guard for T {}

/// Locks that a thread of the parent holds, by the names of their statics.
type Held<'a> = Vec<(&'static str, Box<dyn Guard + 'a>)>;

/// Holds every lock of the process, and that of a communicator.
fn hold_all(comm: &Communicator) -> Held<'_> {
    let arena = Arena::of_this_process().unwrap();
    vec![
        ("SINK", Box::new(log::hold())),
        ("EVENTS", Box::new(trace::hold())),
        ("RANKS", Box::new(counts::hold())),
        ("TIMELINES", Box::new(timeline::hold())),
        ("PROCESSES", Box::new(process::hold())),
        ("FILES", Box::new(memory::hold_windows())),
        ("IMPORTS", Box::new(memory::hold_imports())),
        ("PEERS", Box::new(memory::hold_peers())),
        ("CURRENT", Box::new(arena.hold())),
        ("SERVERS", Box::new(bootstrap::hold_id_servers())),
        ("SESSION", Box::new(bootstrap::hold_session())),
        ("BEGUN", Box::new(mpi::hold())),
        ("ENGINES", Box::new(lingering::hold())),
        ("WORLD", Box::new(hold_world())),
        ("the engine of a communicator", Box::new(comm.driver.lock())),
    ]
}

/// Statics that hold locks which a child does not need: those of GPU memory, because the CUDA driver does not
/// work in a child, and the stopped clock of tests.
const NOT_IN_A_CHILD: [&str; 14] = [
    "ENDED",
    "GIVEN_BACK",
    "KNOWN",
    "SPARE",
    "MAPPINGS",
    "LOADED",
    "LIVE",
    "POOL",
    "PUBLISHED",
    "LISTENER",
    "IMPORTERS",
    "ACCEPTED",
    "OWNERS",
    "BUFFERS",
];

/// What the parent gives to the child.
struct Inherited {
    memory: *mut u8,
    file: Option<Owned<OwnedFd>>,
    epoch: u16,
}

/// A function that may run in a child, with its name. It returns whether it did what a child may expect.
type Function = (&'static str, fn(&mut Inherited) -> bool);

const FUNCTIONS: [Function; 18] = [
    ("fork::epoch", |inherited| fork::epoch() == inherited.epoch + 1),
    ("log::write", |_| {
        log::write(Level::Error, format_args!("a line of the child"));
        true
    }),
    ("log::set_sink", |_| {
        log::set_sink(Some(Box::new(|_, _| {})));
        log::write(Level::Error, format_args!("a line for the receiver of the child"));
        log::set_sink(None);
        true
    }),
    ("trace::take", |_| trace::take().is_empty()),
    ("counts::all", |_| counts::all().is_empty()),
    ("metrics::write_now and the end of time lines", |_| {
        metrics::write_now();
        timeline::end_at_exit();
        true
    }),
    ("world", |_| matches!(world(), Err(Error::InvalidUsage(_)))),
    ("world_now", |_| world_now().is_none()),
    ("is_world_of_parent", |_| !is_world_of_parent()),
    ("memory::free of the parent's memory", |inherited| {
        matches!(memory::free(inherited.memory), Err(Error::InvalidUsage(_)))
    }),
    ("memory::allocate", |_| memory::allocate(100).and_then(memory::free).is_ok()),
    ("Owned::drop", |inherited| inherited.file.take().is_some()),
    ("Window::new", |_| memory::Window::new(sealed(PAGE_BYTES).unwrap()).is_ok()),
    ("memory::import", |_| {
        let start = memory::allocate(100).unwrap();
        let imported = memory::export(start, 100).and_then(|handle| memory::import(&handle));
        imported.and_then(|(start, _)| memory::release(start)).and_then(|()| memory::free(start)).is_ok()
    }),
    ("Process::at_other_end", |_| {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        process::Process::at_other_end(&Socket::from_fd(ours.into(), true).unwrap()).is_none()
    }),
    ("Communicator::create", |_| {
        let config = config(TransportChoice::Auto);
        let id = UniqueId::create(&config).unwrap();
        let comm = Communicator::create(&id, 1, 0, &config, &CommConfig::default()).unwrap();
        let mut data = [7];
        all_reduce(&comm, Datatype::Int32, ReduceOp::Sum, &mut data).is_ok() && comm.finalize().is_ok()
    }),
    ("lingering::see_off", |_| {
        lingering::see_off();
        true
    }),
    ("pmi::goodbye and mpi::end", |_| {
        bootstrap::goodbye();
        mpi::end();
        true
    }),
];

/// Runs each function in a child of its own, which is ended after `seconds`. Returns the first one that hung
/// or failed.
fn in_children(functions: &[Function], inherited: &mut Inherited, seconds: u32) -> Option<&'static str> {
    for (name, function) in functions {
        // SAFETY: glibc keeps its own locks usable in the child. The timer ends a child that waits for
        // another one, and `_exit` any child.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: sets a timer of this process.
            unsafe { libc::alarm(seconds) };
            let is_right = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| function(inherited)));
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(if matches!(is_right, Ok(true)) { 0 } else { 1 }) };
        }
        assert!(child > 0);
        let mut status = -1;
        // SAFETY: the child of this function; the status goes to a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        if status != 0 {
            eprintln!("{name}: status {status:#x}; {} is that of a child that waited", libc::SIGALRM);
            return Some(name);
        }
    }
    None
}

#[test]
fn no_function_in_a_child_waits_for_a_lock_that_its_parent_held_at_the_fork() {
    let memory = memory::allocate(100).unwrap();
    let file = Owned::new(OwnedFd::from(File::open("/dev/null").unwrap()));
    let mut inherited = Inherited { memory, file: Some(file), epoch: fork::epoch() };
    let (is_held, wait_until_held) = mpsc::channel();
    let (let_go, wait_to_let_go) = mpsc::channel::<()>();
    let holding = thread::spawn(move || {
        let config = config(TransportChoice::Auto);
        let id = UniqueId::create(&config).unwrap();
        let comm = Communicator::create(&id, 1, 0, &config, &CommConfig::default()).unwrap();
        let held = hold_all(&comm);
        is_held.send(()).unwrap();
        // Ends when the other side is dropped.
        let _ = wait_to_let_go.recv();
        drop(held);
        comm.finalize().unwrap();
    });
    wait_until_held.recv_timeout(Duration::from_secs(60)).unwrap();
    let hangs = in_children(&FUNCTIONS, &mut inherited, PATIENCE_SECONDS);
    drop(let_go);
    holding.join().unwrap();
    assert_eq!(hangs, None, "see standard error");
    memory::free(memory).unwrap();
}

#[test]
fn a_function_that_waits_for_a_lock_of_the_parent_is_found() {
    static LOCK: parking_lot::Mutex<()> = parking_lot::Mutex::new(());
    let mut inherited = Inherited { memory: std::ptr::null_mut(), file: None, epoch: fork::epoch() };
    let held = LOCK.lock();
    let functions: [Function; 2] = [
        ("takes none", |_| true),
        ("takes one", |_| {
            drop(LOCK.lock());
            true
        }),
    ];
    assert_eq!(in_children(&functions, &mut inherited, 1), Some("takes one"));
    drop(held);
}

/// Static locks of a source file, apart from its tests.
fn static_locks(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let is_lock = |kind: &str| {
        let locks = ["Mutex<", "RwLock<", "Condvar", "SinkCell<", "SharedValues<"];
        locks.iter().any(|lock| kind.contains(lock))
    };
    let name_of = |line: &str| {
        let words = line.trim_start();
        let words = if words.starts_with("pub") { words.split_once(' ')?.1 } else { words };
        let (name, kind) = words.strip_prefix("static ")?.split_once(':')?;
        is_lock(kind).then(|| name.to_string())
    };
    code.lines().filter_map(name_of).collect()
}

fn add_sources(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "tests") {
                add_sources(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn the_test_of_forks_holds_every_static_lock_of_the_engine() {
    let mut files = Vec::new();
    add_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let comm = on_ranks(1, TransportChoice::Auto, |comm| {
        hold_all(comm).iter().map(|(name, _)| *name).collect::<Vec<_>>()
    });
    let known = |name: &String| comm[0].contains(&name.as_str()) || NOT_IN_A_CHILD.contains(&name.as_str());
    let mut locks: Vec<String> = files.iter().flat_map(|file| static_locks(file)).collect();
    assert!(locks.len() > 15, "{locks:?}");
    locks.retain(|name| !known(name) && name != "STOPPED");
    assert!(
        locks.is_empty(),
        "{locks:?}: hold it in `hold_all`, or say in `NOT_IN_A_CHILD` that no child asks for it"
    );
}
