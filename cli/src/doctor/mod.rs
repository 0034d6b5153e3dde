//! `anyccl doctor`: checks whether this machine suits jobs, and says what to change.
//!
//! One check per thing, each in the file of its field. A check takes what it looks at as an argument, so that
//! tests can pretend other machines. Things that can be tried are tried, not guessed.

mod clock;
mod environment;
mod files;
mod finding;
mod library;
mod limits;
mod memory;
mod network;
mod processors;

use anyccl_engine::base::VERSION;
use anyccl_engine::sys::host::host_name;
use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::info::{machine, transports};
use crate::output::{say, say_json};
use crate::run::number_of_ranks;
use crate::sys::probe;
use files::Files;
use finding::{Finding, State};
use processors::Cores;

/// Check whether this machine suits jobs, and say what to change
///
/// Tries shared memory, the right to read other processes' memory, TCP, and the name of this host. Looks at
/// limits, cores, NUMA, clocks, variables and the installed library. Each line that is not ok says what it
/// means, and the command that changes it.
#[derive(Args)]
#[command(after_help = "Examples:\n  anyccl doctor\n  anyccl doctor -n 64\n  anyccl doctor --json\n\n\
    Exit code: 0, also with warnings; 1 when jobs would fail.")]
pub struct DoctorArguments {
    /// Number of ranks that jobs have on this machine [default: one for each core]
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = number_of_ranks)]
    #[arg(allow_negative_numbers = true)]
    ranks: Option<u32>,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
}

/// Checks everything and reports. Returns the exit code.
pub fn doctor(arguments: &DoctorArguments) -> Result<u8, Failure> {
    let findings = findings(arguments.ranks);
    let code = u8::from(findings.iter().any(|finding| finding.state == State::Bad));
    if arguments.json {
        say_json(&json!({ "anyccl": VERSION, "host": host_name(), "findings": findings }))?;
    } else {
        say(&layout(&host_name(), &findings))?;
    }
    Ok(code)
}

fn findings(ranks: Option<u32>) -> Vec<Finding> {
    let files = Files::of_this_machine();
    // First, because these fork, and a look-up starts a thread.
    let transports = transports::transports();
    let library = library::library();
    let read = probe::read_other_process();
    let processor = machine::processor();
    let online = files.text("/sys/devices/system/cpu/online").map_or(0, |text| count_of(&text));
    let cores = Cores {
        online: online.max(processor.usable_cores.len()),
        usable: processor.usable_cores,
        quota: processor.quota_cores,
    };
    let ranks = ranks.unwrap_or(cores.usable.len().max(1) as u32);
    vec![
        library,
        environment::variables(),
        memory::shared_memory(&transports),
        memory::single_copy(&files, &read),
        memory::memory_limit(&files, ranks),
        processors::cores(&cores, ranks),
        processors::numa(&files),
        processors::governor(&files),
        clock::clock(&files),
        limits::open_files(&files, ranks),
        limits::tasks(&files, ranks),
        network::loopback(&transports),
        network::interfaces(),
        network::host_name(&host_name()),
    ]
}

/// Number of cores in a list such as `0-3,8`.
fn count_of(list: &str) -> usize {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    };
    list.split(',').filter_map(range).sum()
}

fn layout(host: &str, findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.subject.len()).max().unwrap_or(0);
    let mut text = format!("anyccl doctor {VERSION} on {host}\n\n");
    for Finding { subject, state, found, change } in findings {
        let word = match state {
            State::Good => "ok",
            State::Warning => "warn",
            State::Bad => "BAD",
        };
        text += &format!("{word:<4}  {subject:<width$}  {found}\n");
        if let Some(change) = change {
            text += &format!("{:6}{:width$}  -> {change}\n", "", "");
        }
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let (bad, warnings) = (count(State::Bad), count(State::Warning));
    let things = |count: usize| if count == 1 { "1 thing".to_string() } else { format!("{count} things") };
    text + &match (bad, warnings) {
        (0, 0) => "\nEverything is as it should be.\n".to_string(),
        (0, _) => format!("\nJobs run here; {} could be better.\n", things(warnings)),
        _ => format!(
            "\nJobs fail here until {} changed.\n",
            if bad == 1 { "1 thing is".into() } else { format!("{bad} things are") }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_counted() {
        assert_eq!((count_of("0-3,8"), count_of("0"), count_of("0-1,4-5"), count_of("")), (5, 1, 4, 0));
    }

    #[test]
    fn the_report_has_a_line_for_each_finding_and_the_way_out_below_it() {
        let findings = [Finding::good("cores", "8 cores"), Finding::bad("memory", "none", "buy some")];
        let text = layout("box", &findings);
        assert!(
            text.contains("ok    cores   8 cores\nBAD   memory  none\n              -> buy some\n"),
            "{text}"
        );
        assert!(text.ends_with("until 1 thing is changed.\n"), "{text}");
    }
}
