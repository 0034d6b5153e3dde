//! The settings with which all agents are started.

use std::net::SocketAddr;

use crate::run::arguments::RunArguments;
use crate::run::watchdog::Watchdog;
use crate::sys::files::FileLimit;
use crate::sys::signal::SignalMask;

/// The user's arguments, and what this process gives to each agent.
pub struct Common<'a> {
    pub arguments: &'a RunArguments,
    /// Variables by which ranks of torch or JAX find each other.
    pub environment: Vec<(String, String)>,
    pub stores: Vec<SocketAddr>,
    pub key: [u8; 32],
    pub files: FileLimit,
    pub mask: SignalMask,
    pub watchdog: &'a Watchdog,
}
