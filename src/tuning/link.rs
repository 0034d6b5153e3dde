//! What a link costs.

/// Latency, bandwidth and reduction cost of the slowest link that a plan would use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkModel {
    /// Microseconds for an empty message (alpha).
    pub latency_us: f64,
    /// Microseconds per byte moved (beta).
    pub us_per_byte: f64,
    /// Microseconds per byte reduced (gamma).
    pub reduce_us_per_byte: f64,
    /// Share of the latency that is work: what each further message costs that is under way at the same time.
    pub work_share: f64,
}

/// Microseconds per byte at so many gigabytes per second.
const fn at_gigabytes_per_second(rate: f64) -> f64 {
    1e-3 / rate
}

impl LinkModel {
    /// Shared memory, a core per rank.
    pub const SHM: LinkModel = LinkModel {
        latency_us: 0.3,
        us_per_byte: at_gigabytes_per_second(10.0),
        reduce_us_per_byte: at_gigabytes_per_second(10.0),
        work_share: LinkModel::WORK_SHARE,
    };

    /// TCP.
    pub const TCP: LinkModel = LinkModel {
        latency_us: 8.0,
        us_per_byte: at_gigabytes_per_second(3.0),
        reduce_us_per_byte: at_gigabytes_per_second(10.0),
        work_share: LinkModel::WORK_SHARE,
    };

    /// A core per rank: most of the latency is waiting.
    pub const WORK_SHARE: f64 = 0.25;

    /// TCP among ranks that share cores: nearly all of it is system calls, one rank's after the other's (four
    /// ranks on two cores, loopback: a round of one message takes 13 us, of three 39).
    const TCP_WORK_SHARE: f64 = 0.75;

    /// What a message waits longer where ranks share cores: the receiver needs a turn, which
    /// the ranks before it must give up (one hand-over by `sched_yield`).
    const TURN_US: f64 = 1.2;

    /// The same link among ranks that outnumber the cores.
    pub fn oversubscribed(self) -> LinkModel {
        LinkModel { latency_us: self.latency_us + LinkModel::TURN_US, ..self }
    }

    /// The same for a link over TCP.
    pub fn oversubscribed_tcp(self) -> LinkModel {
        LinkModel { work_share: LinkModel::TCP_WORK_SHARE, ..self.oversubscribed() }
    }
}
