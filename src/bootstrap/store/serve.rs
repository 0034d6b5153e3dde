//! Rank 0's side of the way to the store: it serves the store, says where, and joins it like any other rank.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Instant;

use super::file::published::PublishedFile;
use super::key_value::SLACK;
use super::known_place::KnownPlace;
use super::lookup::join;
use super::tcp::client::{Client, Served};
use super::tcp::server::Server;
use super::tcp::service::Worlds;
use crate::base::Result;
use crate::bootstrap::auth::absence::Absence;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::sys::listener::Listener;

/// Serves the world of rank 0, whose seat this is, at `listeners`. `publish` is called once the server runs.
pub(crate) fn serve(
    listeners: Vec<Listener>,
    key: &JobKey,
    seat: Seat,
    deadline: Instant,
    publish: impl FnOnce(&[SocketAddr]) -> Result<Option<PublishedFile>>,
) -> Result<Client> {
    let server = Server::serve(listeners, key, Some(seat.size), Worlds::One, Some(deadline + SLACK))?;
    let file = publish(server.addresses())?;
    let own: Vec<SocketAddr> = server.addresses().iter().flat_map(from_here).collect();
    let mut place = KnownPlace::of_rank_0(key, "this rank's own port".into(), || match server.shortage() {
        None => Ok(own.clone()),
        Some(why) => Err(Absence::Short(why)),
    });
    let (_, mut client) = join(&mut place, seat, deadline)?;
    drop(place);
    client.served = Some(Served { server, file });
    Ok(client)
}

/// The addresses at which this process itself reaches a listener at `address`.
fn from_here(address: &SocketAddr) -> Vec<SocketAddr> {
    let (v4, v6): (IpAddr, IpAddr) = (Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into());
    let ips = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => vec![v4],
        // Which of the two it takes is a setting of the host.
        IpAddr::V6(ip) if ip.is_unspecified() => vec![v4, v6],
        ip => vec![ip],
    };
    ips.into_iter().map(|ip| SocketAddr::new(ip, address.port())).collect()
}
