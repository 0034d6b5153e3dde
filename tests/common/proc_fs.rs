//! Facts that the kernel reports about processes and sockets.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Polls until a condition holds for which there is no event: of the kernel, or of a thread of the library.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "waited 60 s, and still not: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// State letter of a task: R runs, S sleeps, T is stopped, Z has ended. `None` means that there is no such
/// task.
pub fn state(task: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{task}/stat")).ok()?;
    // The name is in parentheses and may hold any character.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// How long each thread of a process has waited for a processor so far. Empty: the process has ended and is
/// gone, or the kernel does not count.
pub fn processor_waits(pid: u32) -> HashMap<u32, Duration> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return HashMap::new() };
    let wait_of = |task: fs::DirEntry| {
        // Time on a processor, time of waiting for one, number of turns.
        let counts = fs::read_to_string(task.path().join("schedstat")).ok()?;
        let waited = counts.split_whitespace().nth(1)?.parse().ok()?;
        Some((task.file_name().to_str()?.parse().ok()?, Duration::from_nanos(waited)))
    };
    tasks.filter_map(|task| wait_of(task.ok()?)).collect()
}

/// Targets of the descriptors of a process.
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
    // Other programs give their sockets any bytes as names.
    let table = fs::read("/proc/net/unix").expect("Linux");
    let table = String::from_utf8_lossy(&table);
    table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(6)?.parse().ok()).collect()
}

/// Addresses at which a process listens for TCP connections, as a process of this host reaches them.
pub fn listening_at(pid: u32) -> Vec<SocketAddr> {
    const LISTEN: &str = "0A";
    let inodes = socket_inodes(pid);
    let mut addresses = Vec::new();
    for table in ["tcp", "tcp6"] {
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/net/{table}")) else { continue };
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let ours =
                fields.get(9).and_then(|inode| inode.parse().ok()).is_some_and(|i| inodes.contains(&i));
            if ours && fields[3] == LISTEN {
                addresses.push(socket_address(fields[1]));
            }
        }
    }
    addresses
}

/// Parses an address such as "0100007F:1F90", which is 127.0.0.1:8080. The kernel prints the bytes on the
/// wire as numbers in the byte order of the machine.
fn socket_address(text: &str) -> SocketAddr {
    let (address, port) = text.split_once(':').expect("ADDRESS:PORT");
    let number = |digits: &str| u32::from_str_radix(digits, 16).expect("hexadecimal");
    let words = (0..address.len() / 8).map(|at| number(&address[at * 8..][..8]).to_ne_bytes());
    let bytes: Vec<u8> = words.flatten().collect();
    let address = match <[u8; 4]>::try_from(&bytes[..]) {
        Ok([0, 0, 0, 0]) => Ipv4Addr::LOCALHOST.into(),
        Ok(v4) => IpAddr::from(v4),
        Err(_) => match <[u8; 16]>::try_from(bytes).expect("four or sixteen bytes") {
            any if any == [0; 16] => Ipv6Addr::LOCALHOST.into(),
            v6 => IpAddr::from(v6),
        },
    };
    SocketAddr::new(address, number(port) as u16)
}

/// Named files through which a process shares memory. Anonymous files (memfd) do not count.
pub fn named_shared_mappings(pid: u32) -> Vec<String> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("our child runs");
    let shared = maps.lines().filter(|line| line.split_whitespace().nth(1).is_some_and(|p| p.ends_with('s')));
    let named = shared.filter(|line| !line.contains("/memfd:") && line.contains('/'));
    named.map(str::to_string).collect()
}

/// Files in /dev/shm that a library of this name could have left. Folders do not count: the folder in which
/// other jobs of this user meet may appear and disappear.
pub fn shared_files() -> HashSet<String> {
    let Ok(entries) = fs::read_dir("/dev/shm") else { return HashSet::new() };
    let files =
        entries.filter_map(|entry| entry.ok().filter(|e| e.file_type().is_ok_and(|kind| !kind.is_dir())));
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    // Tests that run at the same time have a stand-in for NCCL, with files of its own.
    names.filter(|name| name.contains("anyccl") && !name.starts_with("anyccl-stand-in-")).collect()
}
