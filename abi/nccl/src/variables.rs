//! NCCL's environment variables: those that have an effect here, and those that programs set without effect.
//!
//! The variables are read at each new communicator. Where anyccl has a variable for the same setting, that
//! one wins.

use std::ffi::CStr;
use std::sync::Once;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::config::{self, BackendName, Config, MemoryKind, TransportChoice};
use anyccl_engine::log_line;
use anyccl_engine::observe::log::{self, Level};

/// The variables of NCCL's documentation. Those that have an effect here come first. docs/nccl.md describes
/// them.
pub static NAMES: &[&CStr] = &[
    c"NCCL_DEBUG",
    c"NCCL_SOCKET_IFNAME",
    c"NCCL_SHM_DISABLE",
    c"NCCL_HOSTID",
    c"NCCL_COMM_BLOCKING",
    c"NCCL_COMM_ID",
    c"NCCL_MULTI_RANK_GPU_ENABLE",
    c"NCCL_RAS_ENABLE",
    c"NCCL_PROFILER_PLUGIN",
    c"NCCL_RAS_ADDR",
    c"NCCL_DEBUG_SUBSYS",
    c"NCCL_DEBUG_FILE",
    c"NCCL_SOCKET_FAMILY",
    c"NCCL_ALGO",
    c"NCCL_PROTO",
    c"NCCL_MIN_CTAS",
    c"NCCL_MAX_CTAS",
    c"NCCL_MIN_NCHANNELS",
    c"NCCL_MAX_NCHANNELS",
    c"NCCL_BUFFSIZE",
    c"NCCL_P2P_DISABLE",
    c"NCCL_P2P_LEVEL",
    c"NCCL_CUMEM_ENABLE",
    c"NCCL_NET",
    c"NCCL_NET_PLUGIN",
    c"NCCL_TUNER_PLUGIN",
    c"NCCL_ENV_PLUGIN",
    c"NCCL_LAUNCH_MODE",
    c"NCCL_CONF_FILE",
    c"NCCL_CHECK_MODE",
    c"NCCL_RAS_TIMEOUT_FACTOR",
    c"NCCL_TOPO_FILE",
];

/// Number of variables that have an effect.
const HONOURED: usize = 10;

/// The value of a variable in the table; empty counts as unset.
pub fn value(name: &str) -> Option<String> {
    assert!(NAMES.iter().any(|known| known.to_bytes() == name.as_bytes()), "{name} is not in the table");
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// The settings of the environment, by NCCL's variables and anyccl's.
pub fn settings() -> Result<Config> {
    let mut config = Config::from_environment()?;
    // Groups and several ranks per device need our own engine, unless the user asks for NCCL.
    config.backend = config.backend.or(MemoryKind::Cuda, BackendName::Builtin);
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
    // NCCL serves its clients itself, and its own threads know more of its calls.
    let is_nccl = config
        .backend
        .named(MemoryKind::Cuda)
        .is_some_and(|mut names| names.any(|name| name == BackendName::Nccl));
    if !is_own("ANYCCL_RAS") && flag("NCCL_RAS_ENABLE")? != Some(false) && !is_nccl {
        config.ras = Some(config::ras_place()?);
    }
    note_the_others();
    // NCCL waits for ever, and its programs rely on it: a rank may be busy for longer than our default
    // timeout.
    if !is_own("ANYCCL_TIMEOUT_MS") {
        config.timeout = None;
    }
    Ok(config)
}

/// Whether a communicator blocks if its configuration does not say so.
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
    // NCCL accepts the levels in upper and lower case.
    match text.to_ascii_uppercase().as_str() {
        "NONE" => Ok(Level::Off),
        "VERSION" => Ok(Level::Error),
        "WARN" => Ok(Level::Warn),
        "INFO" | "ABORT" => Ok(Level::Info),
        "TRACE" => Ok(Level::Debug),
        _ => Err(refused("NCCL_DEBUG", text, "NONE, VERSION, WARN, INFO, ABORT or TRACE")),
    }
}

fn refused(what: &'static str, text: &str, accepted: &str) -> Error {
    Error::InvalidArgument { what, got: format!("\"{text}\"; accepted: {accepted}") }
}

/// Logs the variables that have no effect, once per process.
fn note_the_others() {
    static NOTED: Once = Once::new();
    NOTED.call_once(|| {
        let others = NAMES[HONOURED..].iter().map(|name| name.to_string_lossy());
        let set: Vec<_> = others.filter(|name| value(name).is_some()).collect();
        if !set.is_empty() {
            log_line!(Info, "these variables of NCCL mean nothing to this library: {}", set.join(", "));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_honoured_come_first() {
        assert_eq!(NAMES[HONOURED - 1], c"NCCL_RAS_ADDR");
        assert_eq!(NAMES[HONOURED], c"NCCL_DEBUG_SUBSYS");
    }

    #[test]
    fn levels_have_the_names_of_nccl_in_any_case() {
        assert_eq!(level("info").unwrap(), Level::Info);
        assert_eq!(level("WARN").unwrap(), Level::Warn);
        assert!(level("LOUD").unwrap_err().to_string().contains("accepted: NONE"));
    }
}
