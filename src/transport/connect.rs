//! Makes the links of a rank. The sockets to a peer decide its transport. Links through shared memory are
//! opened later, when the pair first talks.

use std::io;

use super::control::ControlChannel;
use super::loopback::LoopbackLink;
use super::ofi::OfiLink;
use super::shm::{self, PairFile, UnopenedShm, slots};
use super::silent::SilentLink;
use super::tcp::TcpLink;
use super::tcp::striped::StripedLink;
use super::{AnyLink, Link};
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

/// Makes the links of one rank.
pub struct LinkMaker {
    /// Its number among the ranks of its host.
    local_rank: Rank,
    settings: LinkSettings,
    /// The file with the memory of its pairs with higher ranks of its host, once there is one.
    file: Option<PairFile>,
}

impl LinkMaker {
    /// `local_rank` is the number of the rank among those of its host.
    pub fn new(local_rank: Rank, settings: LinkSettings) -> LinkMaker {
        LinkMaker { local_rank, settings, file: None }
    }

    /// Makes the link to a connected peer: over TCP if there are sockets for data, else through shared
    /// memory. `local_peer` is the peer's number among the ranks of its host. Does not wait for the peer.
    pub fn make(
        &mut self,
        local_peer: Rank,
        control: &mut ControlChannel,
        data: Vec<Socket>,
    ) -> Result<AnyLink> {
        if !data.is_empty() {
            return tcp_link(data, self.settings.lanes_at_need)
                .map_err(|error| Error::system("no memory for the buffers of a connection", error));
        }
        let (pair, shm) = ((self.local_rank, local_peer), self.settings.shm);
        let file = (self.local_rank < local_peer).then(|| self.file()).transpose()?;
        file.iter().for_each(|file| control.pass(file.file()));
        Ok(AnyLink::Unopened(Box::new(UnopenedShm::new(pair, shm.ranks, file, shm))))
    }

    fn file(&mut self) -> Result<PairFile> {
        if self.file.is_none() {
            let ranks = self.settings.shm.ranks;
            let file = PairFile::create(self.local_rank, ranks, slots(ranks))
                .map_err(|e| Error::system("cannot make shared memory (memfd_create)", e))?;
            self.file = Some(file);
        }
        Ok(self.file.clone().expect("made above"))
    }
}

/// Makes the links of `rank` to all ranks, indexed by rank.
///
/// A peer with a link over a fabric, which is in `ofi` by rank, gets that. The rank itself, which has no
/// control channel, gets the loopback link. For the others see [`LinkMaker::make`]. The links take the data
/// sockets out of `sockets`. `local_rank` numbers the ranks of this host, in their order. Nothing here waits
/// for a peer.
pub fn links(
    controls: &mut [Option<ControlChannel>],
    sockets: &mut [Vec<Socket>],
    (rank, local_rank): (Rank, &dyn Fn(Rank) -> Rank),
    settings: LinkSettings,
    mut ofi: Vec<Option<OfiLink>>,
) -> Result<Vec<AnyLink>> {
    let mut maker = LinkMaker::new(local_rank(rank), settings);
    ofi.resize_with(sockets.len(), || None);
    let mut to_peer = |peer: usize, ofi| {
        let sockets = std::mem::take(&mut sockets[peer]);
        Ok(match (&mut controls[peer], ofi) {
            (None, _) => AnyLink::Other(Box::new(LoopbackLink::default())),
            (_, Some(ofi)) => AnyLink::Other(Box::new(ofi)),
            (Some(control), None) => {
                let local_peer = if sockets.is_empty() { local_rank(peer as Rank) } else { 0 };
                maker.make(local_peer, control, sockets)?
            }
        })
    };
    (0..).zip(ofi).map(|(peer, ofi)| to_peer(peer, ofi)).collect()
}

/// The links of `rank` while it is connected with nobody, indexed by rank. `transport` says which transport
/// leads to a rank.
pub fn unconnected_links(rank: Rank, size: u32, transport: impl Fn(Rank) -> &'static str) -> Vec<AnyLink> {
    let to_peer = |peer| match peer == rank {
        true => AnyLink::Other(Box::new(LoopbackLink::default()) as Box<dyn Link>),
        false => AnyLink::Unconnected(SilentLink { transport: transport(peer) }),
    };
    (0..size).map(to_peer).collect()
}

/// Makes a link over TCP. There is at least one socket. `lanes_at_need`: see [`LinkSettings`].
pub(crate) fn tcp_link(mut sockets: Vec<Socket>, lanes_at_need: bool) -> io::Result<AnyLink> {
    let main = sockets.remove(0);
    Ok(AnyLink::Other(match sockets.is_empty() {
        true => Box::new(TcpLink::new(main)?),
        false => Box::new(StripedLink::new(main, sockets, lanes_at_need)?),
    }))
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
