//! Measured times, for predictions. The choice of algorithms does without them.

use super::curve::Curve;
use crate::base::Collective;

/// The times that a tuning file has beside the terms of a [`super::LinkModel`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Messages through shared memory.
    pub shm: MessageTimes,
    /// Messages over TCP.
    pub tcp: MessageTimes,
    /// A reduction, by the bytes of the result.
    pub reduce: Curve,
    /// A copy in memory.
    pub copy: Curve,
    /// Collectives as they are.
    pub collectives: CollectiveTimes,
}

/// Times of messages between two ranks, beyond the latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageTimes {
    /// A message with nothing else under way.
    pub one_way: Curve,
    /// An exchange, in which both ranks send the same amount at once.
    pub exchange: Curve,
}

/// Times of collectives in one job, by the bytes of the larger buffer of a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectiveTimes {
    /// Ranks of the job; 0: nothing was measured.
    pub ranks: u32,
    /// Groups of ranks that shared memory.
    pub hosts: u32,
    curves: [Curve; CollectiveTimes::MEASURED.len()],
}

impl Times {
    /// Nothing was measured.
    pub const NONE: Times = Times {
        shm: MessageTimes { one_way: Curve::NONE, exchange: Curve::NONE },
        tcp: MessageTimes { one_way: Curve::NONE, exchange: Curve::NONE },
        reduce: Curve::NONE,
        copy: Curve::NONE,
        collectives: CollectiveTimes {
            ranks: 0,
            hosts: 0,
            curves: [Curve::NONE; CollectiveTimes::MEASURED.len()],
        },
    };

    /// All curves, in the order in which rank 0 sends them.
    pub fn curves(&mut self) -> impl Iterator<Item = &mut Curve> {
        let Times { shm, tcp, reduce, copy, collectives } = self;
        let links = [&mut shm.one_way, &mut shm.exchange, &mut tcp.one_way, &mut tcp.exchange, reduce, copy];
        links.into_iter().chain(&mut collectives.curves)
    }
}

impl CollectiveTimes {
    /// The collectives that are measured. They are the first in wire order.
    pub const MEASURED: [Collective; 8] = *Collective::ALL.first_chunk().expect("there are more");

    /// The curve of each collective.
    pub fn curves(&mut self) -> impl Iterator<Item = (Collective, &mut Curve)> {
        CollectiveTimes::MEASURED.into_iter().zip(&mut self.curves)
    }

    /// Microseconds of a call in a job like the measured one. `None`: the job differs, or nothing was
    /// measured.
    pub fn us(&self, collective: Collective, bytes: u64, ranks: u32, hosts: u32) -> Option<f64> {
        let at = CollectiveTimes::MEASURED.iter().position(|known| *known == collective)?;
        let is_alike = (self.ranks, self.hosts) == (ranks, hosts);
        is_alike.then(|| self.curves[at].us(bytes.max(1))).flatten()
    }
}
