//! The placement of ranks on hosts, and the command that reaches a host.

use std::fs;
use std::ops::Range;

use crate::mpiexec::placement::{place, read_file};
use crate::run::arguments::RunArguments;

/// The launcher that is used unless the user names another one.
pub const SSH: &str = "ssh";

/// A host and its ranks.
#[derive(Debug, PartialEq, Eq)]
pub struct HostRanks {
    /// Name of the host, as the user wrote it.
    pub host: String,
    /// Its ranks, at least one.
    pub ranks: Range<u32>,
}

/// The hosts that the user has named; none if all ranks are to run here.
pub fn places_of(arguments: &RunArguments) -> Result<Vec<HostRanks>, String> {
    if let Some(file) = &arguments.hostfile {
        let wrong = |error: String| format!("--hostfile {}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        let placed = place(&read_file(&text).map_err(wrong)?, arguments.ranks, &|_| false)?;
        return placed.hosts.map_or_else(|| Ok(Vec::new()), |hosts| places(&hosts, None).map_err(wrong));
    }
    arguments.hosts.as_ref().map_or_else(|| Ok(Vec::new()), |text| places(text, arguments.ranks))
}

/// Parses `a:2,b:2`. Ranks are given to the hosts in their order.
fn places(text: &str, ranks: Option<u32>) -> Result<Vec<HostRanks>, String> {
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
    let hosts = hosts as u32;
    if ranks < hosts {
        return Err(format!("-n {ranks} ranks on {hosts} hosts: a host would have none"));
    }
    Ok((0..hosts).map(|at| (at + 1) * ranks / hosts - at * ranks / hosts).collect())
}

/// The words of a command that starts `command` on `host`.
pub fn words(launcher: &str, host: &str, command: &str) -> Result<Vec<String>, String> {
    let pattern = match launcher {
        // No password can be typed. There is no terminal, because it would mix the outputs.
        SSH => "ssh -o BatchMode=yes -T {host} {cmd}",
        other => other,
    };
    if !pattern.split_whitespace().any(|word| word == "{cmd}") {
        return Err(format!("--launcher \"{launcher}\": expected ssh, or words of which one is {{cmd}}"));
    }
    let word = |word: &str| if word == "{cmd}" { command.to_string() } else { word.replace("{host}", host) };
    Ok(pattern.split_whitespace().map(word).collect())
}

/// A word quoted for a shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
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

    #[test]
    fn a_launcher_gets_the_host_and_the_command_as_one_word() {
        let words = words("ip netns exec x-{host} sh -c {cmd}", "a", "'/bin/an yccl' agent").unwrap();
        assert_eq!(words, ["ip", "netns", "exec", "x-a", "sh", "-c", "'/bin/an yccl' agent"]);
        assert!(super::words("ssh {host}", "a", "x").is_err());
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
