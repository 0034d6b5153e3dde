//! `ANYCCL_METRICS`: the [`super::counts`] of this process in Prometheus' text format, in a file or at a
//! port.
//!
//! A thread writes the file every few seconds, and the end of a rank and of the process write it once more.
//! A new file is written next to the old one and renamed, so a reader never sees half of one. At a port, the
//! same thread answers one request after the other. It neither trusts nor waits long for who asks: a request
//! has 4 KiB and two seconds.
//!
//! A file that cannot be written, or a port that is taken, is one warning. The program goes on.

mod text;

pub use text::text;

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::counts::{self, CountedRank};
use crate::log_line;
use crate::sys::owned::Owned;
use crate::sys::per_process::PerProcess;
use crate::sys::thread::spawn_quiet;
use crate::sys::{at_exit, clock, limits};

/// Where metrics go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsTarget {
    /// To this file. `{rank}`, `{job}` and `{pid}` are replaced.
    File(String),
    /// To who asks at this address. Ranks of a host add their local rank to the port.
    Listen(SocketAddr),
}

impl MetricsTarget {
    /// The forms that [`MetricsTarget::parse`] reads.
    pub const FORMS: &str = "file:PATH, PORT or ADDRESS:PORT";

    /// Reads `file:PATH`, `PORT` or `ADDRESS:PORT`.
    pub fn parse(text: &str) -> Option<MetricsTarget> {
        if let Some(path) = text.strip_prefix("file:") {
            let is_file = !path.is_empty() && !path.ends_with('/');
            return is_file.then(|| MetricsTarget::File(path.into()));
        }
        let here = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let address: SocketAddr = text.parse().ok().or_else(|| text.parse().ok().map(here))?;
        (address.port() != 0).then_some(MetricsTarget::Listen(address))
    }
}

/// Time between two writes of the file.
const INTERVAL: Duration = Duration::from_secs(5);
/// Longest request.
const MOST_BYTES: usize = 4096;
/// Time that a request and its answer have.
const PATIENCE: Duration = Duration::from_secs(2);

/// What this process exports: chosen by its first rank.
static EXPORTER: PerProcess<Exporter> = PerProcess::new();

#[derive(Debug)]
struct Exporter {
    /// The file, if metrics go to one.
    path: Option<PathBuf>,
    has_started: AtomicBool,
    has_warned: AtomicBool,
}

/// Exports the metrics of this process from now on. The first call decides where to, because a process has
/// one file or port. `local_rank`: of the rank that calls.
pub fn export(target: &MetricsTarget, of: CountedRank, local_rank: u32) {
    if EXPORTER.known().is_some() {
        return;
    }
    let path = match target {
        MetricsTarget::File(path) => Some(PathBuf::from(file_of(path, of))),
        MetricsTarget::Listen(_) => None,
    };
    let make = || Exporter { path, has_started: AtomicBool::new(false), has_warned: AtomicBool::new(false) };
    let exporter = &EXPORTER.get_or(make).value;
    if exporter.has_started.swap(true, Ordering::Relaxed) {
        return;
    }
    let started = match target {
        MetricsTarget::Listen(first) => listen(*first, local_rank),
        MetricsTarget::File(_) => spawn_quiet("anyccl-metrics", || {
            loop {
                write_now();
                clock::sleep(INTERVAL);
            }
        })
        .map(drop),
    };
    if let Err(error) = started {
        log_line!(Warn, "rank {}: no metrics at {target}: {error}", of.rank);
    }
    if exporter.path.is_some() {
        at_exit::run(write_at_exit);
    }
}

impl std::fmt::Display for MetricsTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MetricsTarget::File(path) => f.write_str(path),
            MetricsTarget::Listen(address) => write!(f, "{address}"),
        }
    }
}

/// The file of a rank. Without a placeholder, ranks of one job would write to the same file.
fn file_of(path: &str, of: CountedRank) -> String {
    const PLACES: [&str; 3] = ["{rank}", "{job}", "{pid}"];
    let path = match path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name)) {
        _ if of.size == 1 || path.contains(PLACES[0]) || path.contains(PLACES[2]) => path.to_string(),
        (_, name) => {
            let ending = name.rfind('.').filter(|at| *at > 0).map_or(0, |at| name.len() - at);
            let (stem, ending) = path.split_at(path.len() - ending);
            format!("{stem}-{{rank}}{ending}")
        }
    };
    let values = [of.rank.to_string(), format!("{:016x}", of.job), std::process::id().to_string()];
    PLACES.iter().zip(&values).fold(path, |path, (place, value)| path.replace(place, value))
}

extern "C" fn write_at_exit() {
    write_now();
}

/// Writes the file of this process now, if it has one.
pub fn write_now() {
    let Some(exporter) = EXPORTER.known() else { return };
    let Some(path) = &exporter.value.path else { return };
    if let Err(error) = write(path, &text(&counts::all()))
        && !exporter.value.has_warned.swap(true, Ordering::Relaxed)
    {
        log_line!(Warn, "cannot write metrics to {}: {error}", path.display());
    }
}

/// Writes a file in one step.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    // A link would be replaced, and its target would not change any more.
    if let Ok(old) = fs::symlink_metadata(path)
        && !old.is_file()
    {
        let what =
            if old.is_symlink() { "it is a symbolic link: name its target" } else { "it is no regular file" };
        return Err(io::Error::other(what));
    }
    // Two threads may write at once.
    let unfinished = path.with_file_name(format!(
        ".{}.{}.{:?}",
        name.to_string_lossy(),
        std::process::id(),
        thread::current().id()
    ));
    let _ = fs::remove_file(&unfinished);
    // Not only for this user: what collects the files often is another one.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&unfinished)?;
    let written = limits::check_file(text.len())
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Answers at the first address, with the local rank added to the port.
fn listen(first: SocketAddr, local_rank: u32) -> io::Result<()> {
    let port = u32::from(first.port()) + local_rank;
    let port = u16::try_from(port).map_err(|_| io::Error::other("the port is above 65535"))?;
    let listener = Owned::new(TcpListener::bind(SocketAddr::new(first.ip(), port))?);
    let answer_all = move || {
        loop {
            match listener.accept() {
                Ok((stream, _)) => drop(answer(Owned::new(stream))),
                // Too many open files, most likely: not at full speed.
                Err(_) => clock::sleep(PATIENCE),
            }
        }
    };
    spawn_quiet("anyccl-metrics", answer_all).map(drop)
}

/// Answers one request.
fn answer(mut stream: Owned<TcpStream>) -> io::Result<()> {
    let end = clock::now() + PATIENCE;
    let left = |end: Instant| end.saturating_duration_since(clock::now()).max(Duration::from_millis(1));
    let mut request = Vec::new();
    while !request.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        if request.len() >= MOST_BYTES || clock::now() >= end {
            return Err(io::ErrorKind::InvalidData.into());
        }
        stream.set_read_timeout(Some(left(end)))?;
        let mut piece = [0; 1024];
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => request.extend_from_slice(&piece[..read]),
        }
    }
    stream.set_write_timeout(Some(left(end)))?;
    stream.write_all(response(&request).as_bytes())
}

/// The answer to a request.
fn response(request: &[u8]) -> String {
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split(|byte| *byte == b'?').next().unwrap_or_default();
    let (status, kind, body) = match (method, path) {
        (b"GET", b"/metrics" | b"/") => {
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", text(&counts::all()))
        }
        (b"GET", _) => ("404 Not Found", "text/plain", "metrics are at /metrics\n".into()),
        _ => ("405 Method Not Allowed", "text/plain", "only GET\n".into()),
    };
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_file_a_port_of_loopback_or_an_address() {
        let listen = |text: &str| MetricsTarget::Listen(text.parse().unwrap());
        assert_eq!(MetricsTarget::parse("9400"), Some(listen("127.0.0.1:9400")));
        assert_eq!(MetricsTarget::parse("0.0.0.0:9400"), Some(listen("0.0.0.0:9400")));
        assert_eq!(MetricsTarget::parse("[::1]:9400"), Some(listen("[::1]:9400")));
        assert_eq!(MetricsTarget::parse("file:/a/b"), Some(MetricsTarget::File("/a/b".into())));
        for wrong in ["", "file:", "file:/a/", "0", "70000", "host:9400", "/a/b", "file"] {
            assert_eq!(MetricsTarget::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranks_of_a_job_write_to_files_of_their_own() {
        let of = CountedRank { job: 0xab, rank: 3, size: 4 };
        assert_eq!(file_of("/m/anyccl.prom", of), "/m/anyccl-3.prom");
        assert_eq!(file_of("/m.d/anyccl", of), "/m.d/anyccl-3");
        assert_eq!(file_of(".hidden", of), ".hidden-3");
        assert_eq!(file_of("/m/{job}.{rank}.prom", of), "/m/00000000000000ab.3.prom");
        let alone = CountedRank { size: 1, ..of };
        assert_eq!(file_of("/m/anyccl.prom", alone), "/m/anyccl.prom");
    }

    #[test]
    fn only_a_get_of_the_metrics_is_answered_with_them() {
        let status = |request: &str| response(request.as_bytes()).lines().next().unwrap().to_string();
        assert_eq!(status("GET /metrics HTTP/1.1\r\n\r\n"), "HTTP/1.1 200 OK");
        assert_eq!(status("GET /metrics?a=b HTTP/1.1\r\n\r\n"), "HTTP/1.1 200 OK");
        assert_eq!(status("GET /etc/passwd HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 Not Found");
        assert_eq!(status("POST /metrics HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
        assert_eq!(status("\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        assert!(write(Path::new("/dev/null/metrics"), "text").is_err());
        assert!(write(Path::new("/"), "text").is_err());
        // A device must not be replaced, and neither must a link.
        assert!(write(Path::new("/dev/null"), "text").is_err());
        let link = std::env::temp_dir().join(format!("anyccl-metrics-link-{}", std::process::id()));
        std::os::unix::fs::symlink("/nowhere", &link).unwrap();
        let refused = write(&link, "text").unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::remove_file(&link).unwrap();
    }
}
