//! A store that this process serves and uses: rank 0's side in every kind of job.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Instant;

use super::file::PublishedFile;
use super::key_value::SLACK;
use super::key_value::Store;
use super::sought::Sought;
use crate::base::Result;
use crate::bootstrap::auth::absence::Absence;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::tcp::client::{Applicant, Client};
use crate::bootstrap::store::tcp::server::Server;
use crate::bootstrap::store::tcp::service::Worlds;
use crate::sys::listener::Listener;

/// Server and client in one. The fields are dropped in this order: the client says that it leaves, the server
/// ends, and the file that leads to it is removed.
pub(crate) struct ServedStore {
    client: Client,
    server: Server,
    file: Option<PublishedFile>,
}

impl ServedStore {
    /// Serves the world of rank 0, with `size` ranks, at `listeners`. `publish` is called once the server
    /// runs.
    pub fn start(
        listeners: Vec<Listener>,
        key: &JobKey,
        size: u32,
        deadline: Instant,
        publish: impl FnOnce(&[SocketAddr]) -> Result<Option<PublishedFile>>,
    ) -> Result<ServedStore> {
        let server = Server::serve(listeners, key, Some(size), Worlds::One, Some(deadline + SLACK))?;
        let file = publish(server.addresses())?;
        let own: Vec<SocketAddr> = server.addresses().iter().flat_map(from_here).collect();
        let who = Applicant { key, rank: 0, size };
        let sought = Sought { at: "this rank's own port", server: "rank 0", is_one_place: false };
        let addresses = || match server.shortage() {
            None => Ok(own.clone()),
            Some(why) => Err(Absence::Short(why)),
        };
        let client = Client::join_at(&who, addresses, &sought, deadline)?;
        Ok(ServedStore { client, server, file })
    }

    /// The best of the addresses at which the store is served.
    pub fn address(&self) -> Result<IpAddr> {
        Ok(self.server.address().ip())
    }

    /// Lets the store go on without this handle until its deadline. Its file stays where it is.
    pub fn detach(self) {
        let ServedStore { client, server, file } = self;
        drop(client);
        server.detach();
        if let Some(file) = file {
            file.leave();
        }
    }
}

impl Store for ServedStore {
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()> {
        self.client.set(key, value, deadline)
    }

    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>> {
        self.client.get(key, deadline)
    }

    fn fail(&mut self, why: &str) {
        self.client.fail(why);
    }

    fn check(&mut self, deadline: Instant) -> Result<()> {
        self.client.check(deadline)
    }
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

/// Listens where others look for `host`.
///
/// An address of this host is taken as it is. A name is not resolved: many hosts resolve their own name to
/// 127.0.1.1, while the others see the real address. So a name means every address. An address that this host
/// does not have belongs to a gateway in front of it, and means every address, too.
pub(crate) fn listen_at(host: &str, port: u16) -> io::Result<Vec<Listener>> {
    if host == "localhost" {
        return Listener::tcp((Ipv4Addr::LOCALHOST, port).into()).map(|listener| vec![listener]);
    }
    if let Ok(ip) = host.parse::<IpAddr>() {
        match Listener::tcp((ip, port).into()) {
            Ok(listener) => return Ok(vec![listener]),
            Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => {}
            Err(error) => return Err(error),
        }
    }
    // On most hosts the IPv6 listener takes IPv4 as well; the second call then finds its port taken.
    let v6 = Listener::tcp((Ipv6Addr::UNSPECIFIED, port).into());
    let v4 = Listener::tcp((Ipv4Addr::UNSPECIFIED, port).into());
    match (v6, v4) {
        (Err(_), Err(error)) => Err(error),
        (v6, v4) => Ok(v6.into_iter().chain(v4).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_address_is_bound_alone_and_a_name_or_foreign_address_everywhere() {
        let bound = |host| listen_at(host, 0).unwrap()[0].address().unwrap().ip();
        assert_eq!(bound("127.0.0.1"), IpAddr::from(Ipv4Addr::LOCALHOST));
        assert_eq!(bound("localhost"), IpAddr::from(Ipv4Addr::LOCALHOST));
        // TEST-NET-3: no host has it.
        assert!(bound("203.0.113.7").is_unspecified());
        assert!(bound("some-host").is_unspecified());
    }

    #[test]
    fn a_port_that_is_taken_is_an_error() {
        let taken = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = taken.address().unwrap().port();
        assert_eq!(listen_at("127.0.0.1", port).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }
}
