//! Setting up the shared memory of a pair: the lower rank makes it and passes it on. Each side also passes its arena
//! ([`crate::memory`]), of which it may lend later.

use std::time::Instant;

use super::ShmLink;
use super::layout::PAIR_BYTES;
use super::zero_copy::Arenas;
use crate::base::{Error, Result};
use crate::memory::{Arena, Window};
use crate::sys::descriptor_passing::{receive_descriptor, send_descriptor};
use crate::sys::process_memory;
use crate::sys::shared_memory::SharedMemory;
use crate::sys::socket::Socket;

/// Makes the memory of a pair and offers it to the higher rank over `socket`, with this process's arena. Does not wait;
/// [`complete`] does. `single_copy`: this side may read the peer's memory, if the kernel permits it.
pub fn offer(socket: &Socket, single_copy: bool) -> Result<ShmLink> {
    let (memory, fd) = SharedMemory::create(PAIR_BYTES)
        .map_err(|e| Error::system("cannot make shared memory (memfd_create)", e))?;
    let arena = Arena::of_this_process()?;
    let passed = send_descriptor(socket, &fd).and_then(|()| send_descriptor(socket, arena.descriptor()));
    passed.map_err(|e| Error::system("cannot pass shared memory to a peer", e))?;
    link(memory, 0, socket, single_copy)
}

/// Takes the memory that the lower rank offers over `socket`, and answers with this process's arena. `single_copy` as in
/// [`offer`].
pub fn accept(socket: &Socket, deadline: Option<Instant>, single_copy: bool) -> Result<ShmLink> {
    let fd = receive_descriptor(socket, deadline)
        .map_err(|e| Error::system("cannot get shared memory from a peer", e))?;
    let memory = SharedMemory::open(fd, PAIR_BYTES)
        .map_err(|e| Error::system("cannot map the shared memory of a peer", e))?;
    send_descriptor(socket, Arena::of_this_process()?.descriptor())
        .map_err(|e| Error::system("cannot pass shared memory to a peer", e))?;
    let link = link(memory, 1, socket, single_copy)?;
    complete(link, socket, deadline)
}

/// Waits for the peer's arena. On the lower side: after all offers have been made and all others' been taken, so that
/// nobody waits for somebody who waits.
pub fn complete(mut link: ShmLink, socket: &Socket, deadline: Option<Instant>) -> Result<ShmLink> {
    let fd = receive_descriptor(socket, deadline)
        .map_err(|e| Error::system("cannot get shared memory from a peer", e))?;
    let window = Window::new(fd).map_err(|e| Error::system("cannot use the shared memory of a peer", e))?;
    link.share(Arenas::new(Arena::of_this_process()?, window));
    Ok(link)
}

fn link(memory: SharedMemory, side: usize, socket: &Socket, single_copy: bool) -> Result<ShmLink> {
    // Unknown where the peer is in another process namespace; then everything goes through slots.
    let peer = process_memory::peer_of(socket).ok().filter(|_| single_copy);
    ShmLink::new(memory, side, peer).map_err(|e| Error::system("cannot get random bytes", e))
}
