//! The sending side of launch reports: a process tells its launcher which libraries it uses.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::report::{Event, Facade, Report};

/// The variable by which a process finds its launcher. Only the launcher sets it.
pub const VARIABLE: &str = "ANYCCL_LAUNCH_REPORT";
/// How long to wait for a launcher that does not read.
const PATIENCE: Duration = Duration::from_secs(2);

/// A process with a launcher to report to.
#[derive(Debug)]
pub struct Reporter {
    address: SocketAddr,
    secret: String,
    rank: Option<u32>,
    facade: Facade,
}

impl Reporter {
    /// A reporter about libraries of `facade`, from the environment. `None` if [`VARIABLE`] is unset
    /// or invalid.
    pub fn of_environment(facade: Facade) -> Option<Reporter> {
        let rank = std::env::var("ANYCCL_RANK").ok().and_then(|rank| rank.parse().ok());
        Reporter::new(&std::env::var(VARIABLE).ok()?, rank, facade)
    }

    /// A reporter for a value of [`VARIABLE`]; `None` if the value is invalid.
    pub fn new(value: &str, rank: Option<u32>, facade: Facade) -> Option<Reporter> {
        let (name, secret) = value.split_once('.')?;
        let address = SocketAddr::from_abstract_name(name).ok()?;
        Some(Reporter { address, secret: secret.to_string(), rank, facade })
    }

    /// Reports an event about `library`. `user` is the library that requested its function; `None` stands for
    /// the program.
    ///
    /// An error usually means that the launcher has gone, does not read, or is out of reach in another
    /// network namespace.
    pub fn tell(&self, what: Event, library: &Path, user: Option<&Path>) -> io::Result<()> {
        let program = || std::env::current_exe().unwrap_or_default();
        let report = Report {
            facade: self.facade,
            what,
            pid: std::process::id(),
            rank: self.rank,
            library: library.to_path_buf(),
            user: user.map_or_else(program, PathBuf::from),
        };
        self.socket()?.send(&report.to_bytes(&self.secret))?;
        Ok(())
    }

    /// Whether the launcher's socket can still be reached.
    pub fn has_listener(&self) -> bool {
        self.socket().is_ok()
    }

    /// A new socket for each report: programs that close all descriptors would close one that is kept.
    fn socket(&self) -> io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.set_write_timeout(Some(PATIENCE))?;
        socket.connect_addr(&self.address)?;
        Ok(socket)
    }
}
