//! Models with a name.

use super::model::{LinkCosts, Model};
use crate::cost::Curve;

/// A named model.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name, as the option `--model` takes it.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// The costs.
    pub model: Model,
}

const fn per_byte(gigabytes_per_second: f64) -> f64 {
    1e-9 / gigabytes_per_second
}

/// Shared memory of a server with one core per rank.
const SHARED_MEMORY: LinkCosts = LinkCosts {
    latency: 0.2e-6,
    message: 0.05e-6,
    byte: per_byte(10.0),
    one_way: Curve::NONE,
    exchange: Curve::NONE,
    core_byte: 0.0,
    eager_bytes: 64 << 10,
};

/// A server without a network: sums of float32, and copies.
const SERVER: Model = Model {
    within: SHARED_MEMORY,
    between: LinkCosts::FREE,
    nic_byte: 0.0,
    reduce_byte: per_byte(10.0),
    reduce: Curve::NONE,
    copy_byte: per_byte(10.0),
    copy: Curve::NONE,
};

/// All presets except `engine`, which depends on the tuning in use.
pub static PRESETS: [Preset; 4] = [
    Preset {
        name: "shm+tcp",
        summary: "shared memory, and TCP over 25 Gb/s Ethernet",
        model: Model {
            between: LinkCosts {
                latency: 18e-6,
                message: 2e-6,
                byte: per_byte(3.0),
                one_way: Curve::NONE,
                exchange: Curve::NONE,
                core_byte: per_byte(8.0),
                eager_bytes: 256 << 10,
            },
            nic_byte: per_byte(2.9),
            ..SERVER
        },
    },
    Preset {
        name: "100gbe",
        summary: "shared memory, and TCP over 100 Gb/s Ethernet; a connection carries 40 Gb/s",
        model: Model {
            between: LinkCosts {
                latency: 12e-6,
                message: 2e-6,
                byte: per_byte(5.0),
                one_way: Curve::NONE,
                exchange: Curve::NONE,
                core_byte: per_byte(8.0),
                eager_bytes: 256 << 10,
            },
            nic_byte: per_byte(11.7),
            ..SERVER
        },
    },
    Preset {
        name: "hdr-infiniband",
        summary: "shared memory, and one 200 Gb/s InfiniBand port per host, without copies",
        model: Model {
            between: LinkCosts {
                latency: 1.2e-6,
                message: 0.2e-6,
                byte: per_byte(24.0),
                one_way: Curve::NONE,
                exchange: Curve::NONE,
                core_byte: 0.0,
                eager_bytes: 8 << 10,
            },
            nic_byte: per_byte(24.0),
            ..SERVER
        },
    },
    Preset {
        name: "ndr-infiniband",
        summary: "shared memory, and one 400 Gb/s InfiniBand port per host, without copies",
        model: Model {
            between: LinkCosts {
                latency: 1.1e-6,
                message: 0.2e-6,
                byte: per_byte(48.0),
                one_way: Curve::NONE,
                exchange: Curve::NONE,
                core_byte: 0.0,
                eager_bytes: 8 << 10,
            },
            nic_byte: per_byte(48.0),
            ..SERVER
        },
    },
];

impl Preset {
    /// The preset with this name.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}
