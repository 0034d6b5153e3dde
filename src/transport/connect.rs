//! Makes the links of a rank. The sockets to a peer decide its transport; this module also sets up shared
//! memory.

use std::io;
use std::time::Instant;

use super::AnyLink;
use super::control::ControlChannel;
use super::loopback::LoopbackLink;
use super::ofi::OfiLink;
use super::shm::{self, ShmLink};
use super::tcp::TcpLink;
use super::tcp::striped::StripedLink;
use crate::base::{Error, Rank};
use crate::sys::socket::Socket;

pub use super::shm::Settings as LinkSettings;

/// The error, and the peer of the link in which it happened, if it concerns one link.
pub type LinkError = (Option<Rank>, Error);

/// Makes the links of `rank` to all ranks, indexed by rank.
///
/// A peer with a link over a fabric, which is in `ofi` by rank, gets that. Another with data sockets gets
/// TCP. A peer with only a control channel gets shared memory. The rank itself, which has neither, gets the
/// loopback link. The links take the data sockets out of `sockets`, unless there is an error.
pub fn links(
    controls: &[Option<ControlChannel>],
    sockets: &mut [Vec<Socket>],
    rank: Rank,
    settings: LinkSettings,
    mut ofi: Vec<Option<OfiLink>>,
    deadline: Instant,
) -> std::result::Result<Vec<AnyLink>, LinkError> {
    let shared = share_memory(controls, sockets, rank, settings, deadline)?;
    ofi.resize_with(sockets.len(), || None);
    let link = |((sockets, shared), ofi): ((&mut Vec<Socket>, Option<ShmLink>), Option<OfiLink>)| {
        let sockets = std::mem::take(sockets);
        match (ofi, sockets.is_empty(), shared) {
            (Some(ofi), ..) => Ok(AnyLink::Other(Box::new(ofi))),
            (None, false, _) => tcp_link(sockets)
                .map_err(|error| (None, Error::system("no memory for the buffers of a connection", error))),
            (None, true, Some(shared)) => Ok(AnyLink::Shm(Box::new(shared))),
            (None, true, None) => Ok(AnyLink::Other(Box::new(LoopbackLink::default()))),
        }
    };
    sockets.iter_mut().zip(shared).zip(ofi).map(link).collect()
}

/// Makes a link over TCP. There is at least one socket.
pub(crate) fn tcp_link(mut sockets: Vec<Socket>) -> io::Result<AnyLink> {
    let main = sockets.remove(0);
    Ok(AnyLink::Other(match sockets.is_empty() {
        true => Box::new(TcpLink::new(main)?),
        false => Box::new(StripedLink::new(main, sockets)?),
    }))
}

/// Makes the shared-memory links: one for each peer that has a control channel and no data socket.
fn share_memory(
    controls: &[Option<ControlChannel>],
    sockets: &[Vec<Socket>],
    rank: Rank,
    settings: LinkSettings,
    deadline: Instant,
) -> std::result::Result<Vec<Option<ShmLink>>, LinkError> {
    let peers =
        controls.iter().zip(sockets).map(|(control, data)| control.as_ref().filter(|_| data.is_empty()));
    // The lower rank of a pair offers memory, and the higher one accepts it. All offers go out before this
    // rank waits for an answer, so no two ranks wait for each other.
    let offer = |(control, peer): (Option<&ControlChannel>, Rank)| {
        let offered =
            control.filter(|_| rank < peer).map(|control| shm::offer(control.socket(), settings)).transpose();
        offered.map_err(|error| (Some(peer), error))
    };
    let offered = peers.clone().zip(0..).map(offer).collect::<std::result::Result<Vec<_>, _>>()?;
    let complete =
        |(control, offered): (Option<&ControlChannel>, Option<shm::Offered>)| match (control, offered) {
            (None, _) => Ok(None),
            (Some(control), Some(offered)) => offered.complete(control.socket(), Some(deadline)).map(Some),
            (Some(control), None) => shm::accept(control.socket(), Some(deadline), settings).map(Some),
        };
    let links = peers.zip(offered).map(complete).zip(0..);
    links.map(|(link, peer)| link.map_err(|error| (Some(peer), error))).collect()
}

/// Makes both ends of a shared-memory link in one process.
#[cfg(test)]
pub fn shared_memory_pair(lower: &Socket, higher: &Socket, settings: LinkSettings) -> (AnyLink, AnyLink) {
    let offered = shm::offer(lower, settings).unwrap();
    let accepted = shm::accept(higher, None, settings).unwrap();
    let completed = offered.complete(lower, None).unwrap();
    (AnyLink::Shm(Box::new(completed)), AnyLink::Shm(Box::new(accepted)))
}
