//! Passing an open file to a process on the same host (SCM_RIGHTS over a Unix socket).

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Instant;

use super::poll::{Interest, PollSet};
use super::socket::Socket;
use crate::sys::clock;

/// The byte that travels with the descriptor, because a stream socket sends no empty message.
pub const CARRIER: u8 = 0x46;

#[repr(C, align(8))]
struct ControlSpace([u8; 64]);

/// Sends a copy of `fd` over a Unix socket. Does not wait.
pub fn send_descriptor(socket: &impl AsRawFd, fd: &(impl AsRawFd + ?Sized)) -> io::Result<()> {
    let mut byte = [CARRIER];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut space = ControlSpace([0; 64]);
    let message = message_with(&mut part, &mut space);
    // SAFETY: `message` has a control area of at least one aligned header.
    let header = unsafe { libc::CMSG_FIRSTHDR(&message) };
    // SAFETY: CMSG_FIRSTHDR gave a pointer into `space`, aligned and large enough for the header.
    let fields = unsafe { &mut *header };
    fields.cmsg_level = libc::SOL_SOCKET;
    fields.cmsg_type = libc::SCM_RIGHTS;
    fields.cmsg_len = header_len();
    // SAFETY: the header is in `space`, which has room for an int behind it.
    let data = unsafe { libc::CMSG_DATA(header) };
    // SAFETY: as above; the write is unaligned to be safe.
    unsafe { data.cast::<libc::c_int>().write_unaligned(fd.as_raw_fd()) };
    // SAFETY: all pointers in `message` are to locals that outlive the call.
    let n = unsafe { libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) };
    match n {
        1 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Receives a descriptor that the peer sends with [`send_descriptor`]. Anything else that the peer sends
/// stays unread.
pub fn receive_descriptor(socket: &Socket, deadline: Option<Instant>) -> io::Result<OwnedFd> {
    let mut set = PollSet::new();
    let token = set.add(socket, Interest::Read);
    while !set.ready(token) {
        if deadline.is_some_and(|deadline| deadline <= clock::now()) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        set.wait(deadline)?;
    }
    let mut byte = [0u8];
    // SAFETY: `byte` is one byte, and outlives the call.
    let peeked = unsafe { libc::recv(socket.as_raw_fd(), byte.as_mut_ptr().cast(), 1, libc::MSG_PEEK) };
    if peeked == 1 && byte[0] != CARRIER {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the peer sent something else"));
    }
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut space = ControlSpace([0; 64]);
    let mut message = message_with(&mut part, &mut space);
    // SAFETY: all pointers in `message` are to locals that outlive the call.
    let n = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
    if n < 0 {
        return Err(io::Error::last_os_error());
    }
    if n == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if message.msg_flags & libc::MSG_CTRUNC != 0 {
        // The kernel could not make the descriptor, and does not say why. This is the usual reason.
        return Err(io::Error::from_raw_os_error(libc::EMFILE));
    }
    // SAFETY: the kernel filled the control area and its length.
    let passed = unsafe { passed_descriptor(&message) };
    let is_whole = n == 1 && byte[0] == CARRIER;
    let missing = || io::Error::new(io::ErrorKind::InvalidData, "the peer sent no descriptor");
    passed.filter(|_| is_whole).ok_or_else(missing)
}

/// The one descriptor that came with a message.
///
/// # Safety
/// `recvmsg` has just filled the message, with room for one descriptor.
unsafe fn passed_descriptor(message: &libc::msghdr) -> Option<OwnedFd> {
    // SAFETY: the kernel filled the control area and its length.
    let header = unsafe { libc::CMSG_FIRSTHDR(message) };
    // SAFETY: NULL, or a header that the kernel wrote into the control area.
    let fields = unsafe { header.as_ref() }?;
    if (fields.cmsg_level, fields.cmsg_type, fields.cmsg_len)
        != (libc::SOL_SOCKET, libc::SCM_RIGHTS, header_len())
    {
        return None;
    }
    // SAFETY: the header is one the kernel wrote into the control area.
    let data = unsafe { libc::CMSG_DATA(header) };
    // SAFETY: the length says that an int follows the header.
    let fd = unsafe { data.cast::<libc::c_int>().read_unaligned() };
    // SAFETY: the kernel has just made this descriptor for this process.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// What was read from a socket.
pub struct Received {
    /// Number of bytes. 0: the end of the stream.
    pub bytes: usize,
    /// The descriptor that came with the last byte, which is then a [`CARRIER`].
    pub descriptor: Option<OwnedFd>,
    /// Whether there was one that the kernel could not make, usually for want of numbers.
    pub is_lost: bool,
}

/// Reads bytes, and the descriptor that came with the last of them. `None`: there is nothing now. Does not
/// wait.
pub fn read_with_descriptor(socket: &impl AsRawFd, dst: &mut [u8]) -> io::Result<Option<Received>> {
    let mut part = libc::iovec { iov_base: dst.as_mut_ptr().cast(), iov_len: dst.len() };
    let mut space = ControlSpace([0; 64]);
    let mut message = message_with(&mut part, &mut space);
    let flags = libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT;
    // SAFETY: all pointers in `message` are to locals and to `dst`, which outlive the call.
    let n = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, flags) };
    if n < 0 {
        let error = io::Error::last_os_error();
        let is_nothing = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted);
        return if is_nothing { Ok(None) } else { Err(error) };
    }
    let is_lost = message.msg_flags & libc::MSG_CTRUNC != 0;
    // SAFETY: the kernel filled the control area and its length.
    let descriptor = unsafe { passed_descriptor(&message) };
    Ok(Some(Received { bytes: n as usize, descriptor, is_lost }))
}

fn header_len() -> usize {
    // SAFETY: pure arithmetic.
    (unsafe { libc::CMSG_LEN(mem::size_of::<libc::c_int>() as u32) }) as usize
}

fn message_with(part: &mut libc::iovec, space: &mut ControlSpace) -> libc::msghdr {
    // SAFETY: all-zero is a valid msghdr.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = space.0.as_mut_ptr().cast();
    // With CMSG_SPACE, which rounds up, the kernel would make two descriptors out of a message with two.
    message.msg_controllen = header_len();
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_descriptor_comes_with_its_carrier_and_nothing_behind_it() {
        let (a, b) = UnixStream::pair().unwrap();
        let [a, b] = [a, b].map(|end| Socket::from_fd(end.into(), true).unwrap());
        let mut heard = [0; 16];
        assert!(read_with_descriptor(&b, &mut heard).unwrap().is_none());
        assert_eq!(a.write(b"before").unwrap(), Some(6));
        send_descriptor(&a, &UnixStream::pair().unwrap().0).unwrap();
        assert_eq!(a.write(b"behind").unwrap(), Some(6));
        drop(a);
        let mut read = || read_with_descriptor(&b, &mut heard).unwrap().unwrap();
        let Received { bytes, descriptor, is_lost } = read();
        assert!(descriptor.is_some() && !is_lost);
        assert!(read().descriptor.is_none());
        assert_eq!(read().bytes, 0);
        assert_eq!(bytes, 7);
    }

    #[test]
    fn a_descriptor_does_not_wait_for_room_in_a_socket_that_blocks() {
        let (a, _b) = UnixStream::pair().unwrap();
        let error = (0..1_000_000).find_map(|_| send_descriptor(&a, &a).err()).unwrap();
        let is_refused = error.raw_os_error() == Some(libc::ETOOMANYREFS);
        assert!(error.kind() == io::ErrorKind::WouldBlock || is_refused, "{error}");
    }

    #[test]
    fn of_two_descriptors_in_one_message_one_is_made() {
        let (a, b) = UnixStream::pair().unwrap();
        let file = UnixStream::pair().unwrap().0;
        let mut byte = [CARRIER];
        let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
        let mut space = ControlSpace([0; 64]);
        let mut message = message_with(&mut part, &mut space);
        let length = header_len() + mem::size_of::<libc::c_int>();
        message.msg_controllen = length;
        let header =
            libc::cmsghdr { cmsg_len: length, cmsg_level: libc::SOL_SOCKET, cmsg_type: libc::SCM_RIGHTS };
        let passed = (header, [file.as_raw_fd(); 2]);
        // SAFETY: the header and two numbers fit into the space, which is aligned for them.
        unsafe { message.msg_control.cast::<(libc::cmsghdr, [libc::c_int; 2])>().write(passed) };
        // SAFETY: all pointers in `message` are to locals that outlive the call.
        assert_eq!(unsafe { libc::sendmsg(a.as_raw_fd(), &message, 0) }, 1);
        let received = read_with_descriptor(&b, &mut [0; 16]).unwrap().unwrap();
        assert!(received.descriptor.is_some() && received.is_lost);
    }

    #[test]
    fn a_descriptor_arrives_and_anything_else_is_an_error_and_stays_unread() {
        let (a, b) = UnixStream::pair().unwrap();
        let [a, b] = [a, b].map(|end| Socket::from_fd(end.into(), true).unwrap());
        send_descriptor(&a, &UnixStream::pair().unwrap().0).unwrap();
        assert_eq!(a.write(b"\x03sorry").unwrap(), Some(6));
        receive_descriptor(&b, None).unwrap();
        let error = receive_descriptor(&b, None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let mut heard = [0; 9];
        assert_eq!(b.read(&mut heard).unwrap(), Some(6));
        assert_eq!(&heard[..6], b"\x03sorry");
    }
}
