//! One rank of three is hostile. It knows the job key, and corrupts at random what it sends or the memory
//! that it shares. The other ranks may get errors or wrong values. They never crash, hang, write outside of a
//! buffer, or log without end.
//!
//! `ANYCCL_TEST_ROUNDS` sets the number of rounds (200), `ANYCCL_TEST_SEED` the seed (44); a failure prints
//! its own seed. The three processes live through all rounds, and each round has a new communicator. The
//! hostile rank runs the unchanged library. Functions of this file replace libc's `send` and `sendmsg` and
//! corrupt what passes through them. Shared memory is corrupted through the mappings that the kernel lists.
//! The hostile rank may crash, and is then started again.

mod common;

use std::ffi::{c_int, c_void};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use anyccl_engine::base::{Collective, Rank};
use anyccl_engine::bootstrap::{UNIQUE_ID_BYTES, UniqueId};
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::processes::{ProcessJob, RankProcess, listen, part, say};
use common::sample;
use common::values::noise;
use common::watchdog::Watchdog;

const SIZE: u32 = 3;
const HOSTILE: Rank = 1;
/// Calls per round.
const CALLS: usize = 30;
/// Largest number of log lines in one round.
const LINES: u32 = 100;
/// Timeout of a call. A call stalls when bytes are lost; the time is short, because many rounds end so.
const STALL: Duration = Duration::from_millis(250);

/// A generator of random numbers, which are the same for the same seed.
struct Chance(AtomicU64);

impl Chance {
    /// A random number below `end`.
    fn below(&self, end: u64) -> u64 {
        let mut x = self.0.load(Ordering::Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.store(x, Ordering::Relaxed);
        // The upper bits are more random than the lower ones.
        (x >> 16) % end
    }
}

static CHANCE: Chance = Chance(AtomicU64::new(1));
/// Whether this process corrupts what it sends.
static ARMED: AtomicBool = AtomicBool::new(false);
/// Average number of sends per corrupted send.
static RATE: AtomicU32 = AtomicU32::new(1);

fn is_hit() -> bool {
    ARMED.load(Ordering::Relaxed) && CHANCE.below(u64::from(RATE.load(Ordering::Relaxed))) == 0
}

/// Changes one to three bytes, mostly among the first.
fn spoil(bytes: &mut [u8]) {
    for _ in 0..=CHANCE.below(3) {
        let end = if CHANCE.below(4) > 0 { bytes.len().min(40) } else { bytes.len() };
        let at = CHANCE.below(end.max(1) as u64) as usize;
        let Some(byte) = bytes.get_mut(at) else { return };
        match CHANCE.below(4) {
            0 => *byte ^= 1 << CHANCE.below(8),
            1 => *byte = CHANCE.below(256) as u8,
            2 => *byte = 0xff,
            _ => *byte = 0,
        }
    }
}

/// Replaces the `send` of libc in this whole program.
///
/// # Safety
/// The contract of `send(2)` holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(fd: c_int, from: *const c_void, len: usize, flags: c_int) -> isize {
    let mut copy = [0u8; 4096];
    let mut from = from;
    if len <= copy.len() && is_hit() {
        // SAFETY: the caller vouches for `len` bytes at `from`; `copy` has as many.
        unsafe { std::ptr::copy_nonoverlapping(from.cast(), copy.as_mut_ptr(), len) };
        spoil(&mut copy[..len]);
        from = copy.as_ptr().cast();
    }
    let nowhere = std::ptr::null::<c_void>();
    // SAFETY: the system call behind `send`, with what the caller vouches for or with the copy.
    unsafe { libc::syscall(libc::SYS_sendto, fd, from, len, flags, nowhere, 0) as isize }
}

/// Replaces the `sendmsg` of libc in this whole program.
///
/// # Safety
/// The contract of `sendmsg(2)` holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendmsg(fd: c_int, message: *const libc::msghdr, flags: c_int) -> isize {
    // SAFETY: the caller vouches for the message.
    let mut copy = unsafe { *message };
    let mut header = [0u8; 64];
    let mut parts = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; 2];
    if copy.msg_iovlen == 2 && is_hit() {
        for (at, part) in parts.iter_mut().enumerate() {
            // SAFETY: the caller vouches for `msg_iovlen` parts, of which there are two.
            *part = unsafe { copy.msg_iov.wrapping_add(at).read() };
        }
        let len = parts[0].iov_len;
        if len <= header.len() {
            // SAFETY: the caller vouches for the parts; `header` has room for the first.
            unsafe { std::ptr::copy_nonoverlapping(parts[0].iov_base.cast(), header.as_mut_ptr(), len) };
            spoil(&mut header[..len]);
            parts[0].iov_base = header.as_mut_ptr().cast();
            copy.msg_iov = parts.as_mut_ptr();
        }
    }
    // SAFETY: the system call behind `sendmsg`; what `copy` points to is the caller's or a local.
    unsafe { libc::syscall(libc::SYS_sendmsg, fd, &raw const copy, flags) as isize }
}

/// Mappings that this process shares with its peers: address and length of each.
fn shared_mappings() -> Vec<(usize, usize)> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let shared = maps.lines().filter(|line| line.contains("memfd:anyccl") && line.contains(" rw"));
    let range = |line: &str| {
        let (start, end) = line.split_once(' ')?.0.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        Some((start, end - start))
    };
    shared.filter_map(range).collect()
}

/// Writes random values into shared memory until `stop` is set. `pause` is the pace; nothing waits for it.
fn spoil_memory(stop: &AtomicBool, pause: Duration) {
    while !stop.load(Ordering::Relaxed) {
        let mappings = shared_mappings();
        for _ in 0..500 {
            if stop.load(Ordering::Relaxed) || mappings.is_empty() {
                break;
            }
            let (start, len) = mappings[CHANCE.below(mappings.len() as u64) as usize];
            // Control words and slots lie at the beginning of a mapping.
            let reach = if CHANCE.below(8) > 0 { len.min(45_056) } else { len };
            let at = (start + CHANCE.below(reach as u64) as usize) & !7;
            let word = at as *mut u64;
            // SAFETY: the word lies inside a mapping of this process. The mapping may disappear meanwhile,
            // which ends only this process: it is the hostile one, and is started again.
            let old = unsafe { word.read_volatile() };
            let new = match CHANCE.below(5) {
                0 => CHANCE.below(u64::MAX),
                1 => old ^ 1 << CHANCE.below(64),
                2 => old & !0xffff_ffff | CHANCE.below(1 << 32),
                3 => old | 0xffff_ffff,
                _ => old.wrapping_add(CHANCE.below(3)).wrapping_sub(1),
            };
            // SAFETY: as above.
            unsafe { word.write_volatile(new) };
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
        }
        std::thread::yield_now();
    }
}

/// Call number `at` of a round, the same on every rank.
fn case_of_turn(seed: u64, at: usize) -> Case {
    let noise = noise(seed as Rank, at);
    let collective = Collective::UNIFORM[noise as usize % Collective::UNIFORM.len()];
    let count = match noise >> 32 & 7 {
        0 => 60_000,
        1..3 => 5_000,
        n => n as usize,
    };
    Case::plain(collective, (noise >> 40) as Rank % SIZE, count)
}

/// Makes calls until one fails. The output may be wrong, but no call may write outside of its buffers.
fn call(comm: &Communicator, seed: u64, from: usize, to: usize) -> bool {
    (from..to).all(|turn| {
        let mut attempt = Attempt::on(comm, case_of_turn(seed, turn), Placement::Apart);
        let result = attempt.run(comm);
        attempt.check_guards();
        result.is_ok()
    })
}

fn join(id: &UniqueId, rank: Rank, config: &Config) -> Option<Communicator> {
    let comm = Communicator::create(id, SIZE, rank, config, &CommConfig::default()).ok()?;
    comm.set_timeout(Some(STALL));
    Some(comm)
}

/// One round of the hostile rank.
fn spoil_a_round(id: &UniqueId, config: &Config, seed: u64) -> bool {
    let Some(comm) = join(id, HOSTILE, config) else { return false };
    CHANCE.0.store(seed | 1, Ordering::Relaxed);
    for _ in 0..10 {
        CHANCE.below(2);
    }
    let quiet = CHANCE.below(6) as usize;
    if !call(&comm, seed, 0, quiet) {
        return false;
    }
    let kind = CHANCE.below(3) as usize;
    if config.transport == TransportChoice::Shm && CHANCE.below(3) > 0 {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| spoil_memory(&stop, Duration::from_micros([0, 20, 400][kind])));
            call(&comm, seed, quiet, CALLS);
            stop.store(true, Ordering::Relaxed);
        });
    } else {
        RATE.store([2, 8, 40][kind], Ordering::Relaxed);
        ARMED.store(true, Ordering::Relaxed);
        call(&comm, seed, quiet, CALLS);
    }
    drop(comm);
    ARMED.store(false, Ordering::Relaxed);
    true
}

/// One round of another rank. Returns whether all calls have succeeded.
fn survive_a_round(id: &UniqueId, rank: Rank, config: &Config, seed: u64) -> bool {
    let Some(comm) = join(id, rank, config) else { return false };
    let went_well = call(&comm, seed, 0, CALLS);
    if !went_well && seed.is_multiple_of(4) {
        // The call may succeed or fail, but it ends.
        if let Ok(rest) = comm.shrink(&CommConfig::default()) {
            rest.set_timeout(Some(STALL));
            let mut attempt = Attempt::on(&rest, Case::barrier(), Placement::Apart);
            let _ = attempt.run(&rest);
        }
    }
    went_well
}

#[test]
#[ignore = "a rank of the tests below, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    let (transport, tcp_lanes) = match part.as_str() {
        "tcp" => (TransportChoice::Tcp, Some(1)),
        "lanes" => (TransportChoice::Tcp, Some(3)),
        _ => (TransportChoice::Shm, Some(1)),
    };
    let timeout = Some(Duration::from_secs(20));
    let config = Config { transport, tcp_lanes, timeout, ..Config::default() };
    let rank: Rank = std::env::var("ANYCCL_RANK").expect("set by the parent").parse().expect("a number");
    static LOGGED: AtomicU32 = AtomicU32::new(0);
    log::set_sink(Some(Box::new(|_, _| {
        LOGGED.fetch_add(1, Ordering::Relaxed);
    })));
    loop {
        let order = listen();
        let Some((seed, id)) = order.split_once(' ') else { return };
        let seed = seed.parse().expect("a seed");
        let bytes: Vec<u8> = (0..UNIQUE_ID_BYTES)
            .map(|at| u8::from_str_radix(&id[2 * at..][..2], 16).expect("hexadecimal"))
            .collect();
        let id = UniqueId(bytes.try_into().expect("128 bytes"));
        let went_well = match rank {
            HOSTILE => spoil_a_round(&id, &config, seed),
            _ => survive_a_round(&id, rank, &config, seed),
        };
        say(&format!("{went_well} {}", LOGGED.swap(0, Ordering::Relaxed)));
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Prints the round and its seed when the test fails.
struct Confession {
    transport: &'static str,
    seed: u64,
    round: u64,
}

impl Drop for Confession {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Confession { transport, seed, round } = self;
            eprintln!(
                "{transport}: failed in round {round}; ANYCCL_TEST_SEED={} starts with it",
                *seed + *round
            );
        }
    }
}

fn survivors_live_on(transport: &'static str) {
    let rounds = variable("ANYCCL_TEST_ROUNDS").unwrap_or(200);
    let seed = sample::seed();
    let _watchdog = Watchdog::new(
        format!("hostile peer, {transport}, seed {seed}"),
        Duration::from_secs(60 + 10 * rounds),
    );
    let job = ProcessJob::new(module_path!(), SIZE, transport, "unused").set("ANYCCL_LOG", "warn");
    let mut ranks = job.start_all();
    let mut confession = Confession { transport, seed, round: 0 };
    let mut failures = 0;
    for round in 0..rounds {
        confession.round = round;
        // The hostile rank may have crashed and miss the round. The others then report it as missing.
        let id = UniqueId::create(&Config::default()).expect("an id");
        let id: String = id.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let order = format!("{} {id}", seed + round);
        ranks.iter_mut().for_each(|rank| rank.tell(&order));
        for rank in ranks.iter_mut().filter(|rank| rank.rank != HOSTILE) {
            let said = rank.hear();
            let (went_well, lines) = said.text.split_once(' ').expect("two words");
            let lines: u32 = lines.parse().expect("a number");
            assert!(lines < LINES, "rank {} has logged {lines} lines", rank.rank);
            failures += u32::from(went_well == "false");
        }
        let hostile = &mut ranks[HOSTILE as usize];
        if !hostile.has_said_something() {
            *hostile = job.start(HOSTILE);
        }
    }
    ranks.into_iter().filter(|rank| rank.rank != HOSTILE).for_each(RankProcess::end_well);
    // With no failure in so many rounds, the hostile rank did not corrupt anything that matters.
    assert!(failures > 0 || rounds < 100, "no round has failed");
}

#[test]
fn a_peer_that_spoils_what_it_sends_over_tcp_is_survived() {
    survivors_live_on("tcp");
}

#[test]
fn a_peer_that_spoils_what_it_sends_over_lanes_is_survived() {
    survivors_live_on("lanes");
}

#[test]
fn a_peer_that_spoils_shared_memory_and_control_bytes_is_survived() {
    survivors_live_on("shm");
}
