//! Answers as text, in the form of NCCL's RAS: a summary of the job, a table of communicators in groups,
//! errors and warnings. The ranks that are named are those that keep the others waiting, not those that wait.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::answer::{Errors, hash, is_missing, is_out_of_step, nccl_version, status as status_of};
use super::monitor::Event;
use crate::base::VERSION;
use crate::observe::jobs::{Communicator, Job, RankReport, State};
use crate::sys::local_time::date_and_time;

/// Most ranks of a kind that are named, unless the client wants all.
const MOST_RANKS: usize = 10;
/// A wait of at least this long is in every answer, the short ones too.
const LONG_WAIT: f64 = 1.0;

/// The state of the jobs. `host`: this one. `took`: how long it was to find it out.
pub(super) fn status(jobs: &[Job], is_verbose: bool, host: &str, took: Duration) -> String {
    let groups = groups(jobs);
    let mut text = head(jobs);
    let _ = write!(text, "\nCommunicators... ({:.3}s)\n=============\n\n", took.as_secs_f64());
    text += &table(&groups);
    text += "\nErrors\n======\n\n";
    let all = groups.values().enumerate().flat_map(|(group, comms)| {
        comms.iter().enumerate().map(move |(number, comm)| (format!("#{group}-{number}"), *comm))
    });
    let says = Says { is_verbose, host };
    for (label, comm) in all.clone() {
        let label = format!("{label} ({:016x})", hash(comm));
        text += &says.list(comm, is_missing, &format!("{label} INCOMPLETE"), "not reached");
        text += &says.list(comm, |rank| rank.state == State::Failed, &format!("{label} ERROR"), "failed");
    }
    text += "Warnings\n========\n\n";
    for (label, comm) in all {
        let label = format!("{label} ({:016x})", hash(comm));
        text +=
            &says.list(comm, is_out_of_step, &format!("{label} MISMATCH"), "not in the call of the others");
        text += &says.links(comm, &label);
        text += &says.waits(comm, &label);
    }
    text
}

fn head(jobs: &[Job]) -> String {
    let hosts = jobs.iter().map(|job| job.hosts).max().unwrap_or(0);
    let gpus = 0;
    let processes: usize = jobs.iter().map(|job| job.processes.len()).sum();
    format!(
        "NCCL version {} (anyccl {VERSION}) compiled with CUDA 0.0\nCUDA runtime version 0, driver version 0\n\n\
         Job summary\n===========\n\n  \
         Nodes  Processes         GPUs  Processes     GPUs\n\
         (total)   per node  per process    (total)  (total)\n\
         {hosts:7}  {processes:9}  {gpus:11}  {processes:9}  {gpus:7}\n",
        nccl_version(),
    )
}

/// Communicators that are alike: larger ones first.
type Groups<'a> = BTreeMap<(std::cmp::Reverse<u32>, u32, &'static str, Errors), Vec<&'a Communicator>>;

fn groups(jobs: &[Job]) -> Groups<'_> {
    let mut groups = Groups::new();
    for comm in jobs.iter().flat_map(|job| &job.communicators) {
        let key = (std::cmp::Reverse(comm.size), comm.hosts, status_of(comm), Errors::of(comm));
        groups.entry(key).or_default().push(comm);
    }
    groups
}

fn table(groups: &Groups) -> String {
    if groups.is_empty() {
        return "No communicator data collected!\n".into();
    }
    let mut text = "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n    \
                    #  in group  per comm  per node  per comm  in group\n"
        .to_string();
    for (number, ((size, hosts, status, errors), comms)) in groups.iter().enumerate() {
        let here = |comm: &&Communicator| comm.ranks.iter().filter(|rank| !is_missing(rank)).count();
        let most = comms.iter().map(here).max().unwrap_or(0);
        let all: usize = comms.iter().map(here).sum();
        let _ = writeln!(
            text,
            "{number:5}  {:8}  {hosts:8}  {most:8}  {:8}  {all:8}  {status:>8}  {:>6}",
            comms.len(),
            size.0,
            errors.words(),
        );
    }
    text
}

/// How ranks are listed.
struct Says<'a> {
    is_verbose: bool,
    host: &'a str,
}

impl Says<'_> {
    /// A paragraph about the ranks of a kind; empty if there are none.
    fn list(&self, comm: &Communicator, is: fn(&RankReport) -> bool, title: &str, what: &str) -> String {
        let ranks: Vec<&RankReport> = comm.ranks.iter().filter(|rank| is(rank)).collect();
        if ranks.is_empty() {
            return String::new();
        }
        let mut text = format!("{title}\n");
        let _ = match &comm.call {
            Some(call) => {
                let number = comm.call_number.unwrap_or_default();
                writeln!(text, "  \"{}\": {call} #{number}; ranks {what}: {}", comm.name, ranks.len())
            }
            None => writeln!(text, "  \"{}\"; ranks {what}: {}", comm.name, ranks.len()),
        };
        text + &self.ranks(&ranks) + "\n"
    }

    /// A paragraph about links that pass on nothing; empty if there are none.
    fn links(&self, comm: &Communicator, label: &str) -> String {
        let links = &comm.silent_links;
        if links.is_empty() {
            return String::new();
        }
        let most = if self.is_verbose { links.len() } else { MOST_RANKS };
        let lines: String = links.iter().take(most).map(|link| format!("  {}\n", link.sentence())).collect();
        format!("{label} SILENT\n  links that pass on nothing: {}\n{lines}\n", links.len())
    }

    /// A paragraph about ranks that wait, if nobody else is to be named or it is asked for.
    fn waits(&self, comm: &Communicator, label: &str) -> String {
        let mut ranks: Vec<&RankReport> = comm.ranks.iter().filter(|rank| rank.waits_for.is_some()).collect();
        let longest = ranks.iter().filter_map(|rank| rank.waits_for_seconds).fold(0.0, f64::max);
        if ranks.is_empty() || !self.is_verbose && longest < LONG_WAIT {
            return String::new();
        }
        if !self.is_verbose {
            ranks.truncate(1);
        }
        let count = comm.ranks.iter().filter(|rank| rank.waits_for.is_some()).count();
        format!("{label} WAITING\n  ranks that wait: {count}, for {longest:.1} s at most\n")
            + &self.ranks(&ranks)
            + "\n"
    }

    fn ranks(&self, ranks: &[&RankReport]) -> String {
        let shown = if self.is_verbose { ranks.len() } else { ranks.len().min(MOST_RANKS) };
        let mut text = String::new();
        for rank in &ranks[..shown] {
            let _ = match rank.pid {
                Some(pid) => writeln!(
                    text,
                    "  Rank {} -- process {pid} on node {}: {}",
                    rank.rank,
                    self.host,
                    rank.sentence()
                ),
                None => writeln!(text, "  Rank {} -- {}", rank.rank, rank.sentence()),
            };
        }
        if shown < ranks.len() {
            let _ = writeln!(text, "  ... and {} more", ranks.len() - shown);
        }
        text
    }
}

/// An event of a client that watches.
pub(super) fn event(event: &Event, host: &str) -> String {
    let Event { name, pid, details, .. } = event;
    format!("[{}] {name}: Process {pid} on node {host} {details}\n", date_and_time())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::jobs::fixture::{process, waiting};
    use crate::observe::jobs::{Process, jobs_of};

    fn said(processes: &[Process], is_verbose: bool) -> String {
        status(&jobs_of(processes, 1), is_verbose, "10.0.0.1", Duration::from_millis(2))
    }

    /// The words of the only row of the table.
    fn row(text: &str) -> Vec<&str> {
        let (_, rows) = text.split_once("in group\n").unwrap();
        let (_, rows) = rows.split_once("in group\n").unwrap_or(("", rows));
        rows.lines().next().unwrap().split_whitespace().collect()
    }

    #[test]
    fn thirty_late_ranks_are_named_and_not_the_two_that_are_ahead() {
        let ranks = |rank| process(rank, 32, if rank < 2 { 641 } else { 640 }, 1, rank < 2);
        let processes: Vec<Process> = (0..32).map(ranks).collect();
        for (is_verbose, named) in [(false, 10), (true, 30)] {
            let text = said(&processes, is_verbose);
            assert_eq!(row(&text), ["0", "1", "1", "32", "32", "32", "RUNNING", "MISMATCH"], "{text}");
            let (_, warning) = text.split_once(" MISMATCH\n").unwrap();
            let (late, waiting) = warning.split_once(" WAITING\n").unwrap();
            assert!(
                late.contains("all_gather(int32, count 1) #640; ranks not in the call of the others: 30"),
                "{text}"
            );
            assert_eq!(late.matches("  Rank ").count(), named, "{text}");
            assert!(!late.contains("  Rank 0 ") && !late.contains("  Rank 1 "), "{text}");
            assert_eq!(late.contains("and 20 more"), !is_verbose);
            assert!(late.contains(
                "  Rank 2 -- process 1002 on node 10.0.0.1: has not made the call; its last call was"
            ));
            assert!(waiting.starts_with("  ranks that wait: 2, for 3.0 s at most\n  Rank 0 "), "{text}");
        }
    }

    #[test]
    fn a_call_in_which_all_ranks_are_stuck_is_told_although_their_counts_are_equal() {
        let processes = [process(0, 2, 9, 1, true), process(1, 2, 9, 1, true)];
        let text = said(&processes, false);
        assert_eq!(row(&text)[7], "OK");
        assert!(text.contains(" WAITING\n  ranks that wait: 2, for 3.0 s"), "{text}");
        let runs = said(&[process(0, 2, 9, 1, false), process(1, 2, 9, 1, false)], true);
        assert!(runs.ends_with("Warnings\n========\n\n"), "{runs}");
    }

    #[test]
    fn a_link_that_passes_on_nothing_is_named() {
        let text = said(&[waiting(0, 100, 70), waiting(1, 70, 60)], false);
        let link = " SILENT\n  links that pass on nothing: 1\n  the link from rank 0 to rank 1 (tcp) is silent: 40 bytes are on the \
                    way for 3.0 s\n\n";
        assert!(text.contains(link), "{text}");
    }

    #[test]
    fn ranks_that_are_stopped_or_gone_are_errors_and_the_text_has_the_headings_of_nccl() {
        let mut stopped = process(1, 3, 8, 1, false);
        stopped.is_stopped = true;
        let text = said(&[process(0, 3, 9, 1, true), stopped], false);
        assert!(text.starts_with("NCCL version 2.30.7 (anyccl "), "{text}");
        let mut rest = text.as_str();
        for heading in [
            "\nJob summary\n===========\n\n",
            "  Nodes  Processes         GPUs  Processes     GPUs\n",
            "\n      1          2            0          2        0\n",
            "\nCommunicators... (0.002s)\n=============\n\n",
            "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n",
            "\n    0         1         1         1         3         1   RUNNING  INCOMPLETE\n",
            "\nErrors\n======\n\n#0-0 (",
            ") INCOMPLETE\n",
            "  Rank 2 -- its process has ended, or it has left",
            "  Rank 1 -- process 1001 on node 10.0.0.1: is stopped",
            "\nWarnings\n========\n\n",
        ] {
            let (_, behind) = rest.split_once(heading).unwrap_or_else(|| panic!("{heading:?} in {text}"));
            rest = behind;
        }
        assert!(said(&[], true).contains("\nNo communicator data collected!\n"));
    }
}
