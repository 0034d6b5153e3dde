//! The engine of a rank that connects with others on demand.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::{Rank, Result};
use crate::bootstrap::mesh::{Peer, PeerInfo, Unconnected};
use crate::endpoint::Endpoint;
use crate::progress::{Connected, Engine};
use crate::topology::Topology;
use crate::transport::connect::{self, LinkMaker, LinkSettings};
use crate::transport::control::ControlChannel;
use crate::transport::shm::exported_arena;
use crate::transport::{FIRST_CONTEXT, failure};

/// Makes the engine of a rank that is connected with nobody. `infos` are the places of all ranks.
pub(super) fn engine(
    name: &str,
    unconnected: Unconnected,
    infos: &[PeerInfo],
    (rank, topology): (Rank, &Topology),
    settings: LinkSettings,
) -> Result<Engine> {
    let mut engine = Engine::new(name.into(), rank, endpoints(infos, rank, &unconnected)?);
    connect_on_demand(&mut engine, unconnected, (rank, topology), settings)?;
    Ok(engine)
}

/// Makes one endpoint per rank, none of which is connected.
fn endpoints(infos: &[PeerInfo], rank: Rank, unconnected: &Unconnected) -> Result<Vec<Endpoint>> {
    let shares_memory = |peer| unconnected.shares_memory(peer);
    let transports = (0..).take(infos.len()).map(shares_memory).collect::<Result<Vec<bool>>>()?;
    let transport = |peer: Rank| if transports[peer as usize] { "shm" } else { "tcp" };
    let links = connect::unconnected_links(rank, infos.len() as u32, transport);
    let endpoint = |((info, link), peer): ((&PeerInfo, _), _)| Endpoint::new(link, None, info.label(peer));
    Ok(infos.iter().zip(links).zip(0..).map(endpoint).collect())
}

/// Makes an engine connect with ranks when it needs them.
fn connect_on_demand(
    engine: &mut Engine,
    unconnected: Unconnected,
    (rank, topology): (Rank, &Topology),
    settings: LinkSettings,
) -> Result<()> {
    let arrivals = engine.arrivals();
    let mut maker = LinkMaker::new(topology.local_rank(rank), settings);
    let local_ranks: HashMap<Rank, Rank> = topology.neighbours(rank).zip(0..).collect();
    let mut make = move |peer: Rank, sockets: Peer| {
        let mut control = ControlChannel::new(sockets.control);
        let local_rank = local_ranks.get(&peer).copied().unwrap_or_default();
        let link = maker.make(local_rank, &mut control, sockets.data).inspect_err(|error| {
            // The peer has the connection, and must learn why it ends.
            control.send(&failure::notice(error, FIRST_CONTEXT, rank));
        })?;
        // Here, because this rank may compute while the peer uses a handle.
        let arena = exported_arena().filter(|_| link.shares_memory());
        let has_passed_arena = arena.is_some();
        arena.into_iter().for_each(|arena| control.pass(arena));
        Ok(Connected { control, link, has_passed_arena })
    };
    let of_thread = Arc::clone(&arrivals);
    let deliver = move |rank, peer: Result<Peer>| {
        let connected = peer.and_then(|peer| make(rank, peer));
        of_thread.add(rank, connected);
    };
    let service = unconnected.start(deliver)?;
    engine.connect_on_demand(Box::new(move |rank| service.connect(rank)), arrivals);
    Ok(())
}
