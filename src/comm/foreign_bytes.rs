//! The targets of communicators.

use crate::foreign_bytes::Target;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "rank_records",
        read: super::create::foreign_bytes::records,
        seeds: super::create::foreign_bytes::seeds,
        room: 64 << 10,
    },
    Target {
        name: "mapping_records",
        read: super::device::foreign_bytes::records,
        seeds: super::device::foreign_bytes::seeds,
        room: 64 << 10,
    },
];
