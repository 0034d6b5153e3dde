//! Limits on what a process may have.

use super::files::Files;
use super::finding::Finding;

/// Open files of a rank for each rank on another host, and for itself.
const FILES_PER_PEER: u64 = 3;
const OWN_FILES: u64 = 64;

/// Threads and processes of a rank, with some to spare.
const TASKS_PER_RANK: u64 = 8;

/// Whether each rank may open as many files as its connections take.
pub fn open_files(files: &Files, ranks: u32) -> Finding {
    const SUBJECT: &str = "open files";
    let limits = files.text("/proc/self/limits").unwrap_or_default();
    let Some((soft, hard)) = soft_and_hard(&limits, "Max open files") else {
        return Finding::good(SUBJECT, "no limit");
    };
    let needed = OWN_FILES + FILES_PER_PEER * u64::from(ranks);
    let found = format!("a process may have {soft}; with {ranks} ranks over TCP it needs up to {needed}");
    if soft >= needed {
        return Finding::good(SUBJECT, found);
    }
    let change = if hard >= needed {
        format!("ulimit -n {hard}")
    } else {
        format!(
            "raise the hard limit, now {hard}: a line \"* hard nofile {}\" in /etc/security/limits.conf",
            needed * 2
        )
    };
    Finding::bad(SUBJECT, found, change)
}

/// Whether the control group allows the threads of all ranks.
pub fn tasks(files: &Files, ranks: u32) -> Finding {
    const SUBJECT: &str = "threads";
    let needed = TASKS_PER_RANK * u64::from(ranks);
    match files.tightest_limit("pids.max") {
        Some(limit) if limit < needed => Finding::bad(
            SUBJECT,
            format!("the control group allows {limit}; {ranks} ranks need up to {needed}"),
            "raise the limit of the container or job (pids.max, --pids-limit)",
        ),
        Some(limit) => Finding::good(SUBJECT, format!("the control group allows {limit}")),
        None => Finding::good(SUBJECT, "the control group sets no limit"),
    }
}

/// A row of /proc/self/limits. "unlimited" is the largest number.
fn soft_and_hard(limits: &str, name: &str) -> Option<(u64, u64)> {
    let row = limits.lines().find_map(|line| line.strip_prefix(name))?;
    let mut words = row.split_whitespace().map(|word| word.parse().unwrap_or(u64::MAX));
    Some((words.next()?, words.next()?))
}

#[cfg(test)]
mod tests {
    use super::super::files::PretendedFiles;
    use super::super::finding::State;
    use super::*;

    #[test]
    fn too_few_open_files_are_told_with_the_command_that_helps() {
        let limits =
            "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024      4096    files\n";
        let machine = PretendedFiles::new(&[("/proc/self/limits", limits)]);
        assert_eq!(open_files(&machine.files(), 64).state, State::Good);
        assert_eq!(open_files(&machine.files(), 1000).change.unwrap(), "ulimit -n 4096");
        assert!(open_files(&machine.files(), 10_000).change.unwrap().contains("limits.conf"));
    }

    #[test]
    fn a_group_with_too_few_tasks_is_told() {
        let machine =
            PretendedFiles::new(&[("/proc/self/cgroup", "0::/\n"), ("/sys/fs/cgroup/pids.max", "100\n")]);
        assert_eq!(tasks(&machine.files(), 4).state, State::Good);
        assert_eq!(tasks(&machine.files(), 64).state, State::Bad);
    }
}
