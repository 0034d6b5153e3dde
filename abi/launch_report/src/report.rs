//! A report as the bytes of a datagram.
//!
//! Six fields with a zero byte between them: secret, what, process, rank, library, user. No path has a zero
//! in it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Two paths of the longest kind, and the rest.
pub(crate) const LONGEST: usize = 2 * 4096 + 256;

/// What has happened to an NCCL library in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NcclEvent {
    /// The loader has mapped a library with NCCL's name.
    Loaded,
    /// A function of that library was found for somebody who asked.
    Bound,
    /// The library was called: it says so itself.
    Called,
}

impl NcclEvent {
    const ALL: [(NcclEvent, &str); 3] =
        [(NcclEvent::Loaded, "loaded"), (NcclEvent::Bound, "bound"), (NcclEvent::Called, "called")];

    fn word(self) -> &'static str {
        NcclEvent::ALL.iter().find(|(what, _)| *what == self).map_or("", |(_, word)| word)
    }

    fn of(word: &[u8]) -> Option<NcclEvent> {
        NcclEvent::ALL.iter().find(|(_, known)| known.as_bytes() == word).map(|(what, _)| *what)
    }
}

/// A report of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What has happened.
    pub what: NcclEvent,
    /// The process, as it sees itself.
    pub pid: u32,
    /// Its rank, where it has one.
    pub rank: Option<u32>,
    /// The library.
    pub library: PathBuf,
    /// Who asked for the function; else the program.
    pub user: PathBuf,
}

impl Report {
    pub(crate) fn to_bytes(&self, secret: &str) -> Vec<u8> {
        let rank = self.rank.map(|rank| rank.to_string()).unwrap_or_default();
        let (pid, library, user) = (self.pid.to_string(), self.library.as_os_str(), self.user.as_os_str());
        let fields = [secret.as_bytes(), self.what.word().as_bytes(), pid.as_bytes(), rank.as_bytes()];
        [fields.join(&0), library.as_bytes().into(), user.as_bytes().into()].join(&0)
    }

    /// `None`: it is not from one of ours.
    pub(crate) fn of(bytes: &[u8], secret: &str) -> Option<Report> {
        let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let [own, what, pid, rank, library, user] = fields[..] else { return None };
        let number = |field: &[u8]| str::from_utf8(field).ok()?.parse().ok();
        let path = |field| PathBuf::from(OsStr::from_bytes(field));
        (own == secret.as_bytes()).then_some(())?;
        Some(Report {
            what: NcclEvent::of(what)?,
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
        Report { what: NcclEvent::Bound, pid: 4711, rank: Some(3), library, user }
    }

    #[test]
    fn a_report_is_read_as_it_was_told() {
        for what in [NcclEvent::Loaded, NcclEvent::Bound, NcclEvent::Called] {
            for rank in [None, Some(0), Some(70000)] {
                let report = Report { what, rank, ..report() };
                assert_eq!(Report::of(&report.to_bytes("key"), "key"), Some(report));
            }
        }
    }

    #[test]
    fn what_others_send_is_no_report() {
        let bytes = report().to_bytes("key");
        assert_eq!(Report::of(&bytes, "other key"), None);
        assert_eq!(Report::of(&bytes[..bytes.len() / 3], "key"), None);
        assert_eq!(Report::of(b"", ""), None);
        assert_eq!(Report::of(b"key\0danced\x001\0\0/x\0/y", "key"), None);
        assert_eq!(Report::of(&[&bytes[..], b"\0more"].concat(), "key"), None);
    }
}
