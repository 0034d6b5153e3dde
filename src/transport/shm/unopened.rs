//! A link through shared memory that has not been opened yet.
//!
//! It costs no memory of the pair. The side that first sends or waits for a message opens its end, and needs
//! nothing of the other side for that. What it sends lies in the memory of the pair from then on. The other
//! side counts as asleep there, so it is rung by the control channel, and then opens its own end.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use super::layout::slots;
use super::link::ShmLink;
use super::pair_file::{PairFile, Place};
use super::peer_arena::PeerArena;
use crate::base::Rank;
use crate::memory::{Arena, has_exported};
use crate::sys::owned::Owned;
use crate::sys::process_memory;
use crate::sys::socket::Socket;
use crate::transport::control::SharedFile;
use crate::transport::{Link, SilentLink};

/// Settings that both sides of a pair must have alike.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of ranks of this host in the communicator.
    pub ranks: u32,
    /// Whether this side may read the peer's memory, if the kernel permits it.
    pub single_copy: bool,
}

/// The file of the lower rank of the pair.
enum FileState {
    /// The higher rank has not got it yet.
    Pending,
    Here(PairFile),
    /// The kernel could not make a descriptor when the file came.
    Lost,
}

/// One end of a link that has not been opened.
pub struct UnopenedShm {
    file: FileState,
    place: Place,
    /// 0 is the lower rank of the pair, 1 the higher.
    side: usize,
    settings: Settings,
    is_oversubscribed: bool,
    /// The peer's arena.
    arena: PeerArena,
    silent: SilentLink,
}

impl UnopenedShm {
    /// The end of `rank` towards `peer`, two local ranks of `size`. `file`: the file of `rank`, if it is the
    /// lower one. The higher one gets the file from its peer.
    pub fn new(
        (rank, peer): (Rank, Rank),
        size: u32,
        file: Option<PairFile>,
        settings: Settings,
    ) -> UnopenedShm {
        let (place, side) = (Place::of(rank, peer, size), usize::from(rank > peer));
        let file = file.map_or(FileState::Pending, FileState::Here);
        let silent = SilentLink { transport: "shm" };
        UnopenedShm {
            file,
            place,
            side,
            settings,
            is_oversubscribed: false,
            arena: PeerArena::Pending,
            silent,
        }
    }

    /// Whether the file of the lower rank has come, so that this end can be opened.
    pub fn can_open(&self) -> bool {
        !matches!(self.file, FileState::Pending)
    }

    /// Takes a file that the peer has passed: that of the pair, or its arena. See [`Link::take_file`].
    pub fn take_file(&mut self, file: Option<Owned<OwnedFd>>) -> io::Result<()> {
        match (&self.file, file) {
            (FileState::Pending, None) => self.file = FileState::Lost,
            (FileState::Pending, Some(file)) => self.file = FileState::Here(PairFile::from_peer(file)),
            (_, file) => self.arena = std::mem::take(&mut self.arena).with_file(file)?,
        }
        Ok(())
    }

    /// See [`Link::set_oversubscribed`]. It holds for the link that is opened.
    pub fn set_oversubscribed(&mut self, oversubscribed: bool) {
        self.is_oversubscribed = oversubscribed;
    }

    /// What stands for the link until it is opened.
    pub fn silent(&self) -> &SilentLink {
        &self.silent
    }

    /// See [`UnopenedShm::silent`].
    pub fn silent_mut(&mut self) -> &mut SilentLink {
        &mut self.silent
    }

    /// Whether the peer's arena has not come.
    pub fn awaits_arena(&self) -> bool {
        self.arena.is_pending()
    }

    /// Opens this end. `socket` leads to the peer's process. `None`: the file of the lower rank is missing.
    pub fn open(&mut self, socket: &Socket) -> io::Result<Option<ShmLink>> {
        let file = match &self.file {
            FileState::Pending => return Ok(None),
            FileState::Here(file) => file,
            // The kernel does not say why. This is the usual reason.
            FileState::Lost => return Err(io::Error::from_raw_os_error(libc::EMFILE)),
        };
        let slots = slots(self.settings.ranks);
        let memory = file.map(self.place, slots)?;
        // The process is unknown if the peer is in another process namespace. All data then goes through
        // bounce buffers.
        let peer = process_memory::peer_of(socket).ok().filter(|_| self.settings.single_copy);
        let mut link = ShmLink::new(memory, slots, self.side, peer)?;
        link.set_oversubscribed(self.is_oversubscribed);
        link.set_arena(std::mem::take(&mut self.arena));
        Ok(Some(link))
    }
}

/// The file of an arena, which lives as long as the process.
struct ArenaFile(&'static Arena);

impl AsRawFd for ArenaFile {
    fn as_raw_fd(&self) -> RawFd {
        self.0.descriptor().as_raw_fd()
    }
}

/// The arena of this process, if a handle of it may have come to a peer.
pub fn exported_arena() -> Option<SharedFile> {
    if has_exported() { own_arena() } else { None }
}

/// The arena of this process, to be passed to peers. `None`: it has none.
pub fn own_arena() -> Option<SharedFile> {
    Arena::of_this_process().ok().map(|arena| Arc::new(ArenaFile(arena)) as SharedFile)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::super::layout::slots;
    use super::*;

    const SETTINGS: Settings = Settings { ranks: 2, single_copy: true };

    fn socket() -> Socket {
        Socket::from_fd(UnixStream::pair().unwrap().0.into(), true).unwrap()
    }

    fn file(rank: Rank) -> Owned<OwnedFd> {
        let file = PairFile::create(rank, 3, slots(SETTINGS.ranks)).unwrap().file();
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        Owned::new(std::fs::File::options().read(true).write(true).open(path).unwrap().into())
    }

    #[test]
    fn the_higher_rank_opens_its_end_when_the_file_has_come_and_no_sooner() {
        let mut end = UnopenedShm::new((2, 1), 3, None, SETTINGS);
        assert!(!end.can_open() && end.open(&socket()).unwrap().is_none());
        end.take_file(None).unwrap();
        let error = end.open(&socket()).err().unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EMFILE));
        assert!(end.can_open());
    }

    #[test]
    fn a_file_that_is_none_of_a_pair_and_a_third_one_are_refused() {
        let mut end = UnopenedShm::new((2, 1), 3, None, SETTINGS);
        end.take_file(Some(Owned::new(UnixStream::pair().unwrap().0.into()))).unwrap();
        assert!(end.open(&socket()).is_err(), "a socket");
        let mut end = UnopenedShm::new((2, 1), 3, None, SETTINGS);
        end.take_file(Some(file(0))).unwrap();
        assert!(end.open(&socket()).is_err(), "the file of a rank with more pairs");
        assert!(end.take_file(Some(Owned::new(UnixStream::pair().unwrap().0.into()))).is_err(), "no arena");
        end.take_file(Some(own_arena_copy())).unwrap();
        assert!(end.take_file(Some(own_arena_copy())).is_err(), "a second arena");
    }

    #[test]
    fn an_arena_without_a_descriptor_is_no_longer_expected() {
        let mut end = UnopenedShm::new((2, 1), 3, None, SETTINGS);
        end.take_file(Some(file(1))).unwrap();
        assert!(end.awaits_arena());
        end.take_file(None).unwrap();
        assert!(!end.awaits_arena());
        let mut link = end.open(&socket()).unwrap().unwrap();
        assert!(!link.awaits_arena() && link.take_file(Some(own_arena_copy())).is_err());
    }

    fn own_arena_copy() -> Owned<OwnedFd> {
        Owned::new(Arena::of_this_process().unwrap().descriptor().try_clone().unwrap())
    }
}
