//! Places in the network, written HOST:PORT.

/// Host and port; a host with colons stands in brackets. `None` if the text is no place.
pub fn host_and_port(text: &str) -> Option<(&str, u16)> {
    let (host, port) = text.rsplit_once(':')?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = bare.unwrap_or(host);
    (!host.is_empty() && (bare.is_some() || !host.contains(':'))).then_some(())?;
    Some((host, port.parse().ok().filter(|port| *port != 0)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_host_and_a_port() {
        assert_eq!(host_and_port("node7:4000"), Some(("node7", 4000)));
        assert_eq!(host_and_port("[fe80::1]:80"), Some(("fe80::1", 80)));
        for wrong in ["node7", ":80", "node7:", "node7:0", "node7:70000", "fe80::1:80", "[]:80"] {
            assert_eq!(host_and_port(wrong), None, "{wrong}");
        }
    }
}
