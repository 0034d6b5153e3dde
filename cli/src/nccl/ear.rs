//! Hears what the processes of a job tell about the NCCL that they got.

use std::io;
use std::path::Path;

use anyccl_witness::{Listener, Report, VARIABLE, What};
use serde::{Deserialize, Serialize};

use super::place::Place;
use crate::sys::poll::{self, Waiting};

/// What a process got to do with NCCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sight {
    /// Our library was loaded. It may have been preloaded into a program that has no use for it.
    OursLoaded,
    /// Our library was called, or a function of it was found for somebody.
    OursUsed,
    /// Another NCCL was loaded. Where ours was preloaded, it may be of no use to anybody.
    OtherLoaded,
    /// A function of another NCCL was found for somebody.
    OtherUsed,
}

/// Something that a process has told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// What has happened.
    pub sight: Sight,
    /// `rank 0 (pid 4711)`, or the process alone.
    pub who: String,
    /// The library.
    pub library: String,
    /// The program, or the library that asked for a function.
    pub user: String,
}

/// A place to listen.
pub struct Ear {
    listener: Listener,
    place: Place,
}

impl Ear {
    /// Opens it.
    pub fn open(place: Place) -> io::Result<Ear> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(Ear { listener: Listener::new(random)?, place })
    }

    /// The variable by which processes find it.
    pub fn variable(&self) -> (String, String) {
        (VARIABLE.to_string(), self.listener.value())
    }

    /// What to wait for.
    pub fn waiting(&self) -> Waiting {
        poll::readable(&self.listener)
    }

    /// What has been told since the last time.
    pub fn hear(&self) -> io::Result<Vec<Sighting>> {
        let mut heard = Vec::new();
        while let Some(report) = self.listener.next()? {
            let is_ours = self.place.is_ours(&report.library);
            heard.push(Sighting::of(&report, is_ours));
        }
        Ok(heard)
    }
}

impl Sighting {
    fn of(report: &Report, is_ours: bool) -> Sighting {
        let text = |path: &Path| path.display().to_string();
        let sight = match (report.what, is_ours) {
            (What::Loaded, true) => Sight::OursLoaded,
            (What::Bound | What::Called, true) => Sight::OursUsed,
            (What::Loaded, false) => Sight::OtherLoaded,
            (What::Bound | What::Called, false) => Sight::OtherUsed,
        };
        let who = match report.rank {
            Some(rank) => format!("rank {rank} (pid {})", report.pid),
            None => format!("process {}", report.pid),
        };
        Sighting { sight, who, library: text(&report.library), user: text(&report.user) }
    }
}
