//! The variables by which programs for `torchrun` find each other: `RANK`, `WORLD_SIZE`, `LOCAL_RANK`,
//! `LOCAL_WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT`.
//!
//! torch's rank 0 listens at `MASTER_PORT`, and the others connect to it. anyccl itself does not use them:
//! its own variables come first. `-x` overrides the address and the port.

use std::net::Ipv4Addr;

use anyccl_engine::sys::port::ReservedPort;

const ADDRESS: &str = "MASTER_ADDR";
const PORT: &str = "MASTER_PORT";

/// Ports of rank 0's host if that is another one: below those that kernels give to outgoing connections.
const FAR_PORTS: std::ops::Range<u16> = 20_000..32_000;

/// Where torch's rank 0 listens.
pub struct TorchMeeting {
    address: String,
    port: u16,
    /// Keeps the port from other programs until the job has ended.
    reserved: Option<ReservedPort>,
}

impl TorchMeeting {
    /// A port of this host. `None`: the kernel has none.
    pub fn here() -> Option<TorchMeeting> {
        let reserved = ReservedPort::new().ok()?;
        let (address, port) = (Ipv4Addr::LOCALHOST.to_string(), reserved.number());
        Some(TorchMeeting { address, port, reserved: Some(reserved) })
    }

    /// A port of the host of rank 0, as the user has named that host. The job's key decides which port.
    pub fn at(host: &str, key: &[u8; 32]) -> TorchMeeting {
        let number = u16::from_le_bytes([key[0], key[1]]);
        let port = FAR_PORTS.start + number % (FAR_PORTS.end - FAR_PORTS.start);
        // `user@` is for ssh.
        let address = host.rsplit_once('@').map_or(host, |(_, host)| host).to_string();
        TorchMeeting { address, port, reserved: None }
    }

    /// Where rank 0 listens, as `address:port`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.address, self.port)
    }

    /// Whether all ranks are on this host.
    pub fn is_here(&self) -> bool {
        self.reserved.is_some()
    }

    /// The variables that all ranks share, without those that the user has given.
    pub fn environment(&self, given: &[(String, String)]) -> Vec<(String, String)> {
        let own = [(ADDRESS, self.address.clone()), (PORT, self.port.to_string())];
        let is_given = |name: &str| given.iter().any(|(known, _)| known == name);
        let own = own.into_iter().filter(|(name, _)| !is_given(name));
        own.map(|(name, value)| (name.to_string(), value)).collect()
    }
}

/// The variables of one rank, with its position among the `here` ranks of its host.
pub fn environment_of(rank: u32, world: u32, local: usize, here: usize) -> [(&'static str, String); 4] {
    [
        ("RANK", rank.to_string()),
        ("WORLD_SIZE", world.to_string()),
        ("LOCAL_RANK", local.to_string()),
        ("LOCAL_WORLD_SIZE", here.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_named_without_the_user_for_ssh_and_what_is_given_stays() {
        let meeting = TorchMeeting::at("me@node1", &[255; 32]);
        let own = meeting.environment(&[]);
        assert_eq!(own[0], (ADDRESS.to_string(), "node1".to_string()));
        let port: u16 = own[1].1.parse().unwrap();
        assert!(FAR_PORTS.contains(&port));
        let given = [(PORT.to_string(), "1".to_string())];
        assert_eq!(meeting.environment(&given), [own[0].clone()]);
    }
}
