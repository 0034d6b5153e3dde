//! Makes the links of a rank. The sockets to a peer decide its transport. Links through shared memory are
//! opened later, when the pair first talks.

use std::io;

use super::AnyLink;
use super::control::ControlChannel;
use super::loopback::LoopbackLink;
use super::ofi::OfiLink;
use super::shm::{self, PairFile, UnopenedShm, slots};
use super::tcp::TcpLink;
use super::tcp::striped::StripedLink;
use crate::base::{Error, Rank, Result};
use crate::sys::socket::Socket;

/// Settings of all links of a rank.
#[derive(Clone, Copy, Debug)]
pub struct LinkSettings {
    /// Settings of the links through shared memory.
    pub shm: shm::Settings,
    /// Whether this side keeps long messages on one TCP connection until lanes are needed.
    pub lanes_at_need: bool,
}

/// Makes the links of `rank` to all ranks, indexed by rank.
///
/// A peer with a link over a fabric, which is in `ofi` by rank, gets that. Another with data sockets gets
/// TCP. A peer with only a control channel gets shared memory. The rank itself, which has neither, gets the
/// loopback link. The links take the data sockets out of `sockets`, unless there is an error. `local_rank`
/// numbers the ranks of this host, in their order. Nothing here waits for a peer.
pub fn links(
    controls: &mut [Option<ControlChannel>],
    sockets: &mut [Vec<Socket>],
    (rank, local_rank): (Rank, &dyn Fn(Rank) -> Rank),
    settings: LinkSettings,
    mut ofi: Vec<Option<OfiLink>>,
) -> Result<Vec<AnyLink>> {
    let own = local_rank(rank);
    let file = share_memory(controls, sockets, (rank, own), settings.shm)?;
    ofi.resize_with(sockets.len(), || None);
    let mut to_peer = |peer: usize, ofi| {
        let sockets = std::mem::take(&mut sockets[peer]);
        Ok(match (&controls[peer], ofi, sockets.is_empty()) {
            (None, ..) => AnyLink::Other(Box::new(LoopbackLink::default())),
            (_, Some(ofi), _) => AnyLink::Other(Box::new(ofi)),
            (Some(_), None, true) => {
                let peer = peer as Rank;
                let file = file.clone().filter(|_| rank < peer);
                let pair = (own, local_rank(peer));
                AnyLink::Unopened(Box::new(UnopenedShm::new(pair, settings.shm.ranks, file, settings.shm)))
            }
            (Some(_), None, false) => tcp_link(sockets, settings.lanes_at_need)
                .map_err(|error| Error::system("no memory for the buffers of a connection", error))?,
        })
    };
    (0..).zip(ofi).map(|(peer, ofi)| to_peer(peer, ofi)).collect()
}

/// Makes a link over TCP. There is at least one socket. `lanes_at_need`: see [`LinkSettings`].
pub(crate) fn tcp_link(mut sockets: Vec<Socket>, lanes_at_need: bool) -> io::Result<AnyLink> {
    let main = sockets.remove(0);
    Ok(AnyLink::Other(match sockets.is_empty() {
        true => Box::new(TcpLink::new(main)?),
        false => Box::new(StripedLink::new(main, sockets, lanes_at_need)?),
    }))
}

/// Makes the file with the memory of this rank's pairs, and passes it to each higher rank that has a control
/// channel and no data socket. `None`: there is no such rank.
fn share_memory(
    controls: &mut [Option<ControlChannel>],
    sockets: &[Vec<Socket>],
    (rank, local_rank): (Rank, Rank),
    settings: shm::Settings,
) -> Result<Option<PairFile>> {
    let higher = controls.iter_mut().zip(sockets).skip(rank as usize + 1);
    let mut sharing =
        higher.filter_map(|(control, data)| control.as_mut().filter(|_| data.is_empty())).peekable();
    if sharing.peek().is_none() {
        return Ok(None);
    }
    let file = PairFile::create(local_rank, settings.ranks, slots(settings.ranks))
        .map_err(|e| Error::system("cannot make shared memory (memfd_create)", e))?;
    sharing.for_each(|control| control.pass(file.file()));
    Ok(Some(file))
}

/// Makes both ends of a shared-memory link in one process, opened.
#[cfg(test)]
pub fn shared_memory_pair(
    lower: &mut ControlChannel,
    higher: &mut ControlChannel,
    settings: shm::Settings,
) -> (AnyLink, AnyLink) {
    let take_file = |link: &mut AnyLink, control: &mut ControlChannel| {
        assert_eq!(control.next_event().unwrap(), Some(super::control::ControlEvent::File));
        link.take_file(control.take_file()).unwrap();
    };
    let mut ends = unopened_pair(lower, settings);
    take_file(&mut ends.1, higher);
    assert!(ends.0.open(lower.socket()).unwrap() && ends.1.open(higher.socket()).unwrap());
    let arena = shm::own_arena().unwrap();
    lower.pass(std::sync::Arc::clone(&arena));
    higher.pass(arena);
    take_file(&mut ends.0, lower);
    take_file(&mut ends.1, higher);
    ends
}

/// Makes both ends of a shared-memory link in one process, unopened. The lower rank has passed the file.
#[cfg(test)]
pub fn unopened_pair(lower: &mut ControlChannel, settings: shm::Settings) -> (AnyLink, AnyLink) {
    let file = PairFile::create(0, 2, slots(settings.ranks)).unwrap();
    lower.pass(file.file());
    let end = |pair, file| AnyLink::Unopened(Box::new(UnopenedShm::new(pair, 2, file, settings)));
    (end((0, 1), Some(file)), end((1, 0), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Link;
    use crate::transport::control::ControlEvent;

    #[test]
    fn the_memory_of_a_rank_is_for_the_higher_ranks_of_its_host_only() {
        // Ranks 0 and 2 share a host.
        let [(elsewhere, _other), (here, peer)] = [Socket::pair(), Socket::pair()];
        let mut peer = ControlChannel::new(peer);
        let mut controls = [None, Some(ControlChannel::new(elsewhere)), Some(ControlChannel::new(here))];
        let (data, _far) = Socket::pair();
        let mut sockets = [vec![], vec![data], vec![]];
        let shm = shm::Settings { ranks: 2, single_copy: true };
        let settings = LinkSettings { shm, lanes_at_need: false };
        links(&mut controls, &mut sockets, (0, &|rank| rank / 2), settings, Vec::new()).unwrap();
        assert_eq!(peer.next_event().unwrap(), Some(ControlEvent::File));
        let mut end = UnopenedShm::new((1, 0), 2, None, shm);
        end.take_file(peer.take_file()).unwrap();
        assert!(end.open(peer.socket()).unwrap().is_some());
    }
}
