//! Memory that ranks of one host share, and the right to read each other's.

use std::io;

use super::files::Files;
use super::finding::Finding;
use crate::info::transports::Transport;

const SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// Whether ranks of this host can share memory. `transports` were tried.
pub fn shared_memory(transports: &[Transport]) -> Finding {
    const SUBJECT: &str = "shared memory";
    let Some(shm) = transports.iter().find(|transport| transport.name == "shm") else {
        return Finding::bad(SUBJECT, "this build has none", "use another build");
    };
    match shm.needs.iter().find(|need| !need.works && !need.optional) {
        None => Finding::good(SUBJECT, "ranks of this host can share memory"),
        Some(need) => Finding::bad(
            SUBJECT,
            format!("{} fails: {}", need.name, need.error.as_deref().unwrap_or("unknown")),
            "permit it in the sandbox or seccomp profile; until then ANYCCL_TRANSPORT=tcp",
        ),
    }
}

/// Whether a rank may read another rank's memory, which saves a copy of large messages.
pub fn single_copy(files: &Files, read: &io::Result<()>) -> Finding {
    const SUBJECT: &str = "single copy";
    let Err(error) = read else {
        return Finding::good(SUBJECT, "a rank may read large messages out of another rank's memory");
    };
    let found =
        format!("a rank may not read another rank's memory ({error}): large messages are copied twice");
    match files.number(SCOPE) {
        Some(scope @ 1..) => {
            let found = format!("{found}; kernel.yama.ptrace_scope is {scope}");
            Finding::warning(SUBJECT, found, "sudo sysctl kernel.yama.ptrace_scope=0")
        }
        _ => Finding::warning(
            SUBJECT,
            found,
            "permit process_vm_readv: for a container, --cap-add SYS_PTRACE or another seccomp profile",
        ),
    }
}

/// Whether the control group leaves room for memory.
pub fn memory_limit(files: &Files, ranks: u32) -> Finding {
    const SUBJECT: &str = "memory";
    const LEAST_PER_RANK: u64 = 64 << 20;
    let Some(limit) = files.tightest_limit("memory.max") else {
        return Finding::good(SUBJECT, "the control group sets no limit");
    };
    let share = limit / u64::from(ranks.max(1));
    let found = format!(
        "the control group allows {} MiB, {} MiB for each of {ranks} ranks",
        limit >> 20,
        share >> 20
    );
    if share >= LEAST_PER_RANK {
        return Finding::good(SUBJECT, found);
    }
    Finding::warning(
        SUBJECT,
        found,
        "raise the limit of the container or job (memory.max), or start fewer ranks",
    )
}

#[cfg(test)]
mod tests {
    use super::super::files::PretendedFiles;
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_refused_read_names_the_setting_that_refuses_it() {
        let refused = || Err(io::Error::from_raw_os_error(libc::EPERM));
        let machine = PretendedFiles::new(&[(SCOPE, "1\n")]);
        let finding = single_copy(&machine.files(), &refused());
        assert_eq!(finding.change.as_deref(), Some("sudo sysctl kernel.yama.ptrace_scope=0"));
        let without = PretendedFiles::new(&[]);
        assert!(single_copy(&without.files(), &refused()).change.unwrap().contains("SYS_PTRACE"));
        assert_eq!(single_copy(&machine.files(), &Ok(())).state, State::Good);
    }

    #[test]
    fn a_small_limit_for_many_ranks_is_told() {
        let machine = PretendedFiles::new(&[
            ("/proc/self/cgroup", "0::/\n"),
            ("/sys/fs/cgroup/memory.max", "268435456\n"),
        ]);
        assert_eq!(memory_limit(&machine.files(), 2).state, State::Good);
        assert_eq!(memory_limit(&machine.files(), 8).state, State::Warning);
    }
}
