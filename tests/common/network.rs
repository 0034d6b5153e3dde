//! Hosts that are network namespaces of this machine, each with one wire to a common switch.
//!
//! Abstract sockets do not cross namespaces, so ranks on different hosts can only use TCP. The boot id is the
//! same on all hosts, because they share one kernel. Each host has one interface, or two, whose counters tell
//! how many bytes crossed its wire. A network needs root and iproute2; a test without them reports that it is
//! skipped, and passes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Name of the interface of each host.
const WIRE: &str = "wire0";
/// Name of the second interface of each host, if it has one.
pub const SECOND_WIRE: &str = "wire1";

/// How the other hosts lose a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLoss {
    /// The interface is set down, so the host has no route any more.
    Down,
    /// The interface is removed, together with its address.
    Removed,
    /// All packets from and to the host are dropped, and no side is notified.
    Silent,
}

/// Some hosts and the switch that connects them. Dropping the value removes all of them.
pub struct Network {
    hosts: Vec<String>,
    switch: String,
}

/// A network of `hosts` hosts, or `None` where this process may not create one. The reason is printed on
/// standard error.
pub fn network_or_skip(hosts: usize) -> Option<Network> {
    let said = |reason| skip(&format!("network namespaces need root and iproute2 ({reason})"));
    Network::lay(hosts).map_err(said).ok()
}

/// Prints why a test is skipped.
pub fn skip(reason: &str) {
    // The test harness hides what a passing test prints by `println`.
    use std::io::Write;
    let _ = std::io::stderr().write_all(format!("\nSKIPPED: {reason}\n").as_bytes());
}

impl Network {
    fn lay(hosts: usize) -> Result<Network, String> {
        static LAID: AtomicU32 = AtomicU32::new(0);
        let number = LAID.fetch_add(1, Ordering::Relaxed);
        let name = |what: String| format!("anyccl-{}-{number}-{what}", std::process::id());
        let network = Network {
            hosts: (0..hosts).map(|host| name(host.to_string())).collect(),
            switch: name("switch".to_string()),
        };
        // From here on, dropping `network` removes what exists so far.
        let switch = &network.switch;
        ip(&["netns", "add", switch])?;
        ip(&["-n", switch, "link", "add", "switch0", "type", "bridge"])?;
        ip(&["-n", switch, "link", "set", "switch0", "up"])?;
        for (at, host) in network.hosts.iter().enumerate() {
            ip(&["netns", "add", host])?;
            ip(&["-n", host, "link", "set", "lo", "up"])?;
            network.add_wire(host, WIRE, &port(at), &network.address(at))?;
        }
        Ok(network)
    }

    fn add_wire(&self, host: &str, wire: &str, port: &str, address: &str) -> Result<(), String> {
        let switch = &self.switch;
        ip(&["link", "add", wire, "netns", host, "type", "veth", "peer", "name", port, "netns", switch])?;
        ip(&["-n", switch, "link", "set", port, "master", "switch0", "up"])?;
        ip(&["-n", host, "address", "add", &format!("{address}/24"), "dev", wire])?;
        ip(&["-n", host, "link", "set", wire, "up"]).map(drop)
    }

    /// Gives each host a second wire, in a network of its own.
    pub fn add_second_wires(&self) -> Result<(), String> {
        for (at, host) in self.hosts.iter().enumerate() {
            self.add_wire(host, SECOND_WIRE, &format!("second{at}"), &format!("10.213.8.{}", at + 1))?;
        }
        Ok(())
    }

    /// IPv4 address of a host on its wire.
    pub fn address(&self, host: usize) -> String {
        format!("10.213.7.{}", host + 1)
    }

    /// Cuts a host off permanently.
    pub fn cut(&self, host: usize, how: HostLoss) -> Result<(), String> {
        let name = &self.hosts[host];
        match how {
            HostLoss::Down => ip(&["-n", name, "link", "set", WIRE, "down"]),
            HostLoss::Removed => ip(&["-n", name, "link", "delete", WIRE]),
            // The port stays up, and so does the interface of the host, but packets go nowhere.
            HostLoss::Silent => ip(&["-n", &self.switch, "link", "set", &port(host), "nomaster"]),
        }
        .map(drop)
    }

    /// Renames the wire of a host.
    pub fn rename_wire(&self, host: usize, name: &str) -> Result<(), String> {
        let host = &self.hosts[host];
        ip(&["-n", host, "link", "set", WIRE, "down"])?;
        ip(&["-n", host, "link", "set", WIRE, "name", name])?;
        ip(&["-n", host, "link", "set", name, "up"])?;
        Ok(())
    }

    /// Removes every IPv4 address of the wires and gives each wire an IPv6 address.
    pub fn only_ipv6(&self) -> Result<(), String> {
        for (at, host) in self.hosts.iter().enumerate() {
            ip(&["-n", host, "-4", "address", "flush", "dev", WIRE])?;
            let address = format!("{}/64", self.ipv6_address(at));
            ip(&["-n", host, "-6", "address", "add", &address, "dev", WIRE, "nodad"])?;
        }
        Ok(())
    }

    /// IPv6 address of a host after [`Network::only_ipv6`].
    pub fn ipv6_address(&self, host: usize) -> String {
        format!("fd00:213:7::{}", host + 1)
    }

    /// Adds a bridge like that of container engines to every host, with the same address on each.
    pub fn add_bridges(&self) -> Result<(), String> {
        for host in &self.hosts {
            ip(&["-n", host, "link", "add", "docker0", "type", "bridge"])?;
            ip(&["-n", host, "address", "add", "172.17.0.1/16", "dev", "docker0"])?;
            ip(&["-n", host, "link", "set", "docker0", "up"])?;
        }
        Ok(())
    }

    /// Sets the names that a host can resolve; `lines` have the form of /etc/hosts.
    pub fn set_names(&self, host: usize, lines: &str) -> Result<(), String> {
        let folder = self.settings_folder(host);
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("hosts"), lines));
        written.map_err(|error| format!("{}: {error}", folder.display()))
    }

    /// Folder whose files `ip netns exec` mounts over those of /etc.
    fn settings_folder(&self, host: usize) -> PathBuf {
        Path::new("/etc/netns").join(&self.hosts[host])
    }

    /// Name of a host's namespace.
    pub fn name(&self, host: usize) -> &str {
        &self.hosts[host]
    }

    /// Store of a job whose rank 0 runs on host 0. Any port is free there, because the host has no other
    /// processes.
    pub fn store(&self) -> String {
        format!("tcp://{}:29417", self.address(0))
    }

    /// Command prefix that runs a program on a host.
    pub fn prefix(&self, host: usize) -> Vec<String> {
        ["ip", "netns", "exec", &self.hosts[host]].map(str::to_string).to_vec()
    }

    /// Limits the rate at which every host sends, by a token bucket filter.
    pub fn limit(&self, rate: &str) -> Result<(), String> {
        for host in &self.hosts {
            run("tc", &["-n", host, "qdisc", "add", "dev", WIRE, "root", "tbf"], rate)?;
        }
        Ok(())
    }

    /// Bytes that a host has sent over its wire, headers included.
    pub fn sent_bytes(&self, host: usize) -> u64 {
        self.sent_bytes_over(host, WIRE)
    }

    /// Like [`Network::sent_bytes`], over one of its interfaces.
    pub fn sent_bytes_over(&self, host: usize, wire: &str) -> u64 {
        let file = format!("/sys/class/net/{wire}/statistics/tx_bytes");
        let text = run("ip", &["netns", "exec", &self.hosts[host], "cat"], &file).expect("a counter");
        text.trim().parse().expect("a number")
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for name in self.hosts.iter().chain([&self.switch]) {
            let _ = ip(&["netns", "delete", name]);
        }
        for host in 0..self.hosts.len() {
            let _ = fs::remove_dir_all(self.settings_folder(host));
        }
    }
}

/// Name of the switch's end of a host's wire.
fn port(host: usize) -> String {
    format!("port{host}")
}

fn ip(arguments: &[&str]) -> Result<String, String> {
    run("ip", arguments, "")
}

/// Runs a command with more arguments, which are separated by spaces, and returns what it prints.
fn run(program: &str, arguments: &[&str], more: &str) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments).args(more.split_whitespace());
    let done = command.output().map_err(|e| format!("cannot run {program}: {e}"))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{program} {}: {}", arguments.join(" "), said.trim()))
}
