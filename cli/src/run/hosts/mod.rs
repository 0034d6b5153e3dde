//! Ranks on several hosts.
//!
//! The launcher starts one agent per host, `anyccl agent`, by ssh or whatever `--launcher` says
//! ([`placement`]). The two talk over the agent's standard input and output ([`frame`]); the first thing said
//! is the [`order`], with the job's key, which so appears on no command line. An agent ([`mod@agent`]) starts
//! its ranks as the launcher does its own, passes everything on, and decides nothing. When the launcher is
//! gone, however it ended, the agent's input ends, and the agent ends its ranks; when the agent is gone its
//! watchdog does, and the launcher ([`fleet`], a [`far_agent`] per host) ends the job.

mod agent;
mod far_agent;
mod fleet;
mod frame;
mod order;
mod placement;
mod ranks_here;
mod setup;

pub use agent::agent;
pub use fleet::start;
pub use placement::places;
pub use setup::Common;
