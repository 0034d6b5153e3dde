//! Stream sockets, both TCP and Unix: an owned descriptor with non-blocking reads and writes.

use std::io;
use std::net::{IpAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use super::owned::Owned;

/// Longest time for which a host may leave sent data unacknowledged before the connection counts as broken.
const SILENCE: Duration = Duration::from_secs(30);

/// Times of a TCP connection, by the kernel's account.
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpTimes {
    /// Shortest time of a round trip.
    pub round_trip: Duration,
    /// Time in which there were bytes to send, or to be acknowledged.
    pub busy: Duration,
    /// Part of `busy` in which only the size of the send buffer kept more from being sent.
    pub buffer_limited: Duration,
}

/// A connected, non-blocking, close-on-exec stream socket.
#[derive(Debug)]
pub struct Socket {
    fd: Owned<OwnedFd>,
    unix: bool,
}

impl Socket {
    /// Takes over a connected stream socket and makes it non-blocking.
    pub fn from_fd(fd: OwnedFd, unix: bool) -> io::Result<Socket> {
        // SAFETY: FIONBIO reads one int through the pointer, which outlives the call; the
        // descriptor is owned by `fd`, hence open.
        let rc = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONBIO, &1 as *const libc::c_int) };
        if rc < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Socket { fd: Owned::new(fd), unix })
    }

    /// Two ends of a connection, for tests.
    #[cfg(test)]
    pub(crate) fn pair() -> (Socket, Socket) {
        let (a, b) = std::os::unix::net::UnixStream::pair().unwrap();
        (Socket::from_fd(a.into(), true).unwrap(), Socket::from_fd(b.into(), true).unwrap())
    }

    /// Takes over a connection that others use too. It stays in its present mode for them. Reads and writes
    /// here never wait in either mode.
    pub fn shared(fd: OwnedFd, unix: bool) -> Socket {
        Socket { fd: Owned::new(fd), unix }
    }

    /// Whether this is a Unix socket. Then the peer is on this host, and descriptors can be passed.
    pub fn is_unix(&self) -> bool {
        self.unix
    }

    /// The user of the process at the other end of a Unix socket, at the time when the connection was made.
    pub fn peer_user(&self) -> io::Result<u32> {
        let mut peer = libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: libc::gid_t::MAX };
        let mut bytes = size_of::<libc::ucred>() as libc::socklen_t;
        let (pointer, length) = ((&raw mut peer).cast(), &raw mut bytes);
        // SAFETY: the kernel writes at most `bytes` bytes to `peer`, which has that many; both outlive the
        // call.
        let rc = unsafe {
            libc::getsockopt(self.fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, pointer, length)
        };
        if rc == 0 { Ok(peer.uid) } else { Err(io::Error::last_os_error()) }
    }

    /// Sets the options that every TCP connection of a job has.
    ///
    /// Small messages are sent at once. A host that has vanished silently is noticed after `SILENCE`, both
    /// while sending and while waiting. A process that died on a living host is noticed at once, by the reset
    /// of its connection.
    pub fn tune_tcp(&self) -> io::Result<()> {
        let seconds = SILENCE.as_secs() as libc::c_int;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)?;
        self.set_option(libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, seconds / 3)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, seconds / 6)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_KEEPCNT, 4)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, seconds * 1000)
    }

    /// Sets options for data on a connection that stays on this host. Other connections, and Unix sockets,
    /// keep the system's settings.
    ///
    /// Loopback has no queue and loses nothing, so a congestion control that measures and paces (bbr) only
    /// slows it down. The kernel chooses the buffer sizes and grows them; fixed ones were no faster. A system
    /// that refuses the option is slower, not wrong.
    pub fn tune_for_data(&self) {
        if !self.unix && self.stays_on_this_host() {
            // Not every user may choose cubic, but every user may choose reno.
            let _ = self.set_congestion_control("cubic").or_else(|_| self.set_congestion_control("reno"));
        }
    }

    /// Lets the peer send up to `bytes` ahead of what is read here. Otherwise the kernel permits about 64 KiB
    /// at first, and more only where bytes are read.
    ///
    /// The kernel makes room for the least number of bytes for which a reader wakes, and keeps that room.
    /// Unlike `SO_RCVBUF`, this does not stop it from making more room later. A system that refuses is
    /// slower, not wrong.
    pub fn receive_ahead(&self, bytes: usize) {
        for least in [bytes as libc::c_int, 1] {
            let _ = self.set_option(libc::SOL_SOCKET, libc::SO_RCVLOWAT, least);
        }
    }

    fn set_congestion_control(&self, name: &str) -> io::Result<()> {
        let (pointer, bytes) = (name.as_ptr().cast(), name.len() as libc::socklen_t);
        let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
        // SAFETY: the kernel reads `bytes` bytes of the name.
        match unsafe { libc::setsockopt(self.fd.as_raw_fd(), level, option, pointer, bytes) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Times of the connection so far. `None`: it is not of TCP, it has seen no round trip, or the kernel is
    /// older than Linux 4.10.
    pub fn times(&self) -> Option<TcpTimes> {
        // SAFETY: all-zero is a valid tcp_info, which consists of integers.
        let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
        let mut bytes = size_of::<libc::tcp_info>() as libc::socklen_t;
        let (level, pointer) = (libc::IPPROTO_TCP, (&raw mut info).cast());
        // SAFETY: the kernel writes at most `bytes` bytes to `info`, which has that many; both outlive the
        // call.
        let rc =
            unsafe { libc::getsockopt(self.fd.as_raw_fd(), level, libc::TCP_INFO, pointer, &raw mut bytes) };
        let known = std::mem::offset_of!(libc::tcp_info, tcpi_sndbuf_limited) + size_of::<u64>();
        // A connection without a round trip has the largest number.
        let is_known = rc == 0 && bytes as usize >= known && info.tcpi_min_rtt != u32::MAX;
        is_known.then(|| TcpTimes {
            round_trip: Duration::from_micros(info.tcpi_min_rtt.into()),
            busy: Duration::from_micros(info.tcpi_busy_time),
            buffer_limited: Duration::from_micros(info.tcpi_sndbuf_limited),
        })
    }

    /// Address of the other end of a TCP connection.
    pub fn peer_ip(&self) -> io::Result<IpAddr> {
        // A duplicate is needed, as in `stays_on_this_host`.
        let stream = TcpStream::from(self.fd.try_clone()?);
        stream.peer_addr().map(|peer| peer.ip().to_canonical())
    }

    /// This host's address of the connection, if it is one of TCP.
    pub fn own_ip(&self) -> Option<IpAddr> {
        // A duplicate is needed, as below.
        let stream = TcpStream::from(self.fd.try_clone().ok().filter(|_| !self.unix)?);
        stream.local_addr().ok().map(|own| own.ip().to_canonical())
    }

    /// Whether the connection stays on this host: both ends have the same address, or the peer's is a
    /// loopback address.
    fn stays_on_this_host(&self) -> bool {
        // The standard library reads addresses only from an owner, so this uses a duplicate, closed at the
        // end.
        let Ok(stream) = self.fd.try_clone().map(TcpStream::from) else { return false };
        let (own, peer) = (stream.local_addr(), stream.peer_addr());
        peer.is_ok_and(|peer| peer.ip().is_loopback() || own.is_ok_and(|own| own.ip() == peer.ip()))
    }

    fn set_option(&self, level: libc::c_int, name: libc::c_int, value: libc::c_int) -> io::Result<()> {
        let (pointer, bytes) = ((&raw const value).cast(), size_of::<libc::c_int>() as libc::socklen_t);
        // SAFETY: the kernel reads one int through `pointer`, which points to a live local.
        match unsafe { libc::setsockopt(self.fd.as_raw_fd(), level, name, pointer, bytes) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Reads up to `len` bytes to `dst`. `Ok(None)`: there is no data now. `Ok(Some(0))`: the peer has
    /// closed.
    ///
    /// # Safety
    /// `dst` is writable for `len` bytes.
    pub unsafe fn read_raw(&self, dst: *mut u8, len: usize) -> io::Result<Option<usize>> {
        // SAFETY: the caller vouches for `dst` and `len`; the kernel writes no more than that.
        let n = unsafe { libc::recv(self.fd.as_raw_fd(), dst.cast(), len, libc::MSG_DONTWAIT) };
        would_block(n)
    }

    /// Writes up to `len` bytes from `src`. `Ok(None)`: there is no room now. Never raises SIGPIPE.
    ///
    /// # Safety
    /// `src` is readable for `len` bytes.
    pub unsafe fn write_raw(&self, src: *const u8, len: usize) -> io::Result<Option<usize>> {
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the caller vouches for `src` and `len`; the kernel only reads.
        let n = unsafe { libc::send(self.fd.as_raw_fd(), src.cast(), len, flags) };
        would_block(n)
    }

    /// Ends writing: the peer reads what was written, and then the end of the stream.
    pub fn end_writing(&self) {
        // SAFETY: takes integers only. It fails only on a connection that is over, which needs no end.
        unsafe { libc::shutdown(self.fd.as_raw_fd(), libc::SHUT_WR) };
    }

    /// Writes from `first`, then from `second`, in one system call. Returns the number of bytes taken of
    /// both.
    ///
    /// # Safety
    /// `second` is readable for `second_len` bytes.
    pub unsafe fn write_two(
        &self,
        first: &[u8],
        second: *const u8,
        second_len: usize,
    ) -> io::Result<Option<usize>> {
        let mut parts = [
            libc::iovec { iov_base: first.as_ptr().cast_mut().cast(), iov_len: first.len() },
            libc::iovec { iov_base: second.cast_mut().cast(), iov_len: second_len },
        ];
        // SAFETY: all-zero is a valid msghdr.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = 2;
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the parts are a slice, and memory for which the caller vouches; the kernel only reads.
        let n = unsafe { libc::sendmsg(self.fd.as_raw_fd(), &message, flags) };
        would_block(n)
    }

    /// Reads up to `first_len` bytes to `first`, and those behind them to `second`, in one system call.
    /// Returns the number of bytes of both. Otherwise like [`Socket::read_raw`].
    ///
    /// # Safety
    /// `first` is writable for `first_len` bytes, and does not overlap `second`.
    pub unsafe fn read_two(
        &self,
        first: *mut u8,
        first_len: usize,
        second: &mut [u8],
    ) -> io::Result<Option<usize>> {
        let mut parts = [
            libc::iovec { iov_base: first.cast(), iov_len: first_len },
            libc::iovec { iov_base: second.as_mut_ptr().cast(), iov_len: second.len() },
        ];
        // SAFETY: all-zero is a valid msghdr.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = 2;
        // SAFETY: the parts are memory for which the caller vouches, and an exclusive slice; the kernel
        // writes no more than that.
        let n = unsafe { libc::recvmsg(self.fd.as_raw_fd(), &mut message, libc::MSG_DONTWAIT) };
        would_block(n)
    }

    /// Like [`Socket::read_raw`], into a slice.
    pub fn read(&self, dst: &mut [u8]) -> io::Result<Option<usize>> {
        // SAFETY: a mutable slice is writable for its length.
        unsafe { self.read_raw(dst.as_mut_ptr(), dst.len()) }
    }

    /// Like [`Socket::write_raw`], from a slice.
    pub fn write(&self, src: &[u8]) -> io::Result<Option<usize>> {
        // SAFETY: a slice is readable for its length.
        unsafe { self.write_raw(src.as_ptr(), src.len()) }
    }
}

impl AsRawFd for Socket {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn would_block(n: isize) -> io::Result<Option<usize>> {
    if n >= 0 {
        return Ok(Some(n as usize));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

/// Whether bytes that were written to a TCP connection have not come to the host of the peer. False for a
/// local socket, whose bytes are there at once.
pub fn is_undelivered(socket: RawFd) -> bool {
    let mut domain: libc::c_int = 0;
    let mut bytes = std::mem::size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: both pointers are to locals of the given size.
    let failed = unsafe {
        libc::getsockopt(socket, libc::SOL_SOCKET, libc::SO_DOMAIN, (&raw mut domain).cast(), &mut bytes)
    };
    let mut waiting: libc::c_int = 0;
    if failed != 0 || domain == libc::AF_UNIX {
        return false;
    }
    // SAFETY: the call writes one int.
    unsafe { libc::ioctl(socket, libc::TIOCOUTQ, &raw mut waiting) == 0 && waiting > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_connection_over_loopback_gets_a_congestion_control_that_does_not_pace() {
        let (socket, _peer) = tcp_pair();
        socket.set_congestion_control("bbr").ok();
        socket.tune_for_data();
        assert!(["cubic", "reno"].contains(&socket.congestion_control().as_str()));
    }

    /// Both ends of a TCP connection.
    fn tcp_pair() -> (Socket, Socket) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connected = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        [connected, accepted].map(|stream| Socket::from_fd(stream.into(), false).unwrap()).into()
    }

    #[test]
    fn a_connection_that_receives_ahead_has_a_larger_buffer_and_still_wakes_for_one_byte() {
        let limits = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_rmem").unwrap();
        let largest: usize = limits.split_whitespace().last().unwrap().parse().unwrap();
        let (socket, peer) = tcp_pair();
        let before = socket.option(libc::SO_RCVBUF);
        let wanted = (before + 1).min(largest / 2);
        socket.receive_ahead(wanted);
        assert!(socket.option(libc::SO_RCVBUF) >= wanted);
        assert_eq!(socket.option(libc::SO_RCVLOWAT), 1);
        peer.write(&[1]).unwrap();
        let mut set = crate::sys::poll::PollSet::new();
        set.add(&socket, crate::sys::poll::Interest::Read);
        set.wait(None).unwrap();
        assert_eq!(socket.read(&mut [0; 2]).unwrap(), Some(1));
    }

    #[test]
    fn a_tcp_connection_knows_its_times_and_a_unix_socket_does_not() {
        let (socket, _peer) = tcp_pair();
        let times = socket.times().unwrap();
        assert!(times.round_trip > Duration::ZERO && times.round_trip < Duration::from_secs(60));
        assert!(times.buffer_limited <= times.busy && times.busy < Duration::from_secs(60));
        assert!(Socket::pair().0.times().is_none());
    }

    #[test]
    fn the_user_at_the_other_end_of_a_unix_socket_is_known() {
        let (a, _b) = std::os::unix::net::UnixStream::pair().unwrap();
        let socket = Socket::from_fd(a.into(), true).unwrap();
        assert_eq!(socket.peer_user().unwrap(), crate::sys::host::user_id());
    }

    #[test]
    fn two_parts_are_written_and_read_in_one_call_each() {
        let (a, b) = std::os::unix::net::UnixStream::pair().unwrap();
        let [a, b] = [a, b].map(|s| Socket::from_fd(s.into(), true).unwrap());
        let (mut front, mut back) = ([0u8; 3], [0u8; 4]);
        // SAFETY: an array is writable for its length, and the two are separate.
        let mut read = || unsafe { b.read_two(front.as_mut_ptr(), front.len(), &mut back) };
        assert_eq!(read().unwrap(), None);
        // SAFETY: an array is readable for its length.
        let n = unsafe { a.write_two(b"ab", b"cde".as_ptr(), 3) };
        assert_eq!(n.unwrap(), Some(5));
        assert_eq!(read().unwrap(), Some(5));
        assert_eq!((&front, &back[..2]), (b"abc", &b"de"[..]));
        drop(a);
        // SAFETY: as above.
        assert_eq!(unsafe { b.read_two(front.as_mut_ptr(), front.len(), &mut back) }.unwrap(), Some(0));
    }

    impl Socket {
        /// Makes the kernel's buffers as small as it allows, down to `bytes`.
        pub(crate) fn set_buffers(&self, bytes: usize) -> io::Result<()> {
            self.set_option(libc::SOL_SOCKET, libc::SO_SNDBUF, bytes as libc::c_int)?;
            self.set_option(libc::SOL_SOCKET, libc::SO_RCVBUF, bytes as libc::c_int)
        }

        /// An option of sockets that is a number.
        fn option(&self, name: libc::c_int) -> usize {
            let mut value: libc::c_int = 0;
            let mut bytes = size_of::<libc::c_int>() as libc::socklen_t;
            let (fd, pointer) = (self.as_raw_fd(), (&raw mut value).cast());
            // SAFETY: the kernel writes at most `bytes` bytes to the int; both outlive the call.
            let rc = unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, name, pointer, &raw mut bytes) };
            assert_eq!(rc, 0);
            value as usize
        }

        fn congestion_control(&self) -> String {
            let mut name = [0u8; 16];
            let mut bytes = name.len() as libc::socklen_t;
            let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
            // SAFETY: the kernel writes at most `bytes` bytes of a name into the array, which has that many.
            let rc = unsafe {
                libc::getsockopt(self.as_raw_fd(), level, option, name.as_mut_ptr().cast(), &raw mut bytes)
            };
            assert_eq!(rc, 0);
            let end = name.iter().position(|b| *b == 0).unwrap_or(bytes as usize);
            String::from_utf8_lossy(&name[..end]).into_owned()
        }
    }
}
