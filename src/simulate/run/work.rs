//! The work of a simulation: the resources, and what each part of a message's way needs of them.

use super::super::fluid::Use;
use super::super::model::Model;
use super::super::wiring::{Round, WiredMessage, Wiring};

/// Number of resources of a rank: its core, and its port in each direction.
const OF_RANK: u32 = 3;

/// Computes the work of rounds and messages.
pub(super) struct Work<'a> {
    wiring: &'a Wiring,
    model: &'a Model,
    /// Host of each simulated rank, counted from 0.
    hosts: Vec<u32>,
}

impl<'a> Work<'a> {
    pub fn new(wiring: &'a Wiring, model: &'a Model, host_of: &dyn Fn(u32) -> u32) -> Work<'a> {
        Work { wiring, model, hosts: (0..wiring.fold.block).map(host_of).collect() }
    }

    /// Number of resources: those of the ranks, then two interfaces for each host.
    pub fn resources(&self) -> usize {
        let hosts = self.hosts.iter().max().map_or(1, |last| last + 1);
        (OF_RANK * self.wiring.fold.block + 2 * hosts) as usize
    }

    /// Work of a round before its transfers.
    pub fn computing(&self, round: u32) -> Use {
        let Round { rank, copied, reduced, .. } = self.wiring.rounds[round as usize];
        let seconds = self.model.copying(copied) + self.model.reducing(reduced);
        Use { resource: core(rank), seconds }
    }

    /// Work of sending a message. The next message of the rank waits for all of it.
    pub fn leaving(&self, message: u32) -> [Use; 3] {
        let WiredMessage { from, within_host, bytes, .. } = self.wiring.messages[message as usize];
        let link = self.model.link(within_host);
        [
            Use { resource: self.interface(from), seconds: self.shared(within_host, bytes) },
            Use { resource: core(from), seconds: link.work(bytes) + link.moving(bytes) },
            Use { resource: core(from) + 1, seconds: link.port(bytes) },
        ]
    }

    /// Work of bringing a message to its receiver.
    pub fn crossing(&self, message: u32) -> [Use; 3] {
        let WiredMessage { to, within_host, bytes, .. } = self.wiring.messages[message as usize];
        let link = self.model.link(within_host);
        [
            Use { resource: self.interface(to) + 1, seconds: self.shared(within_host, bytes) },
            Use { resource: core(to), seconds: link.moving(bytes) },
            Use { resource: core(to) + 2, seconds: link.port(bytes) },
        ]
    }

    /// Work of a message from end to end, all at once.
    pub fn streaming(&self, message: u32) -> [Use; 6] {
        let ([out, core, port], [into, moving, arrive]) = (self.leaving(message), self.crossing(message));
        let taking = self.taking(message);
        let receiver = Use { seconds: taking.seconds + moving.seconds, ..taking };
        [out, core, port, into, arrive, receiver]
    }

    /// Resource of the interface that leads out of a rank's host; the one that leads in follows.
    fn interface(&self, rank: u32) -> u32 {
        OF_RANK * self.wiring.fold.block + 2 * self.hosts[rank as usize]
    }

    /// Seconds of an interface for a message.
    fn shared(&self, within_host: bool, bytes: u64) -> f64 {
        if within_host { 0.0 } else { bytes as f64 * self.model.nic_byte }
    }

    /// Work of the receiver on a message.
    pub fn taking(&self, message: u32) -> Use {
        let WiredMessage { to, within_host, bytes, reduces, .. } = self.wiring.messages[message as usize];
        let link = self.model.link(within_host);
        let reducing = if reduces { self.model.reducing(bytes) } else { 0.0 };
        Use { resource: core(to), seconds: link.work(bytes) + reducing }
    }
}

/// Resource of a rank's core. Its ports follow: out, then in.
fn core(rank: u32) -> u32 {
    OF_RANK * rank
}
