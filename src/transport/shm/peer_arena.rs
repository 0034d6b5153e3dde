//! What is known of the arena of a peer.

use std::io;
use std::os::fd::OwnedFd;

use crate::memory::Window;
use crate::sys::owned::Owned;
use crate::transport::garbage;

/// The arena of a peer.
#[derive(Default)]
pub(super) enum PeerArena {
    /// Its file has not come.
    #[default]
    Pending,
    /// Its file has come, and this process had no descriptor or memory for it. Messages are copied.
    Lost,
    /// Its file has come.
    Known(Window),
}

impl PeerArena {
    /// The arena after its file has come. `None`: the kernel could not make its descriptor. A second file and
    /// one of another kind are errors.
    pub fn with_file(self, file: Option<Owned<OwnedFd>>) -> io::Result<PeerArena> {
        if !self.is_pending() {
            return Err(garbage("more files than it has"));
        }
        match file.map(|file| Window::new(file.into_file())) {
            Some(Ok(window)) => Ok(PeerArena::Known(window)),
            Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => Err(error),
            Some(Err(_)) | None => Ok(PeerArena::Lost),
        }
    }

    /// Whether its file has not come.
    pub fn is_pending(&self) -> bool {
        matches!(self, PeerArena::Pending)
    }

    /// The arena, if it is known.
    pub fn window(&mut self) -> Option<&mut Window> {
        match self {
            PeerArena::Known(window) => Some(window),
            PeerArena::Pending | PeerArena::Lost => None,
        }
    }
}
