//! Cores: how many ranks share one, and what keeps them slow.

use super::files::Files;
use super::finding::Finding;

/// The cores of a machine, and those that this process may use.
pub struct Cores {
    /// Cores that are online.
    pub online: usize,
    /// Cores in the affinity mask of this process.
    pub usable: Vec<usize>,
    /// Time that the control group allows, in cores.
    pub quota: Option<f64>,
}

/// Whether each rank has a core of its own.
pub fn cores(cores: &Cores, ranks: u32) -> Finding {
    const SUBJECT: &str = "cores";
    let (usable, online) = (cores.usable.len(), cores.online);
    let limited = cores.quota.filter(|quota| *quota < usable as f64);
    let room = limited.map_or(usable as f64, |quota| quota);
    let of = if usable < online { format!("{usable} of {online} cores") } else { format!("{usable} cores") };
    let quota = limited.map_or_else(String::new, |quota| format!(" and time of {quota:.1} cores"));
    let found = format!("{ranks} ranks have {of}{quota}");
    if f64::from(ranks) <= room {
        return Finding::good(SUBJECT, found);
    }
    let change = if limited.is_some() {
        "raise the limit of the container or job (cpu.max), or start fewer ranks".to_string()
    } else if usable < online {
        format!("taskset -c 0-{} before the command, or ask the batch system for more cores", online - 1)
    } else {
        format!("anyccl run -n {usable}, or a machine with more cores")
    };
    Finding::warning(SUBJECT, format!("{found}: ranks take turns, and small calls take milliseconds"), change)
}

/// Whether ranks can stay near their memory.
pub fn numa(files: &Files) -> Finding {
    const SUBJECT: &str = "NUMA";
    let is_node = |name: &String| {
        name.strip_prefix("node")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let nodes = files.names("/sys/devices/system/node").into_iter().filter(is_node).count().max(1);
    if nodes == 1 {
        return Finding::good(SUBJECT, "one node");
    }
    if files.number("/proc/sys/kernel/numa_balancing").is_some_and(|value| value > 0) {
        return Finding::warning(
            SUBJECT,
            format!("{nodes} nodes, and the kernel moves pages between them while ranks communicate"),
            "sudo sysctl kernel.numa_balancing=0; anyccl run binds ranks to cores, so that memory stays near",
        );
    }
    Finding::good(
        SUBJECT,
        format!("{nodes} nodes; anyccl run binds ranks to cores, so that memory stays near"),
    )
}

/// Whether the cores run at their full speed.
pub fn governor(files: &Files) -> Finding {
    const SUBJECT: &str = "clock rate";
    match files.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").as_deref() {
        Some(name @ ("powersave" | "conservative")) if !has_own_driver(files) => Finding::warning(
            SUBJECT,
            format!("the governor is {name}: a waking core is slow at first"),
            "sudo cpupower frequency-set -g performance",
        ),
        Some(name) => Finding::good(SUBJECT, format!("the governor is {name}")),
        None => Finding::good(SUBJECT, "the kernel does not change it"),
    }
}

/// Drivers whose `powersave` follows the load.
fn has_own_driver(files: &Files) -> bool {
    let driver = files.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
    driver.is_some_and(|name| name.starts_with("intel_pstate") || name.starts_with("amd-pstate"))
}

#[cfg(test)]
mod tests {
    use super::super::files::PretendedFiles;
    use super::super::finding::State;
    use super::*;

    fn found(online: usize, usable: usize, quota: Option<f64>, ranks: u32) -> Finding {
        cores(&Cores { online, usable: (0..usable).collect(), quota }, ranks)
    }

    #[test]
    fn more_ranks_than_cores_are_told_with_what_limits_them() {
        assert_eq!(found(8, 8, None, 8).state, State::Good);
        assert!(found(8, 8, None, 9).change.unwrap().contains("-n 8"));
        assert!(found(8, 2, None, 4).change.unwrap().contains("taskset -c 0-7"));
        assert!(found(8, 8, Some(1.5), 2).change.unwrap().contains("cpu.max"));
        assert_eq!(found(8, 8, Some(16.0), 8).state, State::Good);
    }

    #[test]
    fn balancing_between_nodes_is_told() {
        let one = PretendedFiles::new(&[("/sys/devices/system/node/node0/x", "")]);
        assert_eq!(numa(&one.files()).state, State::Good);
        let two = PretendedFiles::new(&[
            ("/sys/devices/system/node/node0/x", ""),
            ("/sys/devices/system/node/node1/x", ""),
            ("/sys/devices/system/node/possible", ""),
            ("/proc/sys/kernel/numa_balancing", "1\n"),
        ]);
        assert!(numa(&two.files()).found.starts_with("2 nodes"));
    }

    #[test]
    fn powersave_matters_only_where_it_does_not_follow_the_load() {
        const GOVERNOR: &str = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        let machine = PretendedFiles::new(&[(GOVERNOR, "powersave\n")]);
        assert_eq!(governor(&machine.files()).state, State::Warning);
        let driver = ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
        let machine = PretendedFiles::new(&[(GOVERNOR, "powersave\n"), driver]);
        assert_eq!(governor(&machine.files()).state, State::Good);
    }
}
