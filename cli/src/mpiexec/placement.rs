//! Hosts with numbers of ranks, and the number of ranks that each gets.

use std::ffi::CStr;
use std::net::IpAddr;

/// Most ranks of a job.
const MOST_RANKS: u32 = 65536;

/// A host and the number of its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Its name or address.
    pub host: String,
    /// Number of ranks that it takes, if the user says it.
    pub ranks: Option<u32>,
}

/// Ranks on hosts.
#[derive(Debug, PartialEq, Eq)]
pub struct Placed {
    /// Hosts in the form of `anyccl run --hosts`. `None`: all on this host.
    pub hosts: Option<String>,
    /// Number of ranks.
    pub ranks: u32,
}

/// Parses a list such as `a,b:2`.
pub fn read_list(text: &str) -> Result<Vec<Slots>, String> {
    text.split(',').map(slots).collect()
}

/// Parses a file with one host per line: `a`, `a:2`, `a slots=2`. Text behind `#` is ignored.
pub fn read_file(text: &str) -> Result<Vec<Slots>, String> {
    let mut hosts = Vec::new();
    for line in text.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(host) = words.next() else { continue };
        let mut slots = slots(host)?;
        for word in words {
            if let Some(number) = word.strip_prefix("slots=") {
                slots.ranks = Some(count(number)?);
            }
        }
        hosts.push(slots);
    }
    if hosts.is_empty() { Err("it names no host".into()) } else { Ok(hosts) }
}

fn slots(text: &str) -> Result<Slots, String> {
    let (host, ranks) = match text.rsplit_once(':') {
        Some((host, number)) if !host.contains(':') || host.ends_with(']') => (host, Some(count(number)?)),
        _ => (text, None),
    };
    match host {
        "" => Err(format!("\"{text}\" names no host")),
        // In a list, it would be several hosts.
        host if host.contains(',') => Err(format!("\"{text}\" is no name of a host: one line, one host")),
        host => Ok(Slots { host: host.into(), ranks }),
    }
}

fn count(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST_RANKS).contains(number));
    number.ok_or_else(|| format!("\"{text}\" is no number of ranks"))
}

/// Gives ranks to the hosts in their order, going round again if there are more. Without a number of ranks,
/// each host gets the number that it takes. `is_here` tells whether a name means this host.
pub fn place(hosts: &[Slots], ranks: Option<u32>, is_here: &dyn Fn(&str) -> bool) -> Result<Placed, String> {
    let room: Vec<u32> = hosts.iter().map(|slots| slots.ranks.unwrap_or(1)).collect();
    let all: u64 = room.iter().map(|ranks| u64::from(*ranks)).sum();
    let wanted = ranks.or_else(|| u32::try_from(all).ok().filter(|all| *all <= MOST_RANKS));
    let wanted =
        wanted.ok_or_else(|| format!("the hosts take {all} ranks; at most {MOST_RANKS} are possible"))?;
    let mut given = vec![0; hosts.len()];
    let mut left = wanted;
    while left > 0 {
        for (given, room) in given.iter_mut().zip(&room) {
            let more = left.min(*room);
            *given += more;
            left -= more;
        }
    }
    if hosts.iter().all(|slots| is_here(&slots.host)) {
        return Ok(Placed { hosts: None, ranks: wanted });
    }
    let name = |host: &str| {
        if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.into() }
    };
    let used = hosts.iter().zip(given).filter(|(_, given)| *given > 0);
    let text: Vec<String> = used.map(|(slots, given)| format!("{}:{given}", name(&slots.host))).collect();
    Ok(Placed { hosts: Some(text.join(",")), ranks: wanted })
}

/// Whether a name or an address means this host.
pub fn is_here(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    if host == "localhost" || address.is_ok_and(|address| address.is_loopback()) {
        return true;
    }
    let mut name = [0u8; 257];
    // SAFETY: the call writes at most the given length, which leaves a zero at the end.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let own = CStr::from_bytes_until_nul(&name).ok().and_then(|name| name.to_str().ok());
    failed == 0 && own.is_some_and(|own| own == host || own.split('.').next() == Some(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_hosts_is_read_in_the_forms_of_mpich_and_open_mpi() {
        let slots = |host: &str, ranks| Slots { host: host.into(), ranks };
        let text = "# nodes\na\nb:2\nc slots=3 max_slots=4\n\n[::1]:2\n";
        let expected = [slots("a", None), slots("b", Some(2)), slots("c", Some(3)), slots("[::1]", Some(2))];
        assert_eq!(read_file(text).unwrap(), expected);
        assert!(read_file("# none\n").is_err() && read_file("a:x").is_err() && read_file("a,b:2").is_err());
    }

    #[test]
    fn hosts_are_filled_in_order_and_again_if_there_are_more_ranks() {
        let hosts = read_list("a:2,b").unwrap();
        let nowhere = |_: &str| false;
        let placed = |ranks| place(&hosts, ranks, &nowhere).unwrap().hosts.unwrap();
        assert_eq!(placed(None), "a:2,b:1");
        assert_eq!(placed(Some(1)), "a:1");
        assert_eq!(placed(Some(5)), "a:4,b:1");
        let many = vec![Slots { host: "a".into(), ranks: Some(65536) }; 65536];
        assert!(place(&many, None, &nowhere).unwrap_err().contains("take 4294967296 ranks"));
        assert_eq!(place(&hosts, None, &|_| true), Ok(Placed { hosts: None, ranks: 3 }));
    }

    #[test]
    fn this_host_is_known_by_its_loopback_names() {
        assert!(is_here("localhost") && is_here("127.0.0.1") && is_here("[::1]"));
        assert!(!is_here("node1.example.org"));
    }
}
