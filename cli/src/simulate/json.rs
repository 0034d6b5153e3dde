//! `--json`: one object with the call, the model, and every algorithm for each size. The keys are stable.

use anyccl_engine::simulate::{Hop, HopKind, Order, Prediction, Symmetry};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::compare::{Comparison, Row};
use crate::plan::call::PlannedCall;

/// The JSON object. For each size it has the critical path of `shown`, or of the fastest algorithm.
pub fn object(
    call: &PlannedCall,
    cluster: &Cluster,
    comparisons: &[Comparison<'_>],
    shown: Option<&str>,
) -> Value {
    let sizes: Vec<Value> = comparisons.iter().map(|comparison| size(call, comparison, shown)).collect();
    json!({
        "call": call.json(),
        "model": { "name": cluster.name, "text": cluster.model.to_text() },
        "sizes": sizes,
    })
}

fn size(call: &PlannedCall, comparison: &Comparison<'_>, shown: Option<&str>) -> Value {
    let path_of = shown.or(comparison.fastest().map(|row| row.algorithm.name));
    let rows: Vec<Value> =
        comparison.rows.iter().map(|row| algorithm(row, path_of == Some(row.algorithm.name))).collect();
    json!({
        "bytes": call.bytes(&comparison.request),
        "count": comparison.request.count,
        "chosen": comparison.chosen.as_ref().ok(),
        "refused": comparison.chosen.as_ref().err(),
        "chosen_over_fastest": comparison.loss(),
        "algorithms": rows,
    })
}

fn algorithm(row: &Row, with_path: bool) -> Value {
    let name = row.algorithm.name;
    match &row.outcome {
        Ok(outcome) => with_outcome(name, outcome, with_path),
        Err(why) => json!({ "algorithm": name, "skipped": why.to_string() }),
    }
}

fn with_outcome(name: &str, outcome: &Prediction, with_path: bool) -> Value {
    let traffic = &outcome.traffic;
    let symmetry = match outcome.symmetry {
        Symmetry::None => "none",
        Symmetry::Rotation => "rotation",
        Symmetry::ExclusiveOr => "exclusive or",
    };
    let mut object = json!({
        "algorithm": name,
        "seconds": outcome.seconds,
        "traffic": {
            "messages": traffic.messages,
            "within_bytes": traffic.within_bytes,
            "between_bytes": traffic.between_bytes,
            "busiest_host": { "sends": traffic.host_sends, "receives": traffic.host_receives },
            "busiest_rank": { "sends": traffic.rank_sends, "receives": traffic.rank_receives },
        },
        "scratch_bytes": outcome.scratch,
        "simulated": {
            "ranks": outcome.ranks,
            "events": outcome.events,
            "count": outcome.count,
            "symmetry": symmetry,
            "same_order": outcome.order == Order::Same,
        },
    });
    if with_path {
        object["critical_path"] = outcome.path.iter().map(hop).collect();
    }
    object
}

fn hop(hop: &Hop) -> Value {
    let kind = match hop.kind {
        HopKind::Compute => "compute",
        HopKind::Send => "send",
        HopKind::Receive => "receive",
        HopKind::Take => "take",
    };
    json!({
        "kind": kind,
        "rank": hop.rank,
        "peer": hop.peer,
        "within_host": hop.within_host,
        "lane": hop.lane,
        "round": hop.round,
        "bytes": hop.bytes,
        "begin": hop.begin,
        "end": hop.end,
    })
}
