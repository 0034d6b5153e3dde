//! The store by which the ranks find each other, served by the launcher.
//!
//! The launcher serves it instead of rank 0, so that a rank 0 that never arrives is noticed like any other
//! rank. Nobody waits for a rank that has ended: the store learns of every end.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::RangeInclusive;

use anyccl_engine::base::Result;
use anyccl_engine::bootstrap::tcp_store::Server;
use anyccl_engine::bootstrap::{JobKey, interface};

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

/// The ports at which the store may listen, in the order in which they are tried.
pub struct Ports(RangeInclusive<u16>);

impl Ports {
    /// The ports of `ANYCCL_PORT_RANGE`; without it any free one. An error is a sentence.
    pub fn of(environment: &[(String, String)]) -> std::result::Result<Ports, String> {
        let name = "ANYCCL_PORT_RANGE";
        let Some(text) = held(environment, name).filter(|text| !text.is_empty()) else {
            return Ok(Ports(0..=0));
        };
        let ends = text.split_once('-').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        match ends {
            Some((low, high)) if 0 < low && low <= high => Ok(Ports(low..=high)),
            _ => Err(format!("{name} is \"{text}\"; expected LOW-HIGH, such as 30000-30100")),
        }
    }
}

/// Serves the store of a job of `ranks` ranks that know `key`.
pub fn serve(key: &[u8; 32], ranks: u32, reach: Reach, ports: &Ports) -> Result<Store> {
    let start = |ip: IpAddr| {
        let mut ports =
            ports.0.clone().map(|port| Server::start(SocketAddr::new(ip, port), &JobKey(*key), ranks));
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
