//! NCCL's RAS service: a process of a job tells clients about the job, by the text protocol that NVIDIA's
//! `ncclras` speaks.
//!
//! The facts are those of `anyccl status` ([`super::jobs`]), so ranks are not asked, and a job that hangs is
//! described as well. As with NCCL, each process has a thread that listens, and the kernel chooses one of
//! them for each client. So the job is described for as long as one of its processes lives and is not
//! stopped: a client that has chosen a stopped one tries again.
//!
//! `server` has the thread and its clients, `protocol` their commands, `text` and `json` the answers, and
//! `monitor` what changes while a client watches. `askers` says who may ask.
//!
//! Left out: NCCL's diagnostics and its control of profilers, ranks on other hosts, and devices: no
//! communicator of anyccl belongs to one.

mod answer;
mod askers;
mod json;
mod monitor;
mod protocol;
mod server;
mod text;

pub use answer::NCCL_VERSION;

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::log_line;
use crate::sys::owned::Owned;
use crate::sys::per_process::PerProcess;
use crate::sys::resolve::{Resolved, resolve};
use crate::sys::shared_port;
use crate::sys::thread::spawn_quiet;

/// Where NCCL's clients ask by default.
pub const HOST: &str = "localhost";
/// The port there.
pub const PORT: u16 = 28028;

/// Whether this process has tried to start the service.
static IS_TRIED: PerProcess<AtomicBool> = PerProcess::new();

/// Starts the service of this process, on the first call. A port that others have is no error: a line of the
/// log says so.
pub fn start((host, port): &(String, u16)) {
    if IS_TRIED.get_or(AtomicBool::default).value.swap(true, Ordering::Relaxed) {
        return;
    }
    let started = listen(host, *port)
        .and_then(|listener| spawn_quiet("anyccl-ras", move || server::serve(&listener)).map(drop));
    match started {
        Ok(()) => log_line!(Info, "clients of NCCL's RAS are served at {host}:{port}"),
        Err(error) => log_line!(
            Info,
            "clients of NCCL's RAS are not served, because {host}:{port} cannot be listened at: {error}"
        ),
    }
}

/// Listens at the first address of the host at which that is possible.
fn listen(host: &str, port: u16) -> io::Result<Owned<TcpListener>> {
    let addresses = match resolve(host, port) {
        Resolved::Addresses(addresses) => addresses,
        Resolved::Unknown(text) | Resolved::NotNow(text) => return Err(io::Error::other(text)),
    };
    let mut last = None;
    for at in addresses {
        match shared_port::listen(at) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}
