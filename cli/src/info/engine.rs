//! What the engine is asked about itself. The only file of `info` that knows where the answers are.

use std::net::IpAddr;

/// A network interface of this host.
pub struct EngineInterface {
    /// Its name, such as `eth0`.
    pub name: String,
    /// Whether it is switched on.
    pub up: bool,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
}

/// The instruction set that the reduction kernels of this process use.
pub fn reduction_kernels() -> &'static str {
    "portable"
}

/// Every interface of this host.
pub fn interfaces() -> Result<Vec<EngineInterface>, String> {
    let entries = std::fs::read_dir("/sys/class/net").map_err(|error| error.to_string())?;
    let named = entries.flatten().map(|entry| {
        let state = std::fs::read_to_string(entry.path().join("operstate")).unwrap_or_default();
        let name = entry.file_name().to_string_lossy().into_owned();
        EngineInterface { up: state.trim() != "down", name, addresses: Vec::new() }
    });
    Ok(named.collect())
}

/// Names of the interfaces that TCP would use, and why these; or why there is none.
pub fn chosen_interfaces() -> Result<(Vec<String>, String), String> {
    let first = interfaces()?.into_iter().find(|interface| interface.up && interface.name != "lo");
    let name = first.ok_or("no interface is up but loopback")?.name;
    Ok((vec![name], "first interface that is up and not loopback".to_string()))
}
