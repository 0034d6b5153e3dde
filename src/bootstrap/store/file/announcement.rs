//! The text of the file by which ranks on a shared file system find rank 0.
//!
//! ```text
//! anyccl store 1
//! job 5f0c3a9e77d14b20
//! world 4
//! nonce (64 hexadecimal digits)
//! created 1763707616
//! address 10.0.0.1:40113
//! address 127.0.0.1:37001
//! end
//! ```
//!
//! A file of one line with a bare address is read too: SAR's rank 0 writes that.

use std::net::{IpAddr, SocketAddr};

use crate::bootstrap::job::address::ADDRESSES;
use crate::bootstrap::job::key::JobKey;

/// The port that SAR uses when the file has none.
const SAR_PORT: u16 = 12345;
const TITLE: &str = "anyccl store 1";

/// Contents of a complete file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    /// Random number of the job, which tells jobs apart in messages.
    pub job: u64,
    /// World size that rank 0 was given.
    pub world: u32,
    /// Random; unlike `job` it is a secret.
    pub nonce: JobKey,
    /// Seconds since 1970, for messages.
    pub created: u64,
    /// Where rank 0 may be, best first.
    pub addresses: Vec<SocketAddr>,
}

/// Contents of the file at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileContents {
    /// A whole announcement.
    Announcement(Announcement),
    /// A plain address.
    PlainAddress(SocketAddr),
    /// Neither: the file is not written whole yet, or is something else.
    Incomplete,
}

impl Announcement {
    pub(crate) fn to_text(&self) -> String {
        let addresses: String = self.addresses.iter().map(|a| format!("address {a}\n")).collect();
        format!(
            "{TITLE}\njob {:016x}\nworld {}\nnonce {}\ncreated {}\n{addresses}end\n",
            self.job,
            self.world,
            self.nonce.to_hex(),
            self.created
        )
    }

    fn parse(text: &str) -> Option<Announcement> {
        let mut lines = text.lines();
        if lines.next()? != TITLE {
            return None;
        }
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let job = u64::from_str_radix(field("job")?, 16).ok()?;
        let world = field("world")?.parse().ok()?;
        let nonce = JobKey::from_hex(field("nonce")?)?;
        let created = field("created")?.parse().ok()?;
        let mut addresses = Vec::new();
        for line in lines {
            match line.strip_prefix("address ") {
                Some(address) if addresses.len() < ADDRESSES => addresses.push(address.parse().ok()?),
                None if line == "end" && text.ends_with("end\n") && !addresses.is_empty() => {
                    return Some(Announcement { job, world, nonce, created, addresses });
                }
                _ => return None,
            }
        }
        None
    }
}

/// Reads the text of a file.
pub(crate) fn parse(text: &str) -> FileContents {
    if let Some(announcement) = Announcement::parse(text) {
        return FileContents::Announcement(announcement);
    }
    let line = text.trim();
    match (line.parse::<SocketAddr>(), line.parse::<IpAddr>()) {
        (Ok(address), _) if address.port() != 0 => FileContents::PlainAddress(address),
        (_, Ok(ip)) => FileContents::PlainAddress(SocketAddr::new(ip, SAR_PORT)),
        _ => FileContents::Incomplete,
    }
}

#[cfg(test)]
pub(crate) fn sample(addresses: &[&str]) -> Announcement {
    Announcement {
        job: 0xfeed,
        world: 4,
        nonce: JobKey([5; 32]),
        created: 1_763_707_616,
        addresses: addresses.iter().map(|a| a.parse().unwrap()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_announcement_is_read_as_written_and_no_part_of_it_is() {
        let announcement = sample(&["10.0.0.1:40113", "[2001:db8::1]:5"]);
        let text = announcement.to_text();
        assert_eq!(parse(&text), FileContents::Announcement(announcement));
        for shorter in 0..text.len() {
            assert_eq!(parse(&text[..shorter]), FileContents::Incomplete, "{shorter} bytes");
        }
        assert_eq!(parse(&text.replace("store 1", "store 2")), FileContents::Incomplete);
        assert_eq!(parse(&sample(&[]).to_text()), FileContents::Incomplete);
    }

    #[test]
    fn a_plain_address_is_read_with_sars_port_unless_it_has_its_own() {
        for (text, expected) in [
            ("192.168.1.5", "192.168.1.5:12345"),
            ("192.168.1.5\n", "192.168.1.5:12345"),
            ("192.168.1.5:99", "192.168.1.5:99"),
            ("2001:db8::1", "[2001:db8::1]:12345"),
            ("[2001:db8::1]:99", "[2001:db8::1]:99"),
        ] {
            assert_eq!(parse(text), FileContents::PlainAddress(expected.parse().unwrap()), "{text}");
        }
        for text in ["", "\n", "192.168.1.", "192.168.1.5:0", "('fe80::1', 0, 2)", "host", "1.2.3.4\n5.6.7.8"]
        {
            assert_eq!(parse(text), FileContents::Incomplete, "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "\\PC*", at in any::<prop::sample::Index>()) {
            let mut whole = sample(&["10.0.0.1:40113"]).to_text();
            let at = at.index(whole.len());
            whole.insert_str(at, &text);
            let _ = (parse(&text), parse(&whole));
        }
    }
}
