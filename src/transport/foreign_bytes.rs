//! The targets of the transports.

use crate::foreign_bytes::Target;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "tcp_frames",
        read: super::tcp::foreign_bytes::frames,
        seeds: super::tcp::foreign_bytes::seeds,
        room: 2 << 20,
    },
    Target {
        name: "ofi_frames",
        read: super::ofi::foreign_bytes::frames,
        seeds: super::ofi::foreign_bytes::seeds,
        room: 64 << 10,
    },
    Target {
        name: "control",
        read: super::control::foreign_bytes::messages,
        seeds: super::control::foreign_bytes::seeds,
        room: 64 << 10,
    },
    Target {
        name: "shm_words",
        read: super::shm::foreign_bytes::words,
        seeds: super::shm::foreign_bytes::seeds,
        room: 1 << 20,
    },
];
