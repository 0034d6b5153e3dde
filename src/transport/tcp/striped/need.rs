//! Whether lanes are needed: whether the size of its send buffer limits the main connection.
//!
//! A connection has no more bytes on their way than its send buffer holds, which the kernel lets grow to some
//! MiB. On a path that holds more, the buffer is full and all of it is sent, nearly always. The kernel counts
//! that time. On any other path, one connection is as fast as several.

use std::time::Duration;

use crate::sys::socket::TcpTimes;

/// Bytes of long messages from one look at the connection to the next.
const LOOK_BYTES: usize = if cfg!(test) { 8 << 10 } else { 4 << 20 };
/// Time in which the connection had something to send, after which it is judged. The phases in which the
/// congestion control fills the buffer to probe the path are shorter. Figures: docs/lab/tcp.md.
const PERIOD: Duration = Duration::from_secs(1);

/// Watches the main connection while it carries long messages.
#[derive(Default)]
pub(super) struct LaneNeed {
    /// Bytes since the last look.
    taken: usize,
    /// The connection when the present period began.
    before: TcpTimes,
}

impl LaneNeed {
    /// Notes that the connection has taken bytes of a long message. Returns whether lanes are needed from now
    /// on. `look` returns `None` where the system does not say, and then they are not. Tests use sockets of
    /// which nothing is known, and there they are.
    pub fn note_taken(&mut self, bytes: usize, look: impl FnOnce() -> Option<TcpTimes>) -> bool {
        self.taken += bytes;
        if self.taken < LOOK_BYTES {
            return false;
        }
        self.taken = 0;
        let Some(now) = look() else { return cfg!(test) };
        let busy = now.busy.saturating_sub(self.before.busy);
        if busy < PERIOD {
            return false;
        }
        let limited = now.buffer_limited.saturating_sub(self.before.buffer_limited);
        self.before = now;
        4 * limited >= 3 * busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is decided at looks, each after this many milliseconds of work and of waiting for the buffer.
    fn decisions(looks: &[(u64, u64)]) -> Vec<bool> {
        let mut need = LaneNeed::default();
        let times = |(busy, limited)| TcpTimes {
            busy: Duration::from_millis(busy),
            buffer_limited: Duration::from_millis(limited),
            ..TcpTimes::default()
        };
        looks.iter().map(|look| need.note_taken(LOOK_BYTES, || Some(times(*look)))).collect()
    }

    #[test]
    fn lanes_are_needed_once_the_buffer_is_the_limit_for_most_of_a_period() {
        assert_eq!(decisions(&[(1000, 749), (2000, 1498)]), [false, false]);
        assert_eq!(decisions(&[(1000, 749), (1900, 1649), (2000, 1499)]), [false, false, true]);
    }

    #[test]
    fn the_connection_is_looked_at_after_many_bytes() {
        let mut need = LaneNeed::default();
        assert!(!need.note_taken(LOOK_BYTES - 1, || unreachable!("too early")));
        assert!(need.note_taken(1, || None), "nothing is known of a socket of the tests");
    }
}
