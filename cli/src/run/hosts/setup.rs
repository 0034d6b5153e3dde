//! What all agents are started with.

use std::net::SocketAddr;

use crate::run::arguments::RunArguments;
use crate::run::watchdog::Watchdog;
use crate::sys::files::FileLimit;
use crate::sys::signal::SignalMask;

/// The user's wishes, and what this process gives to each agent that it starts.
pub struct Common<'a> {
    pub arguments: &'a RunArguments,
    pub stores: Vec<SocketAddr>,
    pub key: [u8; 32],
    pub files: FileLimit,
    pub mask: SignalMask,
    pub watchdog: &'a Watchdog,
}
