//! What befalls a job, and at what stage of it.

use std::time::Duration;

use anyccl_engine::base::Collective;

use crate::common::network::{FragmentSize, Network};
use crate::common::processes::RankProcess;
use crate::trial::{LATE, SOON, TIMEOUT};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Kill,
    Exit,
    Stop,
    Wire(FragmentSize),
}

/// The ways to lose a host.
pub const WIRES: [FragmentSize; 3] = [FragmentSize::Down, FragmentSize::Removed, FragmentSize::Silent];

impl Fault {
    pub const OF_A_PROCESS: [Fault; 3] = [Fault::Kill, Fault::Exit, Fault::Stop];

    pub fn name(self) -> &'static str {
        match self {
            Fault::Kill => "killed (SIGKILL)",
            Fault::Exit => "exits without finalizing",
            Fault::Stop => "stopped (SIGSTOP)",
            Fault::Wire(FragmentSize::Down) => "its interface goes down",
            Fault::Wire(FragmentSize::Removed) => "its interface is removed",
            Fault::Wire(FragmentSize::Silent) => "its host vanishes",
        }
    }

    /// Strikes. The first rank of host n is rank n.
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

    /// Whether the victim lives on, and must be told of those that it cannot reach.
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
    /// The others are in a collective that it has not called.
    Waiting(Collective),
    /// All call one collective after the other.
    Busy,
    /// The others finalize.
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

    /// What the ranks are told to do.
    pub fn order(self) -> &'static str {
        match self {
            Stage::Init | Stage::Connect => "join",
            Stage::Waiting(collective) => collective.name(),
            Stage::Busy => "busy",
            Stage::Finalize => "finalize",
        }
    }

    /// Whether the fault comes before the ranks are known to have met.
    pub fn is_joining(self) -> bool {
        matches!(self, Stage::Init | Stage::Connect)
    }

    /// When survivors must know. Who has never been met cannot be seen to die; who falls silent never can.
    pub fn limit(self, fault: Fault) -> Duration {
        let dies = matches!(fault, Fault::Kill | Fault::Exit);
        if dies && !self.is_joining() { SOON } else { TIMEOUT + LATE }
    }
}
