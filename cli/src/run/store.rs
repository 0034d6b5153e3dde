//! The store by which the ranks find each other, served by the launcher.
//!
//! The launcher serves it instead of rank 0, so that a rank 0 that never arrives is noticed like any other
//! rank. Nobody waits for a rank that has ended: the store learns of every end.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyccl_engine::base::Result;
use anyccl_engine::bootstrap::store::Server;
use anyccl_engine::bootstrap::{JobKey, interface};
use anyccl_engine::config::PortRange;

use crate::facade::method::held;
use crate::sys::process::Ending;
use crate::sys::signal;

/// The networks from which the store can be reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only processes of this host reach the store.
    ThisHost,
    /// Every network of this host reaches the store.
    Network,
}

/// A store that is served until this is dropped.
pub struct Store {
    server: Server,
    /// Addresses at which others find it, best first.
    addresses: Vec<SocketAddr>,
}

impl Store {
    /// Value of `ANYCCL_STORE` for ranks of this host.
    pub fn address(&self) -> String {
        format!("tcp://{}?served=1", self.server.address())
    }

    /// Tells ranks that wait for `rank` that its process has ended.
    pub fn note_end(&self, rank: usize, ending: Ending) {
        let how = match ending {
            Ending::Exit(status) => format!("ended with exit code {status}"),
            Ending::Signal { number, .. } => format!("was ended by {}", signal::name(number)),
        };
        self.server.note_end(rank as u32, how);
    }

    /// Addresses at which other hosts may reach it. The last one is loopback, for an agent on this host.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.addresses.clone()
    }
}

/// The ports of `ANYCCL_PORT_RANGE` among these variables; without it any free one. An error is a sentence.
pub fn ports_of(environment: &[(String, String)]) -> std::result::Result<PortRange, String> {
    match held(environment, "ANYCCL_PORT_RANGE").filter(|text| !text.is_empty()) {
        None => Ok(PortRange::ANY),
        Some(text) => PortRange::parse(&text).map_err(|error| error.to_string()),
    }
}

/// Serves the store of a job of `ranks` ranks that know `key`.
pub fn serve(key: &[u8; 32], ranks: u32, reach: Reach, ports: PortRange) -> Result<Store> {
    let start = |ip: IpAddr| {
        let mut ports =
            ports.ports().map(|port| Server::start(SocketAddr::new(ip, port), &JobKey(*key), ranks));
        let first = ports.next().expect("a range has a first port");
        first.or_else(|error| ports.find_map(std::result::Result::ok).ok_or(error))
    };
    if reach == Reach::ThisHost {
        return Ok(Store { server: start(Ipv4Addr::LOCALHOST.into())?, addresses: Vec::new() });
    }
    // On most hosts an IPv6 listener takes IPv4 as well. A host without IPv6 has only IPv4.
    let server = start(Ipv6Addr::UNSPECIFIED.into()).or_else(|_| start(Ipv4Addr::UNSPECIFIED.into()))?;
    let port = server.address().port();
    let mut ips = interface::choose(None)?.addresses();
    ips.retain(|ip| !ip.is_loopback());
    ips.push(Ipv4Addr::LOCALHOST.into());
    Ok(Store { server, addresses: ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect() })
}
