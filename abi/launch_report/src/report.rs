//! A report as the bytes of a datagram.
//!
//! It has seven fields with a zero byte between them: secret, facade, event, process, rank, library, user. No
//! path contains a zero.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Longest datagram: two paths of the longest kind, and the rest.
pub(crate) const LONGEST: usize = 2 * 4096 + 256;

/// The interface of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facade {
    /// NCCL.
    Nccl,
    /// MPI.
    Mpi,
}

impl Facade {
    /// Name of the interface.
    pub fn name(self) -> &'static str {
        match self {
            Facade::Nccl => "NCCL",
            Facade::Mpi => "MPI",
        }
    }

    fn of(word: &[u8]) -> Option<Facade> {
        [Facade::Nccl, Facade::Mpi].into_iter().find(|facade| facade.name().as_bytes() == word)
    }
}

/// An event about a library of NCCL or MPI in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The loader has mapped a library with such a name.
    Loaded,
    /// The loader has bound a function of the library for another library or the program.
    Bound,
    /// The library was called, and reports that itself.
    Called,
}

impl Event {
    const ALL: [(Event, &str); 3] =
        [(Event::Loaded, "loaded"), (Event::Bound, "bound"), (Event::Called, "called")];

    fn word(self) -> &'static str {
        Event::ALL.iter().find(|(what, _)| *what == self).map_or("", |(_, word)| word)
    }

    fn of(word: &[u8]) -> Option<Event> {
        Event::ALL.iter().find(|(_, known)| known.as_bytes() == word).map(|(what, _)| *what)
    }
}

/// A report of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The interface of the library.
    pub facade: Facade,
    /// The event.
    pub what: Event,
    /// The process id, in the process's own namespace.
    pub pid: u32,
    /// Rank of the process, if it has one.
    pub rank: Option<u32>,
    /// The library.
    pub library: PathBuf,
    /// The library that requested the function, else the program.
    pub user: PathBuf,
}

impl Report {
    pub(crate) fn to_bytes(&self, secret: &str) -> Vec<u8> {
        let rank = self.rank.map(|rank| rank.to_string()).unwrap_or_default();
        let (pid, library, user) = (self.pid.to_string(), self.library.as_os_str(), self.user.as_os_str());
        let facade = self.facade.name().as_bytes();
        let fields =
            [secret.as_bytes(), facade, self.what.word().as_bytes(), pid.as_bytes(), rank.as_bytes()];
        [fields.join(&0), library.as_bytes().into(), user.as_bytes().into()].join(&0)
    }

    /// Parses a datagram. `None`: it does not come from a process of the job.
    pub(crate) fn of(bytes: &[u8], secret: &str) -> Option<Report> {
        let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let [own, facade, what, pid, rank, library, user] = fields[..] else { return None };
        let number = |field: &[u8]| str::from_utf8(field).ok()?.parse().ok();
        let path = |field| PathBuf::from(OsStr::from_bytes(field));
        (own == secret.as_bytes()).then_some(())?;
        Some(Report {
            facade: Facade::of(facade)?,
            what: Event::of(what)?,
            pid: number(pid)?,
            rank: number(rank),
            library: path(library),
            user: path(user),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let (library, user) = ("/a b/libnccl.so.2".into(), "/é/python3".into());
        Report { facade: Facade::Mpi, what: Event::Bound, pid: 4711, rank: Some(3), library, user }
    }

    #[test]
    fn a_report_is_read_as_it_was_told() {
        for what in [Event::Loaded, Event::Bound, Event::Called] {
            for rank in [None, Some(0), Some(70000)] {
                let report = Report { what, rank, ..report() };
                assert_eq!(Report::of(&report.to_bytes("key"), "key"), Some(report));
            }
        }
    }

    #[test]
    fn messages_without_the_key_or_with_invalid_fields_are_no_reports() {
        let bytes = report().to_bytes("key");
        assert_eq!(Report::of(&bytes, "other key"), None);
        assert_eq!(Report::of(&bytes[..bytes.len() / 3], "key"), None);
        assert_eq!(Report::of(b"", ""), None);
        assert_eq!(Report::of(b"key\0MPI\0danced\x001\0\0/x\0/y", "key"), None);
        assert_eq!(Report::of(&[&bytes[..], b"\0more"].concat(), "key"), None);
    }
}
