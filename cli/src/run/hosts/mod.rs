//! Ranks on several hosts.
//!
//! The launcher starts one agent per host, `anyccl agent`, by ssh or as `--launcher` says ([`placement`]).
//! The two communicate over the agent's standard input and output ([`frame`]). The first message is the
//! [`order`]. It holds the job's key, which so appears on no command line. An agent ([`mod@agent`]) starts
//! its ranks as the launcher starts its own, passes everything on, and decides nothing.
//!
//! When the launcher is gone, however it ended, the agent's input ends, and the agent ends its ranks. When an
//! agent is gone, its watchdog ends the ranks, and the launcher ([`fleet`], with a [`far_agent`] per host)
//! ends the job.

mod agent;
mod far_agent;
mod fleet;
#[cfg(test)]
pub(super) mod foreign_bytes;
mod frame;
mod host_list;
mod order;
mod placement;
mod ranks_here;
mod setup;

pub use agent::agent;
pub use fleet::start;
pub use placement::places_of;
pub use setup::Common;
