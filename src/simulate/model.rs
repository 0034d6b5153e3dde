//! What links, cores and network interfaces cost: the numbers of a simulation, in seconds and bytes.

use crate::tuning::{Exchange, LinkModel, Links};

/// What messages of one kind cost: those within a host, or those between hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkCosts {
    /// From the last byte sent to the last byte received (alpha; LogGP's L).
    pub latency: f64,
    /// Work of a core on each message, at each end (LogGP's o).
    pub message: f64,
    /// Per byte through the port of a rank, in each direction (beta; LogGP's G).
    pub byte: f64,
    /// What bytes through the ports take by measurement, where there is one: it counts instead of `byte`.
    pub exchange: Exchange,
    /// Work of a core per byte, at each end (LogGOPS's O): sending, receiving and reducing share one core.
    pub core_byte: f64,
    /// Longer messages leave only when their receiver is ready (LogGPS's S).
    pub eager_bytes: u64,
}

impl LinkCosts {
    /// Nothing costs anything.
    pub const FREE: LinkCosts = LinkCosts {
        latency: 0.0,
        message: 0.0,
        byte: 0.0,
        exchange: Exchange::NONE,
        core_byte: 0.0,
        eager_bytes: u64::MAX,
    };

    /// A link as the choice of algorithms sees it: the work on a message is done half at each end.
    fn of(link: &LinkModel, eager_bytes: u64) -> LinkCosts {
        let message = link.message_us / 2.0;
        LinkCosts {
            latency: (link.latency_us - message).max(0.0) * 1e-6,
            message: message * 1e-6,
            byte: link.us_per_byte * 1e-6,
            exchange: Exchange::NONE,
            core_byte: 0.0,
            eager_bytes,
        }
    }

    /// Seconds of a message in the ports of its ranks.
    pub fn port(&self, bytes: u64) -> f64 {
        self.exchange.us(bytes).map_or(bytes as f64 * self.byte, |us| us * 1e-6)
    }

    /// The other way. `byte`: what else a byte needs.
    fn to_link(self, byte: f64, reduce_byte: f64) -> LinkModel {
        LinkModel {
            latency_us: (self.latency + self.message) * 1e6,
            message_us: 2.0 * self.message * 1e6,
            us_per_byte: self.byte.max(self.core_byte).max(byte) * 1e6,
            reduce_us_per_byte: reduce_byte * 1e6,
        }
    }
}

/// All costs of a cluster of equal hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Messages within a host.
    pub within: LinkCosts,
    /// Messages between hosts.
    pub between: LinkCosts,
    /// Per byte through the network interfaces of a host, in each direction; all its ranks share them.
    pub nic_byte: f64,
    /// Work of a core per byte of a reduction's result (gamma).
    pub reduce_byte: f64,
    /// Work of a core per byte copied in memory.
    pub copy_byte: f64,
}

impl Model {
    /// Nothing costs anything.
    pub const FREE: Model = Model {
        within: LinkCosts::FREE,
        between: LinkCosts::FREE,
        nic_byte: 0.0,
        reduce_byte: 0.0,
        copy_byte: 0.0,
    };

    /// The costs that the choice of algorithms assumes: its prediction and a simulation can be compared.
    pub fn of_links(within: &LinkModel, between: &LinkModel) -> Model {
        Model {
            within: LinkCosts::of(within, 64 << 10),
            between: LinkCosts::of(between, 256 << 10),
            nic_byte: between.us_per_byte * 1e-6,
            reduce_byte: within.reduce_us_per_byte * 1e-6,
            copy_byte: within.us_per_byte * 1e-6,
        }
    }

    /// What `anyccl perf --tune` would find on such a cluster: what the choice of algorithms would know of it.
    pub fn links(&self) -> Links {
        Links {
            shm: self.within.to_link(0.0, self.reduce_byte),
            tcp: self.between.to_link(self.nic_byte, self.reduce_byte),
            tcp_exchange: self.between.exchange,
        }
    }

    /// What messages of one kind cost.
    pub fn link(&self, within_host: bool) -> &LinkCosts {
        if within_host { &self.within } else { &self.between }
    }
}
