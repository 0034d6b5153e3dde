//! The traffic of a plan, independent of time.

use super::wiring::{WiredMessage, Wiring};

/// Bytes and messages of one call, on all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Bytes of messages within hosts.
    pub within_bytes: u64,
    /// Bytes of messages between hosts.
    pub between_bytes: u64,
    /// Bytes that leave the host that sends the most.
    pub host_sends: u64,
    /// Bytes that reach the host that receives the most.
    pub host_receives: u64,
    /// Bytes of the rank that sends the most.
    pub rank_sends: u64,
    /// Bytes of the rank that receives the most.
    pub rank_receives: u64,
}

impl Traffic {
    pub(super) fn of(wiring: &Wiring, host_of: &dyn Fn(u32) -> u32) -> Traffic {
        let ranks = wiring.fold.block;
        let hosts = (0..ranks).map(host_of).max().map_or(0, |last| last + 1);
        let mut traffic = Traffic::default();
        let (mut out, mut into) = (vec![0; hosts as usize], vec![0; hosts as usize]);
        let (mut sent, mut received) = (vec![0; ranks as usize], vec![0; ranks as usize]);
        let blocks = u64::from(wiring.fold.blocks);
        for &WiredMessage { from, to, within_host, bytes, .. } in &wiring.messages {
            traffic.messages += blocks;
            sent[from as usize] += bytes;
            received[to as usize] += bytes;
            if within_host {
                traffic.within_bytes += blocks * bytes;
            } else {
                traffic.between_bytes += blocks * bytes;
                out[host_of(from) as usize] += bytes;
                into[host_of(to) as usize] += bytes;
            }
        }
        let most = |bytes: Vec<u64>| bytes.into_iter().max().unwrap_or(0);
        Traffic {
            host_sends: most(out),
            host_receives: most(into),
            rank_sends: most(sent),
            rank_receives: most(received),
            ..traffic
        }
    }
}
