//! The command that reaches another host.

use crate::failure::Failure;

/// The launcher that is used unless the user names another one.
pub const SSH: &str = "ssh";

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

/// What the user can do about the code of a command that should have run `program` on a host.
pub fn what_to_try(code: u8, host: &str, program: &str, by_ssh: bool) -> String {
    match code {
        255 if by_ssh => format!(
            ". \"ssh -o BatchMode=yes {host} true\" must succeed: with a key instead of a password (ssh-copy-id {host}), \
             and a host key that is known (ssh {host}, once). --launcher names another way than ssh"
        ),
        126 | 127 => format!(". Is anyccl there, at {program}? --remote-anyccl names another path"),
        _ => String::new(),
    }
}

/// Path of this tool on other hosts, unless the user names another one: its path here.
pub fn own_path() -> Result<String, Failure> {
    let path = std::env::current_exe();
    path.map(|path| path.display().to_string())
        .map_err(|error| Failure::own(format_args!("cannot find this program's own file: {error}")))
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
