//! Listening sockets, both TCP and abstract Unix. They are non-blocking and close-on-exec.

use std::io;
#[cfg(test)]
use std::net::IpAddr;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener};

use super::owned::Owned;
use super::socket::Socket;

/// Connections that the kernel may queue. Strangers fill the queue as well as peers. With the standard
/// library's 128 the kernel would drop the first packet of a peer, which costs the peer a second.
const QUEUE: libc::c_int = 4096;

/// A listening socket.
#[derive(Debug)]
pub enum Listener {
    /// At an address and port.
    Tcp(Owned<TcpListener>),
    /// At an abstract name: it has no file, ends with the process, and is visible only in this network
    /// namespace.
    Unix(Owned<UnixListener>),
    /// At an address that stands for an abstract name. The kernel brings bytes over loopback later, when it
    /// likes to, and over a Unix socket at once.
    #[cfg(test)]
    Simulated(Owned<UnixListener>, SocketAddr),
}

impl Listener {
    /// Listens at a TCP address; port 0 lets the kernel choose.
    pub fn tcp(at: SocketAddr) -> io::Result<Listener> {
        #[cfg(test)]
        if let Some(scheduler) = super::scheduler::mine() {
            return Listener::simulated(at.ip(), &*scheduler);
        }
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        widen(listener.as_raw_fd())?;
        Ok(Listener::Tcp(Owned::new(listener)))
    }

    /// Listens at an abstract Unix name.
    pub fn unix(name: &[u8]) -> io::Result<Listener> {
        let listener = UnixListener::bind_addr(&UnixAddress::from_abstract_name(name)?)?;
        listener.set_nonblocking(true)?;
        widen(listener.as_raw_fd())?;
        #[cfg(test)]
        if let Some(scheduler) = super::scheduler::mine() {
            scheduler.listen(name);
        }
        Ok(Listener::Unix(Owned::new(listener)))
    }

    #[cfg(test)]
    fn simulated(at: IpAddr, scheduler: &dyn super::scheduler::Scheduler) -> io::Result<Listener> {
        use std::sync::atomic::{AtomicU16, Ordering};
        static PORT: AtomicU16 = AtomicU16::new(1);
        let at = SocketAddr::new(at, PORT.fetch_add(1, Ordering::Relaxed).max(1));
        let listener = UnixListener::bind_addr(&UnixAddress::from_abstract_name(simulated_name(at))?)?;
        listener.set_nonblocking(true)?;
        scheduler.listen(at.to_string().as_bytes());
        Ok(Listener::Simulated(Owned::new(listener), at))
    }

    /// The TCP address; `None` for Unix.
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().ok(),
            Listener::Unix(_) => None,
            #[cfg(test)]
            Listener::Simulated(_, at) => Some(*at),
        }
    }

    /// The abstract name; `None` for TCP.
    pub fn unix_name(&self) -> Option<Vec<u8>> {
        let Listener::Unix(listener) = self else { return None };
        listener.local_addr().ok()?.as_abstract_name().map(<[u8]>::to_vec)
    }

    /// The next connection. `None`: no one is waiting.
    pub fn accept(&self) -> io::Result<Option<Socket>> {
        let accepted = match self {
            Listener::Tcp(listener) => listener.accept().map(|(s, _)| (OwnedFd::from(s), false)),
            Listener::Unix(listener) => listener.accept().map(|(s, _)| (OwnedFd::from(s), true)),
            #[cfg(test)]
            Listener::Simulated(listener, _) => listener.accept().map(|(s, _)| (OwnedFd::from(s), false)),
        };
        match accepted {
            Ok((fd, unix)) => {
                let socket = Socket::from_fd(fd, unix)?;
                if matches!(self, Listener::Tcp(_)) {
                    socket.tune_tcp()?;
                }
                Ok(Some(socket))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsRawFd for Listener {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Listener::Tcp(listener) => listener.as_raw_fd(),
            Listener::Unix(listener) => listener.as_raw_fd(),
            #[cfg(test)]
            Listener::Simulated(listener, _) => listener.as_raw_fd(),
        }
    }
}

/// The abstract name for which a simulated address stands.
#[cfg(test)]
pub(super) fn simulated_name(at: SocketAddr) -> String {
    format!("anyccl-simulated-{}-{at}", std::process::id())
}

/// Lengthens the queue of a socket that already listens: Linux takes a second `listen` as a request for that.
fn widen(fd: RawFd) -> io::Result<()> {
    // SAFETY: takes integers only; a bad descriptor would be an error, not undefined.
    match unsafe { libc::listen(fd, QUEUE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
