//! Lists of hosts with their ranks, as in `--hosts`.

use std::ops::Range;

/// A host and its ranks.
#[derive(Debug, PartialEq, Eq)]
pub struct HostRanks {
    /// Name of the host, as the user wrote it.
    pub host: String,
    /// Its ranks, at least one.
    pub ranks: Range<u32>,
}

/// Parses `a:2,b:2`. Ranks are given to the hosts in their order.
pub fn places(text: &str, ranks: Option<u32>) -> Result<Vec<HostRanks>, String> {
    let hosts = text.split(',').map(host).collect::<Result<Vec<_>, _>>()?;
    let counted = hosts.iter().filter(|(_, count)| count.is_some()).count();
    let counts: Vec<u32> = match ranks {
        Some(n) if counted == 0 => shares(n, hosts.len())?,
        _ => hosts.iter().map(|(_, count)| count.unwrap_or(1)).collect(),
    };
    let sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if ranks.is_some_and(|n| u64::from(n) != sum) {
        return Err(format!("--hosts has room for {sum} ranks, -n says {}", ranks.unwrap_or_default()));
    }
    if sum > 65536 {
        return Err(format!("--hosts has room for {sum} ranks; at most 65536 are possible"));
    }
    let mut first = 0;
    let mut place = |((host, _), count): ((String, Option<u32>), u32)| {
        let ranks = first..first + count;
        first = ranks.end;
        HostRanks { host, ranks }
    };
    Ok(hosts.into_iter().zip(counts).map(&mut place).collect())
}

/// Parses `node1`, `node1:4`, `[2001:db8::1]:4`.
fn host(text: &str) -> Result<(String, Option<u32>), String> {
    let wrong = || format!("--hosts: \"{text}\"; expected HOST or HOST:N, with an IPv6 address in brackets");
    let (name, count) = match text.rsplit_once(':') {
        Some((name, count)) if !count.contains(']') => {
            (name, Some(count.parse().ok().filter(|count| *count > 0).ok_or_else(wrong)?))
        }
        _ => (text, None),
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    // A leading dash would be an option of the command that starts the agent.
    if name.is_empty() || name.starts_with('-') || bare.is_none() && name.contains(['[', ']', ':']) {
        return Err(wrong());
    }
    Ok((bare.unwrap_or(name).to_string(), count))
}

fn shares(ranks: u32, hosts: usize) -> Result<Vec<u32>, String> {
    let (wanted, hosts) = (u64::from(ranks), hosts as u64);
    if wanted < hosts {
        return Err(format!("-n {ranks} ranks on {hosts} hosts: a host would have none"));
    }
    Ok((0..hosts).map(|at| ((at + 1) * wanted / hosts - at * wanted / hosts) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(text: &str, ranks: Option<u32>) -> Vec<(String, u32, u32)> {
        places(text, ranks).unwrap().into_iter().map(|p| (p.host, p.ranks.start, p.ranks.end)).collect()
    }

    #[test]
    fn ranks_go_to_the_hosts_in_order() {
        let at = |host: &str, first, end| (host.to_string(), first, end);
        assert_eq!(spread("a:2,b:3", None), [at("a", 0, 2), at("b", 2, 5)]);
        assert_eq!(spread("a,b:3", Some(4)), [at("a", 0, 1), at("b", 1, 4)]);
        let many = spread(&vec!["a"; 65536].join(","), Some(65536));
        assert!(many.iter().all(|(_, first, end)| end - first == 1));
        assert_eq!(spread("a,b,c", Some(7)), [at("a", 0, 2), at("b", 2, 4), at("c", 4, 7)]);
        assert_eq!(spread("[::1]:2,[fe80::2]", None), [at("::1", 0, 2), at("fe80::2", 2, 3)]);
    }

    #[test]
    fn an_invalid_list_is_refused() {
        for (text, ranks) in
            [("", None), ("a,", None), ("a:0", None), ("a:x", None), (":2", None), ("-oProxy=x", None)]
        {
            assert!(places(text, ranks).is_err(), "{text}");
        }
        assert!(places("a:2,b:2", Some(5)).is_err() && places("a,b", Some(1)).is_err());
        assert!(places("::1:2", None).is_err());
    }
}
