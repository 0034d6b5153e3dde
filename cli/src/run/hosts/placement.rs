//! The placement of ranks on hosts, and the command that reaches a host.

use std::fs;

use super::host_list::{HostRanks, places};
use crate::mpiexec::placement::{place, read_file};
use crate::run::arguments::RunArguments;

/// The launcher that is used unless the user names another one.
pub const SSH: &str = "ssh";

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

    #[test]
    fn a_launcher_gets_the_host_and_the_command_as_one_word() {
        let words = words("ip netns exec x-{host} sh -c {cmd}", "a", "'/bin/an yccl' agent").unwrap();
        assert_eq!(words, ["ip", "netns", "exec", "x-a", "sh", "-c", "'/bin/an yccl' agent"]);
        assert!(super::words("ssh {host}", "a", "x").is_err());
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
