//! Who may ask: processes of this user, and root.
//!
//! TCP does not tell the user at the other end, but the kernel's table of connections does, if that end is on
//! this host. A client on another host reaches the service only if somebody has chosen an address that other
//! hosts reach. It is answered, as by NCCL.

use std::net::SocketAddr;

use crate::sys::{host, shared_port};

/// Whether the process at `client` may ask at `here`.
pub(super) fn may_ask(client: SocketAddr, here: SocketAddr) -> bool {
    match shared_port::user_of(client, here) {
        Some(user) => user == host::user_id() || user == 0,
        // A connection over loopback has both ends here, and one of this host has the same address at both.
        None => !is_loopback(client) && client.ip() != here.ip(),
    }
}

fn is_loopback(at: SocketAddr) -> bool {
    at.ip().to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_seen_on_this_host_may_not_ask_from_it() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (client, here) in [
            ("127.0.0.1:1", "127.0.0.1:2"),
            ("127.9.9.9:1", "127.0.0.1:2"),
            ("[::1]:1", "[::1]:2"),
            ("[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:2"),
            ("192.0.2.1:1", "192.0.2.1:2"),
        ] {
            assert!(!may_ask(at(client), at(here)), "{client}");
        }
        assert!(may_ask(at("192.0.2.7:1"), at("192.0.2.1:2")));
    }
}
