//! `--json`: the choice and the plans as one object. The keys are stable.

use anyccl_engine::algo::Algorithm;
use anyccl_engine::base::Rank;
use anyccl_engine::plan::{Plan, PlanRequest, Span, Step};
use anyccl_engine::simulate::for_rank;
use serde_json::{Value, json};

use super::call::PlannedCall;
use super::choice::Choice;

/// The JSON object.
pub fn object(
    call: &PlannedCall,
    request: &PlanRequest,
    choice: &Choice,
    shown: &Algorithm,
    ranks: &[Rank],
) -> Value {
    let plans: Vec<Value> = ranks.iter().map(|&rank| plan_of(shown, request, rank)).collect();
    json!({
        "call": call.json(),
        "candidates": choice.json(),
        "chosen": choice.chosen.name,
        "runner_up": choice.runner_up(),
        "reason": choice.reason(),
        "shown": shown.name,
        "plans": plans,
    })
}

fn plan_of(algorithm: &Algorithm, request: &PlanRequest, rank: Rank) -> Value {
    let Plan { scratch, lanes, .. } = (algorithm.build)(&for_rank(request, rank));
    let lanes: Vec<Vec<Vec<Value>>> = lanes
        .iter()
        .map(|lane| lane.rounds.iter().map(|round| round.steps.iter().map(step).collect()).collect())
        .collect();
    json!({
        "rank": rank,
        "host": request.topology.host_of(rank),
        "scratch_bytes": scratch * request.element_bytes,
        "lanes": lanes,
    })
}

fn step(step: &Step) -> Value {
    match step {
        Step::Copy { src, dst } => json!({ "copy": span(src), "into": span(dst) }),
        Step::Reduce { a, b, dst } => json!({ "reduce": span(a), "with": span(b), "into": span(dst) }),
        Step::Narrow { format, src, dst } => {
            json!({ "narrow": span(src), "into": span(dst), "format": format.name() })
        }
        Step::Widen { format, src, operand, dst } => {
            let operand = operand.as_ref().map(span);
            json!({ "widen": span(src), "reduced_with": operand, "into": span(dst), "format": format.name() })
        }
        Step::Send { to, span: sent } => json!({ "send": span(sent), "to": to }),
        Step::Recv { from, dst } => json!({ "receive": span(dst), "from": from }),
        Step::RecvReduce { from, operand, dst } => {
            json!({ "receive": span(dst), "from": from, "reduced_with": span(operand) })
        }
    }
}

fn span(span: &Span) -> Value {
    let buffer = span.buffer.to_string().to_lowercase();
    json!({ "buffer": buffer, "offset": span.offset, "len": span.len })
}
