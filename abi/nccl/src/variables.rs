//! NCCL's environment variables: those that mean something here, and those that programs set and nobody needs.
//!
//! They are read at each new communicator. A variable of anyccl's own, where there is one for the same thing, wins.

use std::sync::Once;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::config::{self, Config, TransportChoice};
use anyccl_engine::log_line;
use anyccl_engine::observe::log::{self, Level};

/// What becomes of a variable.
enum Use {
    /// Translated.
    Honoured,
    /// It steers what this library does not have. Said once.
    Noted,
}

/// A variable of NCCL's documentation.
struct Variable {
    name: &'static str,
    used: Use,
}

const fn honoured(name: &'static str) -> Variable {
    Variable { name, used: Use::Honoured }
}

const fn noted(name: &'static str) -> Variable {
    Variable { name, used: Use::Noted }
}

/// docs/nccl.md has the same list in words.
static VARIABLES: &[Variable] = &[
    honoured("NCCL_DEBUG"),
    honoured("NCCL_SOCKET_IFNAME"),
    honoured("NCCL_SHM_DISABLE"),
    honoured("NCCL_HOSTID"),
    honoured("NCCL_COMM_BLOCKING"),
    // Always so here.
    honoured("NCCL_MULTI_RANK_GPU_ENABLE"),
    noted("NCCL_DEBUG_SUBSYS"),
    noted("NCCL_DEBUG_FILE"),
    noted("NCCL_SOCKET_FAMILY"),
    noted("NCCL_COMM_ID"),
    noted("NCCL_ALGO"),
    noted("NCCL_PROTO"),
    noted("NCCL_MIN_CTAS"),
    noted("NCCL_MAX_CTAS"),
    noted("NCCL_MIN_NCHANNELS"),
    noted("NCCL_MAX_NCHANNELS"),
    noted("NCCL_BUFFSIZE"),
    noted("NCCL_P2P_DISABLE"),
    noted("NCCL_P2P_LEVEL"),
    noted("NCCL_CUMEM_ENABLE"),
    noted("NCCL_NET"),
    noted("NCCL_NET_PLUGIN"),
    noted("NCCL_TUNER_PLUGIN"),
    noted("NCCL_PROFILER_PLUGIN"),
    noted("NCCL_ENV_PLUGIN"),
    noted("NCCL_LAUNCH_MODE"),
    noted("NCCL_CONF_FILE"),
    noted("NCCL_CHECK_MODE"),
    noted("NCCL_RAS_ENABLE"),
    noted("NCCL_RAS_ADDR"),
    noted("NCCL_RAS_TIMEOUT_FACTOR"),
    noted("NCCL_TOPO_FILE"),
];

/// The value of a variable in the table; empty is unset.
fn value(name: &str) -> Option<String> {
    assert!(VARIABLES.iter().any(|variable| variable.name == name), "{name} is not in the table");
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// What the environment says, NCCL's variables and anyccl's.
pub fn settings() -> Result<Config> {
    let mut config = Config::from_environment()?;
    let is_own = |name| config::raw(name).is_some();
    if let Some(text) = value("NCCL_DEBUG").filter(|_| !is_own("ANYCCL_LOG")) {
        config.log = level(&text)?;
    }
    log::set_level(config.log);
    if !is_own("ANYCCL_SOCKET_IFNAME") {
        config.interface = value("NCCL_SOCKET_IFNAME");
    }
    if !is_own("ANYCCL_TRANSPORT") && flag("NCCL_SHM_DISABLE")? == Some(true) {
        config.transport = TransportChoice::Tcp;
    }
    if config.host_id.is_none() {
        config.host_id = value("NCCL_HOSTID");
    }
    note_the_others();
    // NCCL waits for ever, and its programs rely on it: a rank may be busy for longer than our default.
    if !is_own("ANYCCL_TIMEOUT_MS") {
        config.timeout = None;
    }
    Ok(config)
}

/// Whether a communicator blocks whose configuration does not say so.
pub fn is_blocking() -> Result<bool> {
    Ok(flag("NCCL_COMM_BLOCKING")?.unwrap_or(true))
}

fn flag(name: &'static str) -> Result<Option<bool>> {
    match value(name).as_deref() {
        None => Ok(None),
        Some("0") => Ok(Some(false)),
        Some("1") => Ok(Some(true)),
        Some(text) => Err(refused(name, text, "0 or 1")),
    }
}

fn level(text: &str) -> Result<Level> {
    // NCCL reads them in any case.
    match text.to_ascii_uppercase().as_str() {
        "NONE" => Ok(Level::Off),
        "VERSION" => Ok(Level::Error),
        "WARN" => Ok(Level::Warn),
        "INFO" | "ABORT" => Ok(Level::Info),
        "TRACE" => Ok(Level::Debug),
        _ => Err(refused("NCCL_DEBUG", text, "VERSION, WARN, INFO or TRACE")),
    }
}

fn refused(what: &'static str, text: &str, accepted: &str) -> Error {
    Error::InvalidArgument { what, got: format!("\"{text}\"; accepted: {accepted}") }
}

/// Once per process.
fn note_the_others() {
    static NOTED: Once = Once::new();
    NOTED.call_once(|| {
        let set = VARIABLES.iter().filter(|variable| matches!(variable.used, Use::Noted));
        let set: Vec<&str> = set.map(|variable| variable.name).filter(|name| value(name).is_some()).collect();
        if !set.is_empty() {
            log_line!(Info, "these variables of NCCL mean nothing to this library: {}", set.join(", "));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_names_of_nccl_in_any_case() {
        assert_eq!(level("info").unwrap(), Level::Info);
        assert_eq!(level("WARN").unwrap(), Level::Warn);
        assert!(level("LOUD").unwrap_err().to_string().contains("accepted: VERSION"));
    }
}
