//! The number of lanes of two ranks of which one leaves it to the library: some on a long path, and none on a
//! short one.
//!
//! A connection has no more bytes on their way than its socket buffers hold, usually 4 MiB, so its speed is
//! that number by the time of a round trip. Four connections carry four times as much. On a short path one
//! connection carries what any network does. Figures: docs/lab/tcp.md.

use std::time::Duration;

/// Round trip of the shortest path that has lanes. In tests every path is long.
const LONG_PATH: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_millis(4) };
/// Lanes on a long path.
const LANES: u8 = 4;
/// Most connections of a rank for lanes.
const MOST_CONNECTIONS: u32 = 256;

/// Lanes on a long path to one of the other ranks of a world of `size`.
pub(super) fn on_long_path(size: u32) -> u8 {
    let each = MOST_CONNECTIONS / size.saturating_sub(1).max(1);
    each.clamp(1, LANES.into()) as u8
}

/// Whether a path with this round trip is long. `None`: the system does not say.
pub(super) fn is_long(round_trip: Option<Duration>) -> bool {
    round_trip.is_some_and(|round_trip| round_trip >= LONG_PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_fewer_where_there_are_many_ranks() {
        assert_eq!([1, 2, 65, 66, 87, 129, 130, 5000].map(on_long_path), [4, 4, 4, 3, 2, 2, 1, 1]);
        assert!(!is_long(None) && is_long(Some(LONG_PATH)));
    }
}
