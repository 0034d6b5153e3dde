//! Target of fuzzing: what a peer writes into the memory of a pair.
//!
//! The input is a script. Each step is a word that the peer writes, a fragment that it sends, or something
//! that this side does with its link. With one bit, a second thread writes words meanwhile. Bytes may be
//! wrong; nothing outside of the mapping may be touched, and every call returns.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::control_line::FRAGMENT_BYTES;
use super::layout::{self, pair_bytes, quota};
use super::link::ShmLink;
use super::recv_ring::{Fragment, FragmentSource};
use super::zero_copy::ZeroCopy;
use crate::foreign_bytes::split;
use crate::memory::{Arena, Window};
use crate::sys::process_memory::ProcessStamp;
use crate::sys::shared_memory::{SharedMemory, sealed};
use crate::transport::fast_path::{FastPath, FragmentSize, Peek};
use crate::transport::{Header, Link, SingleCopy};

const SLOTS: usize = 32;
const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };
const OTHER: Header = Header { sequence: 9, ..HEADER };
/// Memory that this side sends from and receives into.
const ROOM: usize = 2 * FRAGMENT_BYTES;
/// Bytes of the arena of the peer.
const PEER_ARENA: usize = 64 << 10;

/// Offset of the ring that the peer fills, and of the one that it reads.
const RINGS: [usize; 2] = [4096 + (20 << 10), 4096];
const LINES: usize = 128;
const RETURNED: usize = 17 << 10;

/// The peer: its mapping of the memory, and the number of the slot that it fills next.
struct HostilePeer {
    memory: SharedMemory,
    next: u32,
}

impl HostilePeer {
    fn write32(&self, offset: usize, value: u32) {
        let place = self.memory.start().wrapping_add((offset % self.memory.len()) & !3);
        // SAFETY: a word inside the mapping, aligned, that all sides use as an atomic.
        unsafe { AtomicU32::from_ptr(place.cast()) }.store(value, Ordering::Release);
    }

    fn write64(&self, offset: usize, value: u64) {
        let place = self.memory.start().wrapping_add((offset % self.memory.len()) & !7);
        // SAFETY: as above, and of eight bytes.
        unsafe { AtomicU64::from_ptr(place.cast()) }.store(value, Ordering::Release);
    }

    /// Fills the next slot. `first` and `second` are the words of the payload.
    fn send(&mut self, header: &Header, extent: u32, first: u64, second: u64) {
        let line = RINGS[0] + LINES + self.next as usize % SLOTS * 128;
        self.write32(line + 4, extent);
        self.write32(line + 8, header.context);
        self.write32(line + 12, header.sequence);
        self.write64(line + 16, header.call[0]);
        self.write64(line + 24, header.call[1]);
        self.write64(line + 32, first);
        self.write64(line + 40, second);
        self.write32(line, self.next / SLOTS as u32 + 1);
        self.next += 1;
    }

    /// Writes one of the words that this side reads.
    fn write_word(&self, place: u8, value: u64) {
        let slot = usize::from(place / 8) % SLOTS;
        let line = RINGS[0] + LINES + slot * 128;
        match place % 8 {
            0 => self.write32(line + 4 * (value as usize >> 40 & 7), value as u32),
            1 => self.write64(line + 32 + 8 * (slot & 1), value),
            // What the peer has consumed and read of this side's ring.
            2 => self.write64(RINGS[1], value),
            3 => self.write64(RINGS[1] + 64, value),
            4 => self.write32(RINGS[0] + RETURNED + 4 * slot, value as u32),
            5 => self.write32(RINGS[0] + 72, value as u32),
            // Awake flags, single-copy words, waiting flags.
            6 => self.write32([64, 320, 328, 336, 340, 344, 348, 640][slot % 8], value as u32),
            _ => self.write32(value as usize >> 32, value as u32),
        }
    }
}

/// The arena of the peer: one file for all runs.
fn peer_arena() -> OwnedFd {
    static FILE: OnceLock<OwnedFd> = OnceLock::new();
    FILE.get_or_init(|| sealed(PEER_ARENA).unwrap()).try_clone().unwrap()
}

fn link(how: u8) -> (ShmLink, HostilePeer) {
    let (own, fd) = SharedMemory::create(pair_bytes(SLOTS)).unwrap();
    let memory = SharedMemory::open(fd, pair_bytes(SLOTS)).unwrap();
    let this_process = std::process::id() as libc::pid_t;
    let mut link = ShmLink::new(own, SLOTS, 0, (how & 2 != 0).then_some(this_process)).unwrap();
    let peer = HostilePeer { memory, next: 0 };
    if how & 4 != 0 {
        let window = Window::new(peer_arena()).unwrap();
        link.enable_zero_copy(ZeroCopy::new(Arena::of_this_process().unwrap(), window));
        peer.write32(320 + 24, 1);
    }
    if how & 8 != 0 {
        // A stamp at which this process can be read.
        let stamp = ProcessStamp::of_this_process().unwrap();
        peer.write64(320, stamp.address);
        peer.write64(328, stamp.value);
        peer.write32(336, 1);
        peer.write32(340, 1);
    }
    link.set_oversubscribed(how & 16 != 0);
    (link, peer)
}

/// Follows the script.
pub(in crate::transport) fn words(bytes: &[u8]) {
    let ([how], script) = split(bytes);
    let (mut link, mut peer) = link(how);
    if how & 1 == 0 {
        return follow(script, &mut link, &mut |step| peer.step(step));
    }
    // A second thread writes the words of the other half of the script, over and over.
    let (own, theirs) = script.split_at(script.len() / 2);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                theirs.chunks(10).for_each(|step| peer.step(step));
            }
        });
        // Ends the other thread if this one panics, too.
        let _end = End(&is_over);
        follow(own, &mut link, &mut |_| {});
    });
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl HostilePeer {
    /// A step of the peer: its kind, a place, and a value.
    fn step(&mut self, step: &[u8]) {
        let ([kind, place, value @ ..], _) = split::<10>(step);
        let value = u64::from_le_bytes(value);
        let bytes = value as u32 & 0xffff;
        match kind >> 5 {
            // A fragment in its line, or in a bounce buffer of the peer's or of anybody's.
            4 => self.send(&HEADER, bytes & 31, value, value),
            5 => self.send(&HEADER, bytes | u32::from(place) << 17, value >> 32, value >> 16),
            6 => self.send(
                &HEADER,
                (quota(SLOTS) as u32 + u32::from(place & 15)) << 17
                    | bytes & if place & 0x40 == 0 { 0x7fff } else { 0xffff },
                value >> 62,
                value,
            ),
            7 => {
                let mark = u32::MAX - u32::from(place & 1);
                let header = Header { context: 1 | u32::from(place & 0x80) << 24, ..HEADER };
                self.send(&header, mark, value >> 20, value & 0xf_ffff);
            }
            _ => self.write_word(place, value),
        }
    }
}

/// The message that this side has begun to send: the bytes that are left, and how they may go.
#[derive(Default)]
struct UnderWay(Option<(usize, usize)>);

/// Follows the steps of this side, with those of the peer between them, until the link is broken.
fn follow(mut script: &[u8], link: &mut ShmLink, peer: &mut dyn FnMut(&[u8])) {
    let (mut room, mut under_way) = (vec![0u8; ROOM], UnderWay::default());
    while !script.is_empty() {
        let ([kind], rest) = split(script);
        if kind & 0x80 != 0 || kind & 0x60 == 0x60 {
            let (step, rest) = script.split_at(script.len().min(10));
            peer(step);
            script = rest;
            continue;
        }
        let ([low, high], rest) = split(rest);
        script = rest;
        let bytes = (usize::from(high) << 8 | usize::from(low)) % (ROOM + 1);
        if act(link, kind & 15, bytes, &mut room, &mut under_way).is_err() {
            return;
        }
    }
}

/// One step of this side.
fn act(
    link: &mut ShmLink,
    kind: u8,
    bytes: usize,
    room: &mut [u8],
    under_way: &mut UnderWay,
) -> std::io::Result<()> {
    match kind {
        0 | 1 => {
            if has_head(link)? {
                let arrival = link.arrival()?;
                look_at(arrival.data, arrival.bytes);
                link.consume(arrival.bytes.min(if kind == 0 { usize::MAX } else { bytes }))?;
            }
        }
        2 | 3 => {
            if has_head(link)? {
                // SAFETY: the room is writable for `bytes` bytes, and is not memory of the link.
                let taken = unsafe { link.take(room.as_mut_ptr(), bytes, kind == 3) }?;
                assert!(taken <= bytes);
            }
        }
        4 => {
            if has_head(link)? {
                link.discard()?;
            }
        }
        5..=7 => {
            offer(link, bytes, room, under_way)?;
        }
        8 => {
            let mut filled = 0;
            let fill = &mut |to: *mut u8, offset: usize, len: usize| {
                assert!(offset + len <= bytes);
                // SAFETY: the link gives memory for `len` bytes.
                unsafe { to.write_bytes(1, len) };
                filled += len;
            };
            if let Some(sent) = link.send_filled(&OTHER, bytes, fill) {
                assert!(sent?.unwrap_or(0) <= bytes);
            }
        }
        9 => {
            // SAFETY: as above.
            unsafe { link.post(&OTHER, room.as_ptr(), bytes, FragmentSize::Small) };
        }
        10 | 11 => match link.peek(&HEADER, bytes) {
            Peek::Data(data, found) => {
                assert!(found <= bytes);
                check_inside(link, data, found);
                look_at(data, found);
                link.release();
            }
            Peek::Empty | Peek::SlowPath => {}
        },
        12 => link.cancel_sent(&HEADER),
        13 => {
            let (left, _) = under_way.0.take().unwrap_or_default();
            // SAFETY: the room is readable.
            unsafe { link.abandon(&HEADER, room.as_ptr(), left) };
        }
        14 => {
            link.set_sleeping(bytes & 1 != 0);
            let _ = (link.peer_needs_doorbell(), link.peer_is_asleep());
        }
        _ => {
            let _ = (link.would_zero_copy(room.as_ptr(), bytes), link.would_expose(room.as_ptr(), bytes));
        }
    }
    Ok(())
}

/// Offers a message. One that was begun is offered until it is sent.
fn offer(link: &mut ShmLink, bytes: usize, room: &[u8], under_way: &mut UnderWay) -> std::io::Result<()> {
    let policy = [SingleCopy::Never, SingleCopy::MappedOnly, SingleCopy::IfFaster, SingleCopy::Always];
    let (left, kind) = under_way.0.unwrap_or((bytes, bytes % 4));
    let data = room.as_ptr().wrapping_add(room.len() - left);
    // SAFETY: the room is readable for `left` bytes, and outlives the link's use of it.
    let sent = unsafe { link.send(&HEADER, data, left, policy[kind]) }?;
    let is_over = sent == Some(left);
    let left = left.checked_sub(sent.unwrap_or(0)).expect("no more is sent than was offered");
    under_way.0 = (!is_over).then_some((left, kind));
    Ok(())
}

/// Whether there is a fragment at the head. Its bytes lie inside the memory, if they were copied there.
fn has_head(link: &mut ShmLink) -> std::io::Result<bool> {
    let found = link.head()?;
    if let Some(Fragment { source: FragmentSource::Bounce(data), bytes, .. }) = link.recv.head {
        check_inside(link, data, bytes);
    }
    Ok(found.is_some())
}

fn check_inside(link: &ShmLink, data: *const u8, bytes: usize) {
    let start = link.memory.buffer(0).addr() - layout::buffer(0);
    let offset = data.addr().wrapping_sub(start);
    assert!(bytes <= FRAGMENT_BYTES, "{bytes} bytes in one buffer");
    assert!(
        offset <= pair_bytes(SLOTS) && bytes <= pair_bytes(SLOTS) - offset,
        "{bytes} bytes at {offset:#x}"
    );
}

/// Reads the first and the last byte.
fn look_at(data: *const u8, bytes: usize) {
    if bytes > 0 {
        for at in [0, bytes - 1] {
            // SAFETY: the link says that so many bytes can be read; another thread may write them.
            unsafe { data.wrapping_add(at).read_volatile() };
        }
    }
}

pub(in crate::transport) fn seeds() -> Vec<Vec<u8>> {
    assert_eq!(layout::buffer(0), RINGS[0] + (20 << 10));
    let step = |kind: u8, place: u8, value: u64| [&[kind, place][..], &value.to_le_bytes()].concat();
    let (inline, own, exposed) =
        (step(0x80, 0, 8), step(0xc0, 3, 0x4000), |mark, value| step(0xe0, mark, value));
    let word = |place, value| step(0x60, place, value);
    let act = |kind: u8, bytes: u16| [&[kind][..], &bytes.to_le_bytes()].concat();
    let with = |how: u8, steps: &[Vec<u8>]| [&[how][..], &steps.concat()].concat();
    let arrivals =
        [inline.clone(), act(0, 0), own.clone(), act(2, 500), act(2, 0x7fff), inline.clone(), act(10, 32)];
    let sends =
        [act(5, 8), act(5, 0x7000), act(6, 0x7001), word(2, 2), act(8, 0x6000), act(9, 0x4000), act(12, 0)];
    let zero_copy =
        [exposed(1, 0x1000 << 20 | 0x2000), act(0, 0), exposed(1, 8 << 20 | 0x100), act(3, 0x100)];
    let single = [exposed(0, 0x5000 << 20 | 0x2000), act(2, 0x100), exposed(0, 0), act(0, 0), act(4, 0)];
    let exposures =
        [act(7, 0xffff), word(3, 0x8000), act(7, 0xffff), act(13, 0xffff), word(3, 0xffff), act(5, 9)];
    let returned = [own.clone(), act(0, 0), word(4, 1 << 16 | 17), act(14, 1), word(6, 1), inline];
    vec![
        with(0, &arrivals),
        with(16, &sends),
        with(4, &zero_copy),
        with(10, &single),
        with(26, &exposures),
        with(0, &returned),
        with(
            0,
            &[
                step(0xa0, 20, 0x8000),
                act(0, 0),
                step(0xc0, 0x4f, 0x8000),
                act(2, 0x8000),
                own.clone(),
                act(0, 9),
            ],
        ),
        with(16, &[step(0xa0, 3, 0x4000), act(0, 0)]),
        with(1, &[&arrivals[..], &sends, &returned, &arrivals, &returned].concat()),
        with(
            31,
            &[
                act(0, 0),
                act(5, 0xffff),
                act(2, 9),
                act(10, 99),
                exposed(1, 8 << 20),
                own,
                word(2, 1),
                word(9, 7),
            ],
        ),
    ]
}
