//! Identity of this host.

use std::fs;

/// The host's name, for messages only. It need not be unique, and need not resolve to anything useful.
pub fn host_name() -> String {
    first_line("/proc/sys/kernel/hostname").unwrap_or_else(|| "unknown-host".into())
}

/// Identity of this machine: the kernel's boot id. It differs from that of all other machines, and changes
/// with each boot. Containers of one machine share it.
///
/// A process from which /proc hides the boot id uses the machine id or the host's name instead.
pub fn machine_id() -> String {
    first_line("/proc/sys/kernel/random/boot_id")
        .or_else(|| first_line("/etc/machine-id"))
        .unwrap_or_else(|| format!("name:{}", host_name()))
}

/// Identity of this host: the machine, and its network namespace. It differs from that of all other hosts.
/// Ranks of a host find each other's memory over abstract sockets, which do not reach beyond the namespace.
pub fn host_id() -> String {
    let namespace = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    format!("{} {}", machine_id(), namespace.display())
}

/// Number of this process's PID namespace: processes of others have other numbers here, or none. 0 if `/proc`
/// does not tell.
pub fn pid_namespace() -> u64 {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let digits = link.to_str().and_then(|text| text.strip_prefix("pid:[")?.strip_suffix(']'));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// The user that this process acts as.
pub fn user_id() -> u32 {
    // SAFETY: asks the kernel; touches no memory, cannot fail.
    unsafe { libc::geteuid() }
}
