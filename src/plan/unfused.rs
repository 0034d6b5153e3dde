//! Rewrites a plan so that nothing is reduced while it arrives, for elements that a link may cut in two.
//!
//! A link cuts messages into fragments at multiples of [`crate::transport::FRAGMENT_GRAIN`]. So a receive can
//! reduce elements of 1, 2, 4, 8 or 16 bytes as they arrive, but any other element may lie in two fragments.
//! Here each such receive becomes a receive into scratch, and a local reduction at the start of the next
//! round. Messages and their order stay as they are, so the plans of the other ranks do not matter.
//!
//! Cost: one more copy of what is received, and the reduction no longer overlaps the transfer. Scratch grows
//! by the largest amount that one round of each lane receives.

use super::{Buffer, Lane, Plan, Round, Span, Step};

impl Plan {
    /// This plan, with each reduction after its receive.
    pub fn unfused(self) -> Plan {
        let mut scratch = self.scratch;
        let lanes = self.lanes.into_iter().map(|lane| unfused_lane(lane, &mut scratch)).collect();
        Plan { scratch, lanes, ..self }
    }

    /// Whether anything is reduced while it arrives: otherwise the plan is its own unfused form.
    #[cfg(test)]
    pub fn is_fused(&self) -> bool {
        let steps = self.lanes.iter().flat_map(|lane| &lane.rounds).flat_map(|round| &round.steps);
        steps.into_iter().any(|step| matches!(step, Step::RecvReduce { .. }))
    }
}

fn unfused_lane(lane: Lane, scratch: &mut usize) -> Lane {
    let start = *scratch;
    let mut rounds = Vec::with_capacity(lane.rounds.len() + 1);
    let mut due: Vec<Step> = Vec::new();
    for round in lane.rounds {
        // What one round received is consumed before the transfers of the next one, so all rounds share this
        // memory.
        let mut next = start;
        let mut take = |len: usize| {
            let span = Span { buffer: Buffer::Scratch, offset: next, len };
            next += len;
            *scratch = (*scratch).max(next);
            span
        };
        let written: Vec<Span> = round.steps.iter().filter_map(written_by_transfer).collect();
        let mut steps = std::mem::take(&mut due);
        let mut kept = Vec::new();
        for step in round.steps {
            let Step::RecvReduce { from, operand, dst } = step else {
                steps.push(step);
                continue;
            };
            let arrived = take(dst.len);
            steps.push(Step::Recv { from, dst: arrived });
            // The operand must be read as it was when the transfers began, even if another one writes there.
            let is_written = written.iter().any(|other| *other != dst && may_overlap(other, &operand));
            let a = if is_written {
                let copy = take(operand.len);
                kept.push(Step::Copy { src: operand, dst: copy });
                copy
            } else {
                operand
            };
            due.push(Step::Reduce { a, b: arrived, dst });
        }
        // The kept steps come after the other local steps of the round.
        steps.extend(kept);
        rounds.push(Round { steps });
    }
    if !due.is_empty() {
        rounds.push(Round { steps: due });
    }
    Lane { rounds }
}

fn written_by_transfer(step: &Step) -> Option<Span> {
    match step {
        Step::Recv { dst, .. } | Step::RecvReduce { dst, .. } => Some(*dst),
        _ => None,
    }
}

/// Whether two spans may share an element. Input and output may be one memory.
fn may_overlap(one: &Span, other: &Span) -> bool {
    let is_apart = one.offset + one.len <= other.offset || other.offset + other.len <= one.offset;
    let is_scratch = |span: &Span| span.buffer == Buffer::Scratch;
    match one.buffer == other.buffer {
        true => !is_apart,
        false => !is_scratch(one) && !is_scratch(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(buffer: Buffer, offset: usize) -> Span {
        Span { buffer, offset, len: 4 }
    }

    #[test]
    fn a_receive_that_reduces_becomes_one_into_scratch_and_a_reduction_after_the_round() {
        let whole = span(Buffer::Output, 0);
        let steps = vec![
            Step::Send { to: vec![1], span: whole },
            Step::RecvReduce { from: 1, operand: whole, dst: whole },
        ];
        let plan =
            Plan { scratch: 3, lanes: vec![Lane { rounds: vec![Round { steps }] }], ..Plan::default() };
        let plan = plan.unfused();
        let arrived = span(Buffer::Scratch, 3);
        let first = vec![Step::Send { to: vec![1], span: whole }, Step::Recv { from: 1, dst: arrived }];
        let last = vec![Step::Reduce { a: whole, b: arrived, dst: whole }];
        assert_eq!(plan.scratch, 7);
        assert_eq!(plan.lanes[0].rounds, [Round { steps: first }, Round { steps: last }]);
    }

    #[test]
    fn an_operand_that_another_transfer_overwrites_is_kept() {
        let (operand, result) = (span(Buffer::Output, 0), span(Buffer::Output, 4));
        let steps =
            vec![Step::Recv { from: 2, dst: operand }, Step::RecvReduce { from: 1, operand, dst: result }];
        let plan = Plan { lanes: vec![Lane { rounds: vec![Round { steps }] }], ..Plan::default() }.unfused();
        let (arrived, kept) = (span(Buffer::Scratch, 0), span(Buffer::Scratch, 4));
        let rounds = &plan.lanes[0].rounds;
        assert!(rounds[0].steps.contains(&Step::Copy { src: operand, dst: kept }));
        assert_eq!(rounds[1].steps, [Step::Reduce { a: kept, b: arrived, dst: result }]);
        assert_eq!(plan.scratch, 8);
    }
}
