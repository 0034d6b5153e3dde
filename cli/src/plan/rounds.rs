//! The plans of some ranks as text, shortened if they are long.

use std::fmt::Write;

use anyccl_engine::algo::Algorithm;
use anyccl_engine::base::Rank;
use anyccl_engine::plan::{Lane, Plan, PlanRequest, Round, Step};
use anyccl_engine::simulate::for_rank;

use super::units::{bytes, counted};

/// Numbers of lanes, rounds of a lane and steps of a round that are shown, unless the user wants all.
const LANES: usize = 3;
const ROUNDS: usize = 12;
const STEPS: usize = 6;
/// Number of receivers of one step that are named.
const RECEIVERS: usize = 8;

/// The plans of `ranks`. `whole`: leaves nothing out.
pub fn layout(algorithm: &Algorithm, request: &PlanRequest, ranks: &[Rank], whole: bool) -> String {
    let mut text = String::new();
    for &rank in ranks {
        let plan = (algorithm.build)(&for_rank(request, rank));
        let _ = write!(text, "\nrank {rank} on host {}", request.topology.host_of(rank));
        describe(&mut text, &plan, request.element_bytes);
        if whole {
            let _ = write!(text, "{plan}");
        } else {
            shortened(&mut text, &plan);
        }
    }
    text
}

fn describe(text: &mut String, plan: &Plan, unit: usize) {
    let steps = || plan.lanes.iter().flat_map(|lane| &lane.rounds).flat_map(|round| &round.steps);
    let sent: usize = steps()
        .map(|step| match step {
            Step::Send { to, span } => to.len() * span.len,
            _ => 0,
        })
        .sum();
    let rounds = plan.lanes.iter().map(|lane| lane.rounds.len()).max().unwrap_or(0);
    let (lanes, rounds) = (counted(plan.lanes.len() as u64, "lane"), counted(rounds as u64, "round"));
    let _ = write!(text, ": {lanes} of at most {rounds}, sends {}", bytes((sent * unit) as u64));
    let _ = writeln!(text, ", scratch {}", bytes((plan.scratch * unit) as u64));
}

fn shortened(text: &mut String, plan: &Plan) {
    if plan.lanes.is_empty() {
        text.push_str("nothing to do\n");
    }
    for (at, lane) in plan.lanes.iter().take(LANES).enumerate() {
        let _ = writeln!(text, "lane {at}");
        rounds(text, lane);
    }
    if plan.lanes.len() > LANES {
        let _ = writeln!(text, "... {} more lanes", plan.lanes.len() - LANES);
    }
}

fn rounds(text: &mut String, lane: &Lane) {
    let count = lane.rounds.len();
    let skipped = if count > ROUNDS { ROUNDS - 2..count - 2 } else { 0..0 };
    for (number, round) in lane.rounds.iter().enumerate() {
        if number == skipped.start && !skipped.is_empty() {
            let _ = writeln!(text, "  ... {} more rounds", skipped.len());
        }
        if !skipped.contains(&number) && !round.steps.is_empty() {
            let _ = writeln!(text, "  round {number}  {}", steps(round));
        }
    }
}

fn steps(round: &Round) -> String {
    let mut words: Vec<String> = round.steps.iter().take(STEPS).map(step).collect();
    if round.steps.len() > STEPS {
        words.push(format!("... {} more steps", round.steps.len() - STEPS));
    }
    words.join(" | ")
}

fn step(step: &Step) -> String {
    match step {
        Step::Send { to, span } if to.len() > RECEIVERS => {
            let named: Vec<String> = to[..RECEIVERS].iter().map(Rank::to_string).collect();
            format!("send {span} to {},... {} ranks in all", named.join(","), to.len())
        }
        other => other.to_string(),
    }
}
