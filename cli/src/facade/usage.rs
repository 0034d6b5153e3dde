//! Reports of the processes of a job about the NCCL, or the MPI, that they use.

use std::io;
use std::path::Path;

use anyccl_launch_report::{Event, Listener, Report, VARIABLE};
use serde::{Deserialize, Serialize};

use super::files::FacadeFiles;
use crate::sys::poll::{self, Waiting};

/// How a process uses NCCL, or MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Usage {
    /// Our library was loaded. It may have been preloaded into a program that does not use it.
    OursLoaded,
    /// Our library was called, or the loader found one of its functions for another library or the program.
    OursUsed,
    /// A foreign library was loaded. If ours was preloaded, the foreign one may never be used.
    OtherLoaded,
    /// The loader found a function of a foreign library for another library or the program.
    OtherUsed,
}

/// A report of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageReport {
    /// The event.
    pub usage: Usage,
    /// The process: `rank 0 (pid 4711)`, or the process alone.
    pub who: String,
    /// The library.
    pub library: String,
    /// The program, or the library that asked for a function.
    pub user: String,
}

/// The reports of this host's processes, in the order in which they arrive.
pub struct UsageReports {
    listener: Listener,
    files: FacadeFiles,
}

impl UsageReports {
    /// Opens the socket for the reports.
    pub fn open(files: FacadeFiles) -> io::Result<UsageReports> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(UsageReports { listener: Listener::new(random)?, files })
    }

    /// The variable by which processes find the socket.
    pub fn variable(&self) -> (String, String) {
        (VARIABLE.to_string(), self.listener.value())
    }

    /// What to wait for until a report arrives.
    pub fn waiting(&self) -> Waiting {
        poll::readable(&self.listener)
    }

    /// The reports that have arrived since the last call.
    pub fn read_new(&self) -> io::Result<Vec<UsageReport>> {
        let mut new = Vec::new();
        while let Some(report) = self.listener.next()? {
            if report.facade != self.files.facade.reported() {
                continue;
            }
            let is_ours = self.files.is_ours(&report.library);
            new.push(UsageReport::of(&report, is_ours));
        }
        Ok(new)
    }
}

impl UsageReport {
    fn of(report: &Report, is_ours: bool) -> UsageReport {
        let text = |path: &Path| path.display().to_string();
        let usage = match (report.what, is_ours) {
            (Event::Loaded, true) => Usage::OursLoaded,
            (Event::Bound | Event::Called, true) => Usage::OursUsed,
            (Event::Loaded, false) => Usage::OtherLoaded,
            (Event::Bound | Event::Called, false) => Usage::OtherUsed,
        };
        let who = match report.rank {
            Some(rank) => format!("rank {rank} (pid {})", report.pid),
            None => format!("process {}", report.pid),
        };
        UsageReport { usage, who, library: text(&report.library), user: text(&report.user) }
    }
}
