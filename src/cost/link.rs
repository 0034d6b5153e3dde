//! The cost model of a link: latency, time per byte, time per reduced byte.

/// Latency, bandwidth and reduction cost of the slowest link that a plan would use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkModel {
    /// Microseconds for an empty message (alpha).
    pub latency_us: f64,
    /// Microseconds of work for each further message that one rank has under way at the same time.
    pub message_us: f64,
    /// Microseconds per byte moved (beta).
    pub us_per_byte: f64,
    /// Microseconds per byte reduced (gamma).
    pub reduce_us_per_byte: f64,
}

/// Microseconds per byte at a rate in gigabytes per second.
const fn at_gigabytes_per_second(rate: f64) -> f64 {
    1e-3 / rate
}

impl LinkModel {
    /// Shared memory with one rank per core.
    pub const SHM: LinkModel = LinkModel {
        latency_us: 0.3,
        message_us: 0.1,
        us_per_byte: at_gigabytes_per_second(10.0),
        reduce_us_per_byte: at_gigabytes_per_second(10.0),
    };

    /// TCP.
    pub const TCP: LinkModel = LinkModel {
        latency_us: 8.0,
        message_us: 2.0,
        us_per_byte: at_gigabytes_per_second(3.0),
        reduce_us_per_byte: at_gigabytes_per_second(10.0),
    };

    /// This link with another latency. The work per message stays the same fraction of the latency.
    pub fn with_latency(self, latency_us: f64) -> LinkModel {
        LinkModel { latency_us, message_us: self.message_us / self.latency_us * latency_us, ..self }
    }

    /// Fraction of TCP's latency that is system calls. Ranks that share a core make these calls one after the
    /// other. docs/lab/cost-model.md has the measurement.
    const TCP_WORK_SHARE: f64 = 0.75;

    /// Microseconds of one hand-over by `sched_yield`.
    const TURN_US: f64 = 1.2;

    /// This link among ranks of which `ranks_per_core` share each core. A message waits for the turns of the
    /// others, and all of them do their work one after the other.
    pub fn oversubscribed(self, ranks_per_core: u32) -> LinkModel {
        if ranks_per_core <= 1 {
            return self;
        }
        let share = f64::from(ranks_per_core);
        LinkModel {
            latency_us: self.latency_us + share * LinkModel::TURN_US,
            message_us: self.message_us * share,
            us_per_byte: self.us_per_byte * share,
            reduce_us_per_byte: self.reduce_us_per_byte * share,
        }
    }

    /// Like [`LinkModel::oversubscribed`], but for a link over TCP.
    pub fn oversubscribed_tcp(self, ranks_per_core: u32) -> LinkModel {
        if ranks_per_core <= 1 {
            return self;
        }
        let link = self.oversubscribed(ranks_per_core);
        LinkModel { message_us: LinkModel::TCP_WORK_SHARE * link.latency_us, ..link }
    }
}
