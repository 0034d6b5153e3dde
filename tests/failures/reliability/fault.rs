//! The fault that hits a job, and the stage at which it does.

use std::time::Duration;

use anyccl_engine::base::Collective;

use super::trial::{JOIN_TIMEOUT, LATE, SOON, STORE_GRACE, TIMEOUT};
use crate::common::network::{HostLoss, Network};
use crate::common::processes::RankProcess;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Kill,
    Exit,
    Stop,
    Wire(HostLoss),
}

/// All ways to lose a host.
pub const WIRES: [HostLoss; 3] = [HostLoss::Down, HostLoss::Removed, HostLoss::Silent];

impl Fault {
    pub const OF_A_PROCESS: [Fault; 3] = [Fault::Kill, Fault::Exit, Fault::Stop];

    pub fn name(self) -> &'static str {
        match self {
            Fault::Kill => "killed (SIGKILL)",
            Fault::Exit => "exits without finalizing",
            Fault::Stop => "stopped (SIGSTOP)",
            Fault::Wire(HostLoss::Down) => "its interface goes down",
            Fault::Wire(HostLoss::Removed) => "its interface is removed",
            Fault::Wire(HostLoss::Silent) => "its host vanishes",
        }
    }

    /// Applies the fault to the victim. The first rank of host n is rank n.
    pub fn befall(self, victim: &mut RankProcess, network: Option<&Network>) {
        match self {
            Fault::Kill => victim.signal(libc::SIGKILL),
            Fault::Exit => victim.tell("exit"),
            Fault::Stop => victim.signal(libc::SIGSTOP),
            Fault::Wire(cut) => {
                let network = network.expect("a wire needs a network");
                network.cut(victim.rank as usize, cut).expect("a wire can be cut");
            }
        }
    }

    /// Whether the victim survives the fault and must itself get an error about the ranks that it cannot
    /// reach.
    pub fn leaves_it_alive(self) -> bool {
        matches!(self, Fault::Wire(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The victim has not begun to join.
    Init,
    /// The victim is joining.
    Connect,
    /// The other ranks are in a collective that the victim has not called.
    Waiting(Collective),
    /// All ranks call one collective after the other.
    Busy,
    /// The other ranks finalize.
    Finalize,
}

impl Stage {
    pub fn name(self) -> String {
        match self {
            Stage::Init => "before it joins".into(),
            Stage::Connect => "while all join".into(),
            Stage::Waiting(collective) => format!("others wait in {}", collective.name()),
            Stage::Busy => "in the middle of its calls".into(),
            Stage::Finalize => "others finalize".into(),
        }
    }

    /// The order that the test sends to the ranks.
    pub fn order(self) -> &'static str {
        match self {
            Stage::Init | Stage::Connect => "join",
            Stage::Waiting(collective) => collective.name(),
            Stage::Busy => "busy",
            Stage::Finalize => "finalize",
        }
    }

    /// Whether the fault comes before the ranks have met for certain.
    pub fn is_joining(self) -> bool {
        matches!(self, Stage::Init | Stage::Connect)
    }

    /// Longest time until survivors get their error. The death of a rank is visible at once, but only to
    /// ranks that have met it. Silence is visible only by the timeout.
    pub fn limit(self, fault: Fault) -> Duration {
        match fault {
            _ if self.is_joining() => JOIN_TIMEOUT + STORE_GRACE + LATE,
            Fault::Kill | Fault::Exit => SOON,
            _ => TIMEOUT + LATE,
        }
    }
}
