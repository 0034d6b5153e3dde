//! The model of a cluster: costs of links, cores and network interfaces, in seconds and bytes.

use crate::cost::{Curve, LinkModel, MessageTimes, Times};
use crate::tuning::Links;

/// Costs of messages of one kind: those within a host, or those between hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkCosts {
    /// Seconds from the last byte sent to the last byte received (alpha; LogGP's L).
    pub latency: f64,
    /// Seconds of a core for each message, at each end (LogGP's o).
    pub message: f64,
    /// Seconds per byte through the port of a rank, in each direction (beta; LogGP's G).
    pub byte: f64,
    /// Measured time of a message. If there is one, it replaces `byte`.
    pub one_way: Curve,
    /// Measured time of a message while the same amount goes the other way: see [`LinkCosts::moving`]. If
    /// only this is known, it applies to all messages.
    pub exchange: Curve,
    /// Seconds of a core per byte, at each end (LogGOPS's O): sending, receiving and reducing share one core.
    pub core_byte: f64,
    /// Length above which a message leaves only when its receiver is ready (LogGPS's S).
    pub eager_bytes: u64,
}

impl LinkCosts {
    /// Costs of zero.
    pub const FREE: LinkCosts = LinkCosts {
        latency: 0.0,
        message: 0.0,
        byte: 0.0,
        one_way: Curve::NONE,
        exchange: Curve::NONE,
        core_byte: 0.0,
        eager_bytes: u64::MAX,
    };

    /// The costs that the choice of algorithms assumes for a link: half the work on a message at each end.
    fn of(link: &LinkModel, eager_bytes: u64) -> LinkCosts {
        let message = link.message_us / 2.0;
        LinkCosts {
            latency: (link.latency_us - message).max(0.0) * 1e-6,
            message: message * 1e-6,
            byte: link.us_per_byte * 1e-6,
            one_way: Curve::NONE,
            exchange: Curve::NONE,
            core_byte: 0.0,
            eager_bytes,
        }
    }

    fn with_times(self, MessageTimes { one_way, exchange }: MessageTimes) -> LinkCosts {
        LinkCosts { one_way, exchange, ..self }
    }

    fn times(&self) -> MessageTimes {
        MessageTimes { one_way: self.one_way, exchange: self.exchange }
    }

    /// Seconds that a message spends in the ports of its ranks.
    pub fn port(&self, bytes: u64) -> f64 {
        let measured = self.one_way.us(bytes).or(self.exchange.us(bytes));
        measured.map_or(bytes as f64 * self.byte, |us| us * 1e-6)
    }

    /// Seconds of the core at each end while a message is in the ports. An exchange is two messages, and
    /// keeps a core busy for all its time. So a single message takes [`LinkCosts::port`], two that meet take
    /// as long as a measured exchange, and a simultaneous reduction prolongs it. Zero unless both curves are
    /// measured.
    pub fn moving(&self, bytes: u64) -> f64 {
        match (self.one_way.us(bytes), self.exchange.us(bytes)) {
            (Some(_), Some(exchange)) => 0.5e-6 * exchange,
            _ => 0.0,
        }
    }

    /// Seconds of the core at each end, in addition to [`LinkCosts::moving`].
    pub fn work(&self, bytes: u64) -> f64 {
        self.message + bytes as f64 * self.core_byte
    }

    /// The reverse of `of`: a link as the choice of algorithms sees it. `byte` is the additional cost of a
    /// byte.
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
    /// Seconds per byte through the network interfaces of a host, in each direction; all its ranks share
    /// them.
    pub nic_byte: f64,
    /// Seconds of a core per byte of a reduction's result (gamma).
    pub reduce_byte: f64,
    /// Measured time of a reduction. If there is one, it replaces `reduce_byte`.
    pub reduce: Curve,
    /// Seconds of a core per byte copied in memory.
    pub copy_byte: f64,
    /// Measured time of a copy. If there is one, it replaces `copy_byte`.
    pub copy: Curve,
}

impl Model {
    /// Costs of zero.
    pub const FREE: Model = Model {
        within: LinkCosts::FREE,
        between: LinkCosts::FREE,
        nic_byte: 0.0,
        reduce_byte: 0.0,
        reduce: Curve::NONE,
        copy_byte: 0.0,
        copy: Curve::NONE,
    };

    /// The costs that the choice of algorithms assumes, so that its prediction and a simulation can be
    /// compared.
    pub fn of_links(within: &LinkModel, between: &LinkModel) -> Model {
        Model {
            within: LinkCosts::of(within, 64 << 10),
            between: LinkCosts::of(between, 256 << 10),
            nic_byte: between.us_per_byte * 1e-6,
            reduce_byte: within.reduce_us_per_byte * 1e-6,
            reduce: Curve::NONE,
            copy_byte: within.us_per_byte * 1e-6,
            copy: Curve::NONE,
        }
    }

    /// The costs that a file of `anyccl perf --tune` has. `all_tcp`: no shared memory, even within a host.
    pub fn of_measured(links: &Links, all_tcp: bool) -> Model {
        let within = if all_tcp { links.tcp } else { links.shm };
        let mut model = Model::of_links(&within, &links.tcp);
        let times = links.times;
        (model.reduce, model.copy) = (times.reduce, times.copy);
        model.within = model.within.with_times(if all_tcp { times.tcp } else { times.shm });
        model.between = model.between.with_times(times.tcp);
        model
    }

    /// The figures that `anyccl perf --tune` would measure on such a cluster, for the choice of algorithms.
    pub fn links(&self) -> Links {
        Links {
            shm: self.within.to_link(0.0, self.reduce_byte),
            tcp: self.between.to_link(self.nic_byte, self.reduce_byte),
            times: Times {
                shm: self.within.times(),
                tcp: self.between.times(),
                reduce: self.reduce,
                copy: self.copy,
                ..Times::NONE
            },
        }
    }

    /// Seconds of a core for a copy.
    pub fn copying(&self, bytes: u64) -> f64 {
        self.copy.us(bytes).map_or(bytes as f64 * self.copy_byte, |us| us * 1e-6)
    }

    /// Seconds of a core for a reduction.
    pub fn reducing(&self, bytes: u64) -> f64 {
        self.reduce.us(bytes).map_or(bytes as f64 * self.reduce_byte, |us| us * 1e-6)
    }

    /// Costs of messages of one kind.
    pub fn link(&self, within_host: bool) -> &LinkCosts {
        if within_host { &self.within } else { &self.between }
    }
}
