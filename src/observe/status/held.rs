//! Pages of other processes that this one holds, so that they outlive a process which is killed.

use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::sync::Arc;

use super::page_file::PageFile;
use crate::base::Rank;
use crate::sys::owned::Owned;
use crate::sys::shared_values::SharedValues;

/// The file with the page of another rank. It exists for as long as some process holds it.
#[derive(Clone, Debug)]
pub struct HeldPage {
    _file: Arc<Owned<OwnedFd>>,
}

/// Files by their identity.
static FILES: SharedValues<(u64, u64), Owned<OwnedFd>> = SharedValues::new();

impl HeldPage {
    /// Holds the page of a rank of a job, which a process has by this descriptor. `None` if there is no such
    /// page: the process may be gone, or another one, because processes of another PID namespace have other
    /// numbers.
    pub fn of((pid, fd): (u32, RawFd), job: u64, rank: Rank) -> Option<HeldPage> {
        let file = PageFile::of(pid, fd).ok().filter(|file| file.has_page(pid, job, rank))?;
        let identity = file.identity();
        let make = || Ok::<_, io::Error>(Owned::new(file.into_descriptor()));
        Some(HeldPage { _file: FILES.get_or(identity, |_| true, make).ok()? })
    }
}
