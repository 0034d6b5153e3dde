//! Setting up the shared memory of a pair. The lower rank makes it and passes it on. Each side also passes
//! its arena ([`crate::memory`]), in which the other side may later read messages.

use std::time::Instant;

use super::layout::{pair_bytes, slots};
use super::link::ShmLink;
use super::zero_copy::ZeroCopy;
use crate::base::{Error, Result};
use crate::memory::{Arena, Window};
use crate::sys::descriptor_passing::{receive_descriptor, send_descriptor};
use crate::sys::process_memory;
use crate::sys::shared_memory::SharedMemory;
use crate::sys::socket::Socket;

/// Settings that both sides of a pair must have alike.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of ranks of this host in the communicator.
    pub ranks: u32,
    /// Whether this side may read the peer's memory, if the kernel permits it.
    pub single_copy: bool,
}

/// The lower side of a pair, before it has received the peer's arena.
pub struct Offered(ShmLink);

impl Offered {
    /// Waits for the peer's arena. The caller first makes all its offers and accepts all offers of others, so
    /// that no two ranks wait for each other.
    pub fn complete(self, socket: &Socket, deadline: Option<Instant>) -> Result<ShmLink> {
        complete(self.0, socket, deadline)
    }
}

/// Makes the memory of a pair and offers it to the higher rank over `socket`, together with this process's
/// arena. Does not wait.
pub fn offer(socket: &Socket, settings: Settings) -> Result<Offered> {
    let (memory, fd) = SharedMemory::create(pair_bytes(slots(settings.ranks)))
        .map_err(|e| Error::system("cannot make shared memory (memfd_create)", e))?;
    let arena = Arena::of_this_process()?;
    let passed = send_descriptor(socket, &fd).and_then(|()| send_descriptor(socket, arena.descriptor()));
    passed.map_err(|e| Error::system("cannot pass shared memory to a peer", e))?;
    link(memory, 0, socket, settings).map(Offered)
}

/// Takes the memory that the lower rank offers over `socket`, and answers with this process's arena.
pub fn accept(socket: &Socket, deadline: Option<Instant>, settings: Settings) -> Result<ShmLink> {
    let fd = receive_descriptor(socket, deadline)
        .map_err(|e| Error::system("cannot get shared memory from a peer", e))?;
    let memory = SharedMemory::open(fd, pair_bytes(slots(settings.ranks)))
        .map_err(|e| Error::system("cannot map the shared memory of a peer", e))?;
    send_descriptor(socket, Arena::of_this_process()?.descriptor())
        .map_err(|e| Error::system("cannot pass shared memory to a peer", e))?;
    complete(link(memory, 1, socket, settings)?, socket, deadline)
}

fn complete(mut link: ShmLink, socket: &Socket, deadline: Option<Instant>) -> Result<ShmLink> {
    let fd = receive_descriptor(socket, deadline)
        .map_err(|e| Error::system("cannot get shared memory from a peer", e))?;
    let window = Window::new(fd).map_err(|e| Error::system("cannot use the shared memory of a peer", e))?;
    link.enable_zero_copy(ZeroCopy::new(Arena::of_this_process()?, window));
    Ok(link)
}

fn link(memory: SharedMemory, side: usize, socket: &Socket, settings: Settings) -> Result<ShmLink> {
    // The process is unknown if the peer is in another process namespace. All data then goes through bounce
    // buffers.
    let peer = process_memory::peer_of(socket).ok().filter(|_| settings.single_copy);
    ShmLink::new(memory, slots(settings.ranks), side, peer)
        .map_err(|e| Error::system("cannot make what tells this process from others", e))
}
