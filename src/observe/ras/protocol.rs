//! The commands of clients, one a line, and what is answered at once.

/// Longest line of a client, in bytes.
pub(super) const LONGEST_LINE: usize = 1024;

/// Version of the protocol that is named to clients that name none.
const VERSION: u32 = 2;

/// Form of the answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Format {
    #[default]
    Text,
    Json,
}

/// Events that a client watches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Groups {
    /// Processes that come and end.
    pub lifecycle: bool,
    /// Ranks that keep others waiting.
    pub trace: bool,
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// This answer, and nothing else.
    Say(String),
    /// Another form of the answers.
    SetFormat(Format),
    /// The state of the job. The connection ends after it.
    Status { is_verbose: bool },
    /// Events from now on.
    Monitor(Groups),
}

/// Reads a line without its end. Case does not matter.
pub(super) fn parse(line: &str) -> Command {
    let line = line.trim_end();
    let after = |words: &str| {
        let (start, rest) = line.split_at_checked(words.len())?;
        start.eq_ignore_ascii_case(words).then_some(rest)
    };
    if let Some(version) = after("client protocol ") {
        // Clients of all versions understand the answers, and warn if another version is named.
        return Command::Say(format!("SERVER PROTOCOL {}\n", version.trim().parse().unwrap_or(VERSION)));
    }
    if let Some(seconds) = after("timeout ") {
        // Nobody is waited for, so that any limit holds.
        let is_fine = seconds.trim().parse().is_ok_and(|seconds: f64| seconds.is_finite() && seconds >= 0.0);
        return if is_fine { ok() } else { error(&format!("Invalid timeout value {seconds}")) };
    }
    if let Some(format) = after("set format ") {
        return match format.to_ascii_lowercase().as_str() {
            "text" => Command::SetFormat(Format::Text),
            "json" => Command::SetFormat(Format::Json),
            _ => error(&format!("Invalid format {format}")),
        };
    }
    match line.to_ascii_lowercase().as_str() {
        "status" => return Command::Status { is_verbose: false },
        "verbose status" => return Command::Status { is_verbose: true },
        "monitor" => return Command::Monitor(Groups { lifecycle: true, trace: false }),
        _ => {}
    }
    match after("monitor ") {
        Some(groups) => monitor(groups.trim()),
        None => error(&format!("Unknown command {line}")),
    }
}

fn monitor(names: &str) -> Command {
    let mut groups = Groups::default();
    for name in names.split(',') {
        match name.to_ascii_lowercase().as_str() {
            "lifecycle" => groups.lifecycle = true,
            "trace" => groups.trace = true,
            "all" => groups = Groups { lifecycle: true, trace: true },
            _ => return error(&format!("Invalid event group '{name}'")),
        }
    }
    Command::Monitor(groups)
}

/// The answer to what is done.
pub(super) const DONE: &str = "OK\n";

fn ok() -> Command {
    Command::Say(DONE.into())
}

fn error(text: &str) -> Command {
    Command::Say(format!("ERROR: {text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_in_any_case() {
        let say = |text: &str| Command::Say(text.into());
        let watch = |lifecycle, trace| Command::Monitor(Groups { lifecycle, trace });
        for (line, expected) in [
            ("CLIENT PROTOCOL 2", say("SERVER PROTOCOL 2\n")),
            ("client protocol 3", say("SERVER PROTOCOL 3\n")),
            ("CLIENT PROTOCOL x", say("SERVER PROTOCOL 2\n")),
            ("TIMEOUT 5", say("OK\n")),
            ("timeout 0.5", say("OK\n")),
            ("TIMEOUT -1", say("ERROR: Invalid timeout value -1\n")),
            ("TIMEOUT inf", say("ERROR: Invalid timeout value inf\n")),
            ("SET FORMAT json", Command::SetFormat(Format::Json)),
            ("set format TEXT", Command::SetFormat(Format::Text)),
            ("SET FORMAT xml", say("ERROR: Invalid format xml\n")),
            ("STATUS", Command::Status { is_verbose: false }),
            ("STATUS ", Command::Status { is_verbose: false }),
            ("Verbose Status", Command::Status { is_verbose: true }),
            ("MONITOR", watch(true, false)),
            ("MONITOR trace", watch(false, true)),
            ("monitor Lifecycle,TRACE", watch(true, true)),
            ("MONITOR all", watch(true, true)),
            ("MONITOR all,x", say("ERROR: Invalid event group 'x'\n")),
            ("DIAGNOSTICS", say("ERROR: Unknown command DIAGNOSTICS\n")),
            ("", say("ERROR: Unknown command \n")),
            ("stätus", say("ERROR: Unknown command stätus\n")),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
