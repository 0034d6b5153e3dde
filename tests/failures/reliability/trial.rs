//! One job that is hit by one fault.

use std::time::{Duration, Instant};

use super::fault::{Fault, Stage};
use super::table::Row;
use crate::common::lateness::Stopwatch;
use crate::common::network::{Network, network_or_skip};
use crate::common::processes::{ProcessJob, RankProcess, Said, tcp_store};
use crate::common::watchdog::Watchdog;

/// Variable that tells a rank that it is ordered only to join.
pub const ONLY_JOINS: &str = "ANYCCL_TEST_ONLY_JOINS";
pub const SIZE: u32 = 4;
/// Hosts of a job whose wires are cut. Ranks 2 and 3 share the last host.
pub const HOSTS: usize = 3;
/// The deadline of calls.
pub const TIMEOUT: Duration = Duration::from_millis(1000);
/// The deadline of joining, where the fault comes then. The other ranks must come before it, on a busy
/// machine too.
pub const JOIN_TIMEOUT: Duration = Duration::from_secs(5);
/// How much later than its deadline a rank gives up a silent store: a twentieth of the deadline, since the
/// store knows better who is missing (`bootstrap::store::tcp::client`).
pub const STORE_GRACE: Duration = JOIN_TIMEOUT.checked_div(20).unwrap();
/// Longest delay between the timeout and the report of a stall.
pub const LATE: Duration = Duration::from_millis(100);
/// Longest time until the death of a rank is reported.
pub const SOON: Duration = Duration::from_secs(1);

#[derive(Clone, Copy)]
pub struct Trial {
    pub fault: Fault,
    pub stage: Stage,
    pub transport: &'static str,
    pub victim: usize,
}

impl Trial {
    /// Name of the fault, with the victim if it is not rank 1.
    pub fn fault_name(&self) -> String {
        match self.victim {
            1 => self.fault.name().to_string(),
            other => format!("{} (rank {other})", self.fault.name()),
        }
    }

    /// Runs the job and applies the fault. Returns `None` where the fault needs a network of several hosts,
    /// and none can be had.
    pub fn run(self) -> Option<Row> {
        let Trial { fault, stage, transport, victim } = self;
        let network = match fault {
            // Each trial needs a network of its own, because a cut wire stays cut.
            Fault::Wire(_) => Some(network_or_skip(HOSTS)?),
            _ => None,
        };
        let network = network.as_ref();
        let title = format!("{} over {transport}: {}", stage.name(), self.fault_name());
        let _watchdog = Watchdog::new(title.clone(), Duration::from_secs(60));
        let store = network.map_or_else(tcp_store, |network| network.store().into());
        let mut job = ProcessJob::new(super::MODULE, SIZE, "live through it", store)
            .set("ANYCCL_TRANSPORT", transport)
            .set("ANYCCL_TEST_VICTIM", victim);
        job = match stage.is_joining() {
            true => job.set("ANYCCL_TIMEOUT_MS", JOIN_TIMEOUT.as_millis()).set(ONLY_JOINS, 1),
            false => job.deadline(TIMEOUT),
        };
        if let Some(network) = network {
            job.prefixes = [0, 1, 2, 2].map(|host| network.prefix(host)).to_vec();
        }
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("here"));
        let mut victim = ranks.remove(victim);
        if !stage.is_joining() {
            victim.tell("join");
            ranks.iter_mut().for_each(|rank| rank.tell("join"));
            victim.expect("joined");
            ranks.iter_mut().for_each(|rank| rank.expect("joined"));
        }
        let mut loss = Stopwatch::start(ranks.iter().chain([&victim]).map(RankProcess::pid));
        loss.at = self.strike(&mut victim, &mut ranks, network);
        let mut row = Row { trial: self, slowest: Duration::ZERO, told: String::new() };
        for survivor in &mut ranks {
            self.hear(survivor, &loss, &title, &mut row);
        }
        // Behind a cut wire, the victim is a survivor, too, if it needs anything from the other ranks.
        if fault.leaves_it_alive() && matches!(stage, Stage::Init | Stage::Busy) {
            let told = std::mem::take(&mut row.told);
            self.hear(&mut victim, &loss, &title, &mut row);
            row.told = told;
        }
        Some(row)
    }

    /// Lets the ranks come to the stage, and applies the fault. Returns when.
    fn strike(
        self,
        victim: &mut RankProcess,
        ranks: &mut [RankProcess],
        network: Option<&Network>,
    ) -> Instant {
        let Trial { fault, stage, .. } = self;
        match stage {
            // A host can be cut off before its rank begins to join. A dead process cannot begin.
            Stage::Init if fault.leaves_it_alive() => {
                fault.befall(victim, network);
                victim.tell(stage.order());
                tell_all(ranks, stage);
                Instant::now()
            }
            _ => {
                if matches!(stage, Stage::Connect | Stage::Busy) {
                    victim.tell(stage.order());
                }
                tell_all(ranks, stage);
                if stage == Stage::Connect {
                    std::thread::sleep(Duration::from_millis(1));
                } else if stage != Stage::Init {
                    ranks.iter_mut().for_each(|rank| rank.expect("calling"));
                    // The ranks have time to get inside the call.
                    std::thread::sleep(Duration::from_millis(20));
                }
                // The kernel takes a while to cut a wire. The time counts from when the wire is cut.
                let start = Instant::now();
                fault.befall(victim, network);
                if fault.leaves_it_alive() { Instant::now() } else { start }
            }
        }
    }

    /// Checks that one survivor got its error in time, and that the error names the lost rank.
    fn hear(self, survivor: &mut RankProcess, loss: &Stopwatch, title: &str, row: &mut Row) {
        let (called, Said { when, text }) = hear_error(survivor);
        // A rank that joined in time and made its call later has waited only since that call.
        let late = loss.late(loss.at.max(called.unwrap_or(loss.at)), when);
        let (who, limit) = (survivor.rank, loss.allowed(self.stage.limit(self.fault)));
        assert!(late < limit, "{title}: rank {who} was told {text:?} after {late:?}, not {limit:?}");
        let named = match who as usize {
            // From behind the cut, the other ranks are lost. Before the ranks have met, the victim knows only
            // their store.
            own if own == self.victim => text.contains("rank"),
            // The rank that keeps the store may end with the error before the others have asked it who is
            // lost.
            _ if self.stage == Stage::Connect => {
                text.contains("rank 0") || text.contains(&format!("rank {}", self.victim))
            }
            _ => text.contains(&format!("rank {}", self.victim)),
        };
        assert!(named, "{title}: rank {who} is not told who: {text}");
        if row.told.is_empty() || !text.contains("reported by") {
            row.told = text;
        }
        row.slowest = row.slowest.max(late);
    }
}

fn tell_all(ranks: &mut [RankProcess], stage: Stage) {
    ranks.iter_mut().for_each(|rank| rank.tell(stage.order()));
}

/// Waits for the first line with an error. Also returns the time at which the rank began a call, if it did: a
/// rank that joins before its peer is lost goes on to make calls.
fn hear_error(rank: &mut RankProcess) -> (Option<Instant>, Said) {
    let mut called = None;
    loop {
        let Said { when, text } = rank.hear();
        match text.strip_prefix("error: ") {
            Some(error) => return (called, Said { when, text: error.to_string() }),
            None if text == "calling" => called = Some(when),
            None => {}
        }
    }
}
