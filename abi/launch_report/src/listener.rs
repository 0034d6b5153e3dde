//! The launcher's side, which receives reports.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use crate::report::{LONGEST, Report};

/// The socket on which a launcher receives reports.
#[derive(Debug)]
pub struct Listener {
    socket: UnixDatagram,
    name: String,
    secret: String,
}

impl Listener {
    /// Opens the socket. `random` must be unpredictable. Its first half becomes the name, which every user of
    /// the host can see. Its second half becomes the secret, which only processes with the variable know.
    pub fn new(random: [u8; 32]) -> io::Result<Listener> {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (name, secret) = (format!("anyccl-launch-{}", hex(&random[..16])), hex(&random[16..]));
        let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        socket.set_nonblocking(true)?;
        Ok(Listener { socket, name, secret })
    }

    /// The value of [`crate::VARIABLE`] for the processes of the job.
    pub fn value(&self) -> String {
        format!("{}.{}", self.name, self.secret)
    }

    /// The next report, if one has arrived. Datagrams of strangers are ignored.
    pub fn next(&self) -> io::Result<Option<Report>> {
        let mut bytes = [0; LONGEST];
        loop {
            match self.socket.recv(&mut bytes) {
                Ok(length) => {
                    if let Some(report) = Report::of(&bytes[..length], &self.secret) {
                        return Ok(Some(report));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsRawFd for Listener {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Event, Facade, Reporter};

    /// Bytes that differ between tests and between processes.
    fn random(test: u8) -> [u8; 32] {
        let mut bytes = [test; 32];
        bytes[..4].copy_from_slice(&std::process::id().to_ne_bytes());
        bytes
    }

    #[test]
    fn reports_arrive_in_order_and_those_of_strangers_are_ignored() {
        let listener = Listener::new(random(1)).unwrap();
        let reporter = Reporter::new(&listener.value(), Some(2), Facade::Nccl).unwrap();
        let stranger = Reporter::new(&format!("{}.guess", listener.name), Some(1), Facade::Nccl).unwrap();
        let library = Path::new("/lib/libnccl.so.2");
        stranger.tell(Event::Called, library, None).unwrap();
        reporter.tell(Event::Loaded, library, None).unwrap();
        reporter.tell(Event::Bound, library, Some(Path::new("/lib/libtorch.so"))).unwrap();
        let (loaded, bound) = (listener.next().unwrap().unwrap(), listener.next().unwrap().unwrap());
        assert_eq!((loaded.what, loaded.rank, loaded.pid), (Event::Loaded, Some(2), std::process::id()));
        assert_eq!(loaded.facade, Facade::Nccl);
        assert_eq!(loaded.user, std::env::current_exe().unwrap());
        assert_eq!((bound.what, bound.user.as_path()), (Event::Bound, Path::new("/lib/libtorch.so")));
        assert_eq!(listener.next().unwrap(), None);
    }

    #[test]
    fn a_launcher_that_has_gone_is_an_error_and_not_waited_for() {
        let listener = Listener::new(random(2)).unwrap();
        let reporter = Reporter::new(&listener.value(), None, Facade::Nccl).unwrap();
        assert!(reporter.has_listener());
        drop(listener);
        assert!(!reporter.has_listener());
        assert!(reporter.tell(Event::Called, Path::new("/x"), None).is_err());
    }

    #[test]
    fn an_invalid_value_makes_no_reporter() {
        assert!(Reporter::new("", None, Facade::Nccl).is_none());
        assert!(Reporter::new("name without a secret", None, Facade::Nccl).is_none());
        assert!(Reporter::new(&format!("{}.x", "long".repeat(100)), None, Facade::Nccl).is_none());
    }
}
