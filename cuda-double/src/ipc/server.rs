//! The thread that gives descriptors to other processes.
//!
//! Each opening keeps its connection, so that the exporting process knows which memory is open, also after
//! the opening process was killed.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::counts;
use crate::settings::settings;
use crate::status::{Result, Status};

/// How long freed memory may still be open before that is a fault: a killed process closes late.
const GRACE: Duration = Duration::from_millis(200);

struct Exported {
    descriptor: OwnedFd,
    openings: usize,
}

static EXPORTED: LazyLock<Mutex<HashMap<u64, Exported>>> = LazyLock::new(Mutex::default);

/// The number in the name of this process's socket. The first call starts the thread.
pub fn stamp() -> Result<u64> {
    static STAMP: LazyLock<Option<u64>> = LazyLock::new(start);
    STAMP.ok_or(Status::OPERATING_SYSTEM)
}

fn start() -> Option<u64> {
    let mut bytes = [0; 8];
    // SAFETY: the kernel writes at most eight bytes.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    let stamp = u64::from_ne_bytes(bytes);
    let listener = UnixListener::bind_addr(&address(stamp)).ok().filter(|_| got == 8)?;
    let serve = move || {
        for connection in listener.incoming().flatten() {
            let thread = std::thread::Builder::new().name("cuda-double-open".to_string());
            let _ = thread.spawn(move || serve_opening(connection));
        }
    };
    std::thread::Builder::new().name("cuda-double-ipc".to_string()).spawn(serve).ok()?;
    Some(stamp)
}

#[allow(clippy::expect_used)]
fn address(stamp: u64) -> SocketAddr {
    let name = format!("cuda-double-{stamp:016x}");
    SocketAddr::from_abstract_name(name).expect("a name of 28 bytes fits into an address")
}

/// Makes a descriptor available under `id`.
pub fn export(id: u64, descriptor: impl FnOnce() -> Result<OwnedFd>) -> Result {
    let mut exported = EXPORTED.lock();
    if let std::collections::hash_map::Entry::Vacant(place) = exported.entry(id) {
        place.insert(Exported { descriptor: descriptor()?, openings: 0 });
    }
    Ok(())
}

/// Ends the export of memory that is freed. It is a fault if another process has it open, unless the settings
/// allow it.
pub fn withdraw(id: u64) {
    if settings().open_free {
        EXPORTED.lock().remove(&id);
        return;
    }
    let openings = || EXPORTED.lock().get(&id).map_or(0, |exported| exported.openings);
    let start = Instant::now();
    while openings() > 0 && start.elapsed() < GRACE {
        std::thread::sleep(Duration::from_millis(2));
    }
    let openings = openings();
    if openings > 0 {
        counts::fault(&format!(
            "memory was freed that {openings} openings of other processes still use: close them before the free"
        ));
    }
    EXPORTED.lock().remove(&id);
}

fn serve_opening(mut connection: UnixStream) {
    let mut id = [0; 8];
    if connection.read_exact(&mut id).is_err() {
        return;
    }
    let id = u64::from_ne_bytes(id);
    {
        let mut exported = EXPORTED.lock();
        let Some(exported) = exported.get_mut(&id) else { return };
        if !send_descriptor(&connection, &exported.descriptor) {
            return;
        }
        exported.openings += 1;
    }
    // The opening process says one byte when it closes, or nothing if it dies.
    let mut byte = [0];
    let has_asked = connection.read_exact(&mut byte).is_ok();
    if let Some(exported) = EXPORTED.lock().get_mut(&id) {
        exported.openings -= 1;
    }
    if has_asked {
        let _ = connection.write_all(&byte);
    }
}

/// A descriptor of another process, and the connection that keeps it open there.
pub struct Opening {
    /// The descriptor.
    pub descriptor: OwnedFd,
    /// The connection.
    pub connection: Connection,
}

/// The connection of an opening.
pub struct Connection(UnixStream);

impl Connection {
    /// Tells the other process that the memory is closed, and waits until it knows.
    pub fn close(mut self) {
        // An error means that the process is gone.
        let told = self.0.write_all(&[1]);
        let _ = told.and_then(|()| self.0.read_exact(&mut [0]));
    }
}

/// Opens the object `id` of the process with the socket `stamp`.
pub fn open(stamp: u64, id: u64) -> Result<Opening> {
    let ask = || {
        let mut connection = UnixStream::connect_addr(&address(stamp)).ok()?;
        connection.write_all(&id.to_ne_bytes()).ok()?;
        let descriptor = receive_descriptor(&connection)?;
        Some(Opening { descriptor, connection: Connection(connection) })
    };
    ask().ok_or(Status::INVALID_VALUE)
}

/// Room for a control message with one descriptor.
#[repr(C, align(8))]
struct Control([u8; 24]);

fn with_message<T>(control: &mut Control, act: impl FnOnce(&mut libc::msghdr) -> T) -> T {
    let mut byte = [0u8; 1];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: zeros are a valid message without parts.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control.0).cast();
    message.msg_controllen = size_of::<Control>();
    act(&mut message)
}

fn send_descriptor(connection: &UnixStream, descriptor: &OwnedFd) -> bool {
    let mut control = Control([0; 24]);
    // The header of a control message: length, level, kind; then the descriptor.
    control.0[..8].copy_from_slice(&20usize.to_ne_bytes());
    control.0[8..12].copy_from_slice(&libc::SOL_SOCKET.to_ne_bytes());
    control.0[12..16].copy_from_slice(&libc::SCM_RIGHTS.to_ne_bytes());
    control.0[16..20].copy_from_slice(&descriptor.as_raw_fd().to_ne_bytes());
    with_message(&mut control, |message| {
        // SAFETY: the message and its parts live until the call returns.
        unsafe { libc::sendmsg(connection.as_raw_fd(), message, libc::MSG_NOSIGNAL) == 1 }
    })
}

fn receive_descriptor(connection: &UnixStream) -> Option<OwnedFd> {
    let mut control = Control([0; 24]);
    let got = with_message(&mut control, |message| {
        // SAFETY: the message and its parts live until the call returns.
        let bytes = unsafe { libc::recvmsg(connection.as_raw_fd(), message, libc::MSG_CMSG_CLOEXEC) };
        bytes == 1 && message.msg_controllen >= 20
    });
    let word = |at: usize| i32::from_ne_bytes(control.0[at..at + 4].try_into().unwrap_or_default());
    if !got || word(12) != libc::SCM_RIGHTS {
        return None;
    }
    // SAFETY: the kernel made this descriptor for this process just now.
    Some(unsafe { OwnedFd::from_raw_fd(word(16)) })
}
