//! `--replay`: predicts a recorded job, at its size or another one.
//!
//! [`groups`] finds the communicators at the other size, [`costs`] simulates each collective once, and
//! [`job`] follows the steps of all ranks in time.

mod costs;
mod groups;
mod job;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::tuning::Tuning;
use serde_json::{Value, json};

use super::cluster::Cluster;
use crate::failure::{Failure, complain};
use crate::output::{say, say_json};
use crate::plan::units::{counted, seconds};
use crate::replay::Recording;
use crate::replay::call::{Action, ReplayCall};
use crate::replay::program::Program;
use costs::Costs;
use groups::{Groups, Size};
use job::{Job, Outcome};

/// What is to be predicted.
pub struct Wanted<'a> {
    /// Number of ranks, if it is not that of the recording.
    pub ranks: Option<u32>,
    /// Number of hosts, likewise.
    pub hosts: Option<u32>,
    /// Name or file of the model.
    pub model: &'a str,
    /// Whether the answer is JSON.
    pub json: bool,
}

/// Predicts. Returns the exit code.
pub fn replay(wanted: &Wanted, recording: &Recording) -> Result<u8, Failure> {
    recording.left_out.iter().for_each(|text| complain(text));
    let programs = (0..recording.size).map(|rank| recording.program(rank)).collect::<Result<Vec<_>, _>>()?;
    let recorded = Size::new(recording.size, recording.hosts);
    let ranks = wanted.ranks.unwrap_or(recording.size);
    let hosts = wanted.hosts.unwrap_or(recording.hosts);
    if hosts > ranks {
        let text = format!("{hosts} hosts need at least as many ranks, not {ranks}");
        return Err(Failure { code: 2, text });
    }
    let size = Size::new(ranks, hosts);
    if ranks != recording.size {
        refuse_fixed(&programs)?;
    }
    let config = Config::from_environment()?;
    let all_tcp = config.transport == TransportChoice::Tcp;
    let cluster = Cluster::find(wanted.model, &Tuning::from_config(&config)?, all_tcp)?;
    let groups = Groups::new(&programs, &recorded, &size)?;
    let mut costs = Costs::new(&cluster, all_tcp);
    let topology = |costs: &mut Costs, members: &[u32]| {
        let hosts: Vec<u64> = members.iter().map(|rank| size.host_of[*rank as usize]).collect();
        costs.topology(&hosts)
    };
    let topologies = groups.all.iter().map(|group| topology(&mut costs, &group.members)).collect();
    let outcome = Job::new(&programs, &groups, &size, (&costs, topologies)).run()?;
    let unfinished = programs.iter().find_map(|program| program.unfinished.as_ref());
    if let (Some((rank, call)), None) = (&outcome.stuck, unfinished) {
        return Err(Failure::own(format_args!(
            "the recordings do not fit together: rank {rank} would wait for ever in {call}"
        )));
    }
    let title = format!(
        "job {}, recorded on {} and {}, predicted for {} on {}, model {}",
        recording.job,
        counted(u64::from(recording.size), "rank"),
        counted(u64::from(recording.hosts), "host"),
        counted(u64::from(ranks), "rank"),
        counted(u64::from(hosts), "host"),
        cluster.name
    );
    let report = Report { title, programs: &programs, outcome: &outcome, by_formula: costs.by_formula() };
    if wanted.json { say_json(&report.json()) } else { say(&report.text(unfinished.is_some())) }
}

/// Refuses calls that have no counterpart in a job of another size.
fn refuse_fixed(programs: &[Program]) -> Result<(), Failure> {
    let is_fixed = |action: &Action| match action {
        Action::Collective(one) => one.collective.has_graph(),
        Action::Send(_) | Action::Receive(_) | Action::Probe(_) => true,
    };
    let mut all = programs.iter().flat_map(|program| &program.calls);
    match all.find(|call| is_fixed(&call.action)) {
        None => Ok(()),
        Some(call) => Err(Failure::own(format_args!(
            "the job has messages between certain ranks, such as {}: it can be predicted only for the recorded number \
             of ranks",
            call.title
        ))),
    }
}

/// What is printed. Times of classes are means of the ranks.
struct Report<'a> {
    title: String,
    programs: &'a [Program],
    outcome: &'a Outcome,
    by_formula: usize,
}

/// Recorded and predicted seconds.
type Pair = (f64, f64);

impl Report<'_> {
    fn whole(&self) -> Pair {
        let first = self.programs.iter().map(|program| program.begin).min().unwrap_or(0);
        let end = |program: &Program| program.begin.saturating_sub(first).saturating_add(program.span);
        let recorded = self.programs.iter().map(end).max().unwrap_or(0);
        (recorded as f64 / 1e9, self.outcome.whole)
    }

    fn inside(&self) -> Pair {
        let recorded: f64 = self.programs.iter().map(|program| program.inside as f64 / 1e9).sum();
        let predicted: f64 = self.outcome.inside.iter().sum();
        (recorded / self.programs.len() as f64, predicted / self.outcome.inside.len() as f64)
    }

    /// Calls per rank, recorded time with waiting for others, and predicted time without.
    fn classes(&self) -> BTreeMap<&str, (f64, Pair)> {
        let mut classes: BTreeMap<&str, (f64, Pair)> = BTreeMap::new();
        let recorded = self.programs.len() as f64;
        // A probe moves nothing. The prediction has only the wait in it.
        let is_predicted = |call: &&ReplayCall| !matches!(call.action, Action::Probe(_));
        for call in self.programs.iter().flat_map(|program| &program.calls).filter(is_predicted) {
            classes.entry(&call.name).or_default().1.0 += call.recorded as f64 / 1e9 / recorded;
        }
        let ranks = self.outcome.inside.len() as f64;
        for (name, (number, time)) in &self.outcome.classes {
            let class = classes.entry(name).or_default();
            (class.0, class.1.1) = (*number as f64 / ranks, time / ranks);
        }
        classes
    }

    fn text(&self, is_unfinished: bool) -> String {
        let mut text = format!(
            "{}\n\n  {:<24} {:>10} {:>12} {:>12}\n",
            self.title, "mean of the ranks", "calls", "recorded", "predicted"
        );
        let mut line = |name: &str, calls: &str, (recorded, predicted): Pair| {
            let [recorded, predicted] = [recorded, predicted].map(seconds);
            let _ = writeln!(text, "  {name:<24} {calls:>10} {recorded:>12} {predicted:>12}");
        };
        for (name, (number, times)) in self.classes() {
            line(name, &format!("{number:.0}"), times);
        }
        line("in calls and waits", "", self.inside());
        line("whole, of the last rank", "", self.whole());
        if self.classes().len() > 1 || self.inside().0 > 0.0 {
            text += "\nRecorded times of calls contain waiting for late ranks; predicted ones do not.\n";
        }
        if self.by_formula > 0 {
            let _ = writeln!(
                text,
                "{} kinds of calls were too large: their costs are formulas.",
                self.by_formula
            );
        }
        if is_unfinished {
            text += "The recording has no end: the prediction goes as far as all ranks go.\n";
        }
        text
    }

    fn json(&self) -> Value {
        let pair = |(recorded, predicted): Pair| json!({ "recorded": recorded, "predicted": predicted });
        let classes = self.classes();
        let classes = classes.iter().map(|(name, (calls, times))| {
            json!({ "call": name, "calls_per_rank": calls, "seconds": pair(*times) })
        });
        json!({
            "title": self.title,
            "seconds": pair(self.whole()),
            "inside_seconds": pair(self.inside()),
            "calls": classes.collect::<Vec<_>>(),
            "by_formula": self.by_formula,
        })
    }
}
