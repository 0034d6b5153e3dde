//! The times that are measured, and the costs that follow from them.

use std::fmt;

use anyccl_engine::base::Collective;
use anyccl_engine::cost::{CollectiveTimes, Curve, LinkModel, MessageTimes};
use anyccl_engine::tuning::Links;

use crate::plan::units;

/// Size for the latency.
const SMALL: usize = 8;
/// Size for the bandwidth: the choice between algorithms matters most here.
const LONG: usize = 1 << 20;
/// Sizes for curves: in steps, because caches are stepped.
const STEPS: [usize; 6] = [SMALL, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20];
/// Sizes for collectives, closer together where data stops fitting into caches.
const CALLS: [usize; 11] =
    [SMALL, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20];

/// A time that is measured, for a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// A reduction with a result of so many bytes, on one core.
    Reduction(usize),
    /// A copy on one core.
    Copy(usize),
    /// A message through shared memory.
    Shm(usize),
    /// A message through TCP.
    Tcp(usize),
    /// Two messages through shared memory, both ways at once.
    ShmExchange(usize),
    /// Two messages through TCP, both ways at once.
    TcpExchange(usize),
    /// A collective of all ranks, by the bytes of the larger buffer.
    Call(Collective, usize),
}

impl Timing {
    /// All timings; those of shared memory only if there is a link through it.
    pub fn all(shm: bool) -> Vec<Timing> {
        use Timing::*;
        let mut all = vec![Reduction(LONG), Tcp(LONG)];
        for timing in [Reduction, Copy, Tcp, TcpExchange] {
            all.extend(STEPS.map(timing));
        }
        for collective in CollectiveTimes::MEASURED {
            all.extend(CALLS.map(|bytes| Call(collective, bytes)));
        }
        if shm {
            all.push(Shm(LONG));
            all.extend([Shm, ShmExchange].into_iter().flat_map(|timing| STEPS.map(timing)));
        }
        all
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, bytes) = match self {
            Timing::Reduction(bytes) => ("a reduction", bytes),
            Timing::Copy(bytes) => ("a copy", bytes),
            Timing::Shm(bytes) => ("a message through shared memory", bytes),
            Timing::Tcp(bytes) => ("a message through TCP", bytes),
            Timing::ShmExchange(bytes) => ("messages through shared memory both ways", bytes),
            Timing::TcpExchange(bytes) => ("messages through TCP both ways", bytes),
            Timing::Call(collective, bytes) => (collective.name(), bytes),
        };
        write!(f, "{what}, {}", units::bytes(*bytes as u64))
    }
}

/// The costs that follow from the microseconds of all timings.
pub fn costs(shm: bool, us: impl Fn(Timing) -> f64) -> Links {
    let mut links = Links::DEFAULT;
    let link = |model: LinkModel, timing: fn(usize) -> Timing| {
        let latency_us = us(timing(SMALL));
        // On a very fast link the difference may vanish in the noise; it still counts as some time.
        let us_per_byte = ((us(timing(LONG)) - latency_us) / LONG as f64).max(1e-9);
        LinkModel { us_per_byte, ..model.with_latency(latency_us) }
    };
    let times = |latency_us, one_way: fn(usize) -> Timing, exchange: fn(usize) -> Timing| MessageTimes {
        one_way: curve(&STEPS, latency_us, |bytes| us(one_way(bytes))),
        exchange: curve(&STEPS, latency_us, |bytes| us(exchange(bytes))),
    };
    if shm {
        links.shm = link(links.shm, Timing::Shm);
        links.times.shm = times(links.shm.latency_us, Timing::Shm, Timing::ShmExchange);
    }
    links.tcp = link(LinkModel::TCP, Timing::Tcp);
    let gamma = us(Timing::Reduction(LONG)) / LONG as f64;
    (links.shm.reduce_us_per_byte, links.tcp.reduce_us_per_byte) = (gamma, gamma);
    links.times.reduce = curve(&STEPS, 0.0, |bytes| us(Timing::Reduction(bytes)));
    links.times.copy = curve(&STEPS, 0.0, |bytes| us(Timing::Copy(bytes)));
    links.times.tcp = times(links.tcp.latency_us, Timing::Tcp, Timing::TcpExchange);
    for (collective, place) in links.times.collectives.curves() {
        *place = curve(&CALLS, 0.0, |bytes| us(Timing::Call(collective, bytes)));
    }
    links
}

/// The time beyond the latency, over size.
fn curve(sizes: &[usize], latency_us: f64, us: impl Fn(usize) -> f64) -> Curve {
    let mut points: Vec<(u64, f64)> = Vec::new();
    for &bytes in sizes {
        // Noise must not make a larger message faster, nor a message free.
        let least = points.last().map_or(1e-3, |point| point.1);
        points.push((bytes as u64, (us(bytes) - latency_us).max(least)));
    }
    Curve::new(&points).expect("sizes rise, and so do the times")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cost_needs_only_figures_that_are_measured() {
        for shm in [false, true] {
            let all = Timing::all(shm);
            costs(shm, |timing| {
                assert_eq!(all.iter().filter(|known| **known == timing).count(), 1, "{timing}");
                1.0
            });
        }
    }

    #[test]
    fn bandwidth_follows_from_the_time_beyond_the_latency_and_curves_rise() {
        let links = costs(true, |timing| match timing {
            Timing::Shm(SMALL) => 1.0,
            Timing::Shm(_) => 1.0 + LONG as f64,
            // Noise: the largest message is the fastest.
            Timing::Copy(bytes) => 1e9 / bytes as f64,
            _ => 5.0,
        });
        assert_eq!((links.shm.latency_us, links.shm.us_per_byte), (1.0, 1.0));
        assert_eq!((links.tcp.latency_us, links.tcp.us_per_byte), (5.0, 1e-9));
        assert_eq!(links.times.copy.us(16 << 20), Some(1e9 / SMALL as f64));
    }
}
