//! What the kernel knows about processes and sockets.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Polls a condition of the kernel's, of which nobody sends news.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "waited 20 s in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// State letter of a task: R runs, S sleeps, T is stopped, Z has ended. `None`: there is none.
pub fn state(task: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{task}/stat")).ok()?;
    // The name is in parentheses and may hold any character.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// What the descriptors of a process point to.
fn descriptors(pid: u32) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    entries.filter_map(|e| fs::read_link(e.ok()?.path()).ok()).collect()
}

/// Inodes of the sockets of a process.
pub fn socket_inodes(pid: u32) -> HashSet<u64> {
    let inode =
        |target: PathBuf| target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse::<u64>().ok();
    descriptors(pid).into_iter().filter_map(inode).collect()
}

/// Inodes of all Unix sockets of this machine.
pub fn unix_inodes() -> HashSet<u64> {
    let table = fs::read_to_string("/proc/net/unix").expect("Linux");
    table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(6)?.parse().ok()).collect()
}

/// TCP ports on which a process listens, by any address.
pub fn listening_ports(pid: u32) -> Vec<u16> {
    const LISTEN: &str = "0A";
    let inodes = socket_inodes(pid);
    let mut ports = Vec::new();
    for table in ["tcp", "tcp6"] {
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/net/{table}")) else { continue };
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let ours =
                fields.get(9).and_then(|inode| inode.parse().ok()).is_some_and(|i| inodes.contains(&i));
            if ours && fields[3] == LISTEN {
                let port = fields[1].rsplit(':').next().expect("ADDRESS:PORT");
                ports.push(u16::from_str_radix(port, 16).expect("hexadecimal"));
            }
        }
    }
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// Named files that a process shares its memory by: anonymous ones (memfd) do not count.
pub fn named_shared_mappings(pid: u32) -> Vec<String> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("our child runs");
    let shared = maps.lines().filter(|line| line.split_whitespace().nth(1).is_some_and(|p| p.ends_with('s')));
    let named = shared.filter(|line| !line.contains("/memfd:") && line.contains('/'));
    named.map(str::to_string).collect()
}

/// Files of /dev/shm that a library of this name could have left.
pub fn shared_files() -> HashSet<String> {
    let Ok(entries) = fs::read_dir("/dev/shm") else { return HashSet::new() };
    let names = entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()));
    names.filter(|name| name.contains("anyccl")).collect()
}
