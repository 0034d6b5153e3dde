//! Hosts that are network namespaces of this machine, each with one wire to a common switch.
//!
//! Abstract sockets do not cross namespaces, so ranks of different ones have TCP only, although the kernel,
//! and so its boot id, is the same for all. Each host has one interface, whose counters say what crossed its
//! wire. Needs root and iproute2; a test without them says so and passes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The interface of a host.
const WIRE: &str = "wire0";

/// How a host is lost to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentSize {
    /// Its interface is set down: it has no route any more.
    Down,
    /// Its interface is removed, and its address with it.
    Removed,
    /// Nothing that it sends arrives, nothing reaches it, and nobody is told.
    Silent,
}

/// Some hosts and their switch. Dropped, everything is taken down.
pub struct Network {
    hosts: Vec<String>,
    switch: String,
}

/// A network for `hosts` hosts. `None`, said on standard error, where this process may not have one.
pub fn network_or_skip(hosts: usize) -> Option<Network> {
    let said = |reason| skip(&format!("network namespaces need root and iproute2 ({reason})"));
    Network::lay(hosts).map_err(said).ok()
}

/// Says why a test does nothing.
pub fn skip(reason: &str) {
    // Not by println, which nobody sees of a test that passes.
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
        // From here on, dropping takes down what was put up.
        let switch = &network.switch;
        ip(&["netns", "add", switch])?;
        ip(&["-n", switch, "link", "add", "switch0", "type", "bridge"])?;
        ip(&["-n", switch, "link", "set", "switch0", "up"])?;
        for (at, host) in network.hosts.iter().enumerate() {
            let port = port(at);
            ip(&["netns", "add", host])?;
            ip(&[
                "link", "add", WIRE, "netns", host, "type", "veth", "peer", "name", &port, "netns", switch,
            ])?;
            ip(&["-n", switch, "link", "set", &port, "master", "switch0", "up"])?;
            ip(&["-n", host, "address", "add", &format!("{}/24", network.address(at)), "dev", WIRE])?;
            ip(&["-n", host, "link", "set", "lo", "up"])?;
            ip(&["-n", host, "link", "set", WIRE, "up"])?;
        }
        Ok(network)
    }

    /// Address of a host on its wire.
    pub fn address(&self, host: usize) -> String {
        format!("10.213.7.{}", host + 1)
    }

    /// Cuts a host off, for good.
    pub fn cut(&self, host: usize, how: FragmentSize) -> Result<(), String> {
        let name = &self.hosts[host];
        match how {
            FragmentSize::Down => ip(&["-n", name, "link", "set", WIRE, "down"]),
            FragmentSize::Removed => ip(&["-n", name, "link", "delete", WIRE]),
            // The port stays up, so the host's interface does; but it leads nowhere.
            FragmentSize::Silent => ip(&["-n", &self.switch, "link", "set", &port(host), "nomaster"]),
        }
        .map(drop)
    }

    /// Gives the wire of a host another name.
    pub fn rename_wire(&self, host: usize, name: &str) -> Result<(), String> {
        let host = &self.hosts[host];
        ip(&["-n", host, "link", "set", WIRE, "down"])?;
        ip(&["-n", host, "link", "set", WIRE, "name", name])?;
        ip(&["-n", host, "link", "set", name, "up"])?;
        Ok(())
    }

    /// Takes every IPv4 address of the wires, and gives each an IPv6 one.
    pub fn only_ipv6(&self) -> Result<(), String> {
        for (at, host) in self.hosts.iter().enumerate() {
            ip(&["-n", host, "-4", "address", "flush", "dev", WIRE])?;
            let address = format!("{}/64", self.ipv6_address(at));
            ip(&["-n", host, "-6", "address", "add", &address, "dev", WIRE, "nodad"])?;
        }
        Ok(())
    }

    /// Address of a host after [`Network::only_ipv6`].
    pub fn ipv6_address(&self, host: usize) -> String {
        format!("fd00:213:7::{}", host + 1)
    }

    /// A bridge as container engines make it: on every host, with the same address.
    pub fn add_bridges(&self) -> Result<(), String> {
        for host in &self.hosts {
            ip(&["-n", host, "link", "add", "docker0", "type", "bridge"])?;
            ip(&["-n", host, "address", "add", "172.17.0.1/16", "dev", "docker0"])?;
            ip(&["-n", host, "link", "set", "docker0", "up"])?;
        }
        Ok(())
    }

    /// What a host knows of names, in the form of /etc/hosts.
    pub fn set_names(&self, host: usize, lines: &str) -> Result<(), String> {
        let folder = self.settings_folder(host);
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("hosts"), lines));
        written.map_err(|error| format!("{}: {error}", folder.display()))
    }

    /// `ip netns exec` puts the files in it over those of /etc.
    fn settings_folder(&self, host: usize) -> PathBuf {
        Path::new("/etc/netns").join(&self.hosts[host])
    }

    /// Name of a host's namespace.
    pub fn name(&self, host: usize) -> &str {
        &self.hosts[host]
    }

    /// Where ranks find each other: any port would do, nobody else lives in host 0.
    pub fn store(&self) -> String {
        format!("tcp://{}:29417", self.address(0))
    }

    /// What runs a command on a host.
    pub fn prefix(&self, host: usize) -> Vec<String> {
        ["ip", "netns", "exec", &self.hosts[host]].map(str::to_string).to_vec()
    }

    /// Lets every host send no faster than this, as a token bucket filter does.
    pub fn limit(&self, rate: &str) -> Result<(), String> {
        for host in &self.hosts {
            run("tc", &["-n", host, "qdisc", "add", "dev", WIRE, "root", "tbf"], rate)?;
        }
        Ok(())
    }

    /// Bytes that have left a host by its wire, headers included.
    pub fn sent_bytes(&self, host: usize) -> u64 {
        let file = format!("/sys/class/net/{WIRE}/statistics/tx_bytes");
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

/// The switch's end of a host's wire.
fn port(host: usize) -> String {
    format!("port{host}")
}

fn ip(arguments: &[&str]) -> Result<String, String> {
    run("ip", arguments, "")
}

/// Runs a command with some more arguments, separated by spaces; gives what it prints.
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
