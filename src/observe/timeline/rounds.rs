//! The rounds of a call, found from its steps.

use std::collections::HashMap;

use crate::observe::trace::{Activity, Event};

/// A round of one lane.
pub struct RoundLine {
    pub lane: u32,
    pub round: u32,
    pub begin: u64,
    pub end: u64,
}

/// The rounds of a call: from the begin of their first step to the end of their last one.
pub fn rounds(steps: &[Event]) -> Vec<RoundLine> {
    let mut rounds: Vec<RoundLine> = Vec::new();
    let mut found: HashMap<(u32, u32), usize> = HashMap::new();
    for step in steps.iter().filter(|step| step.activity != Activity::Call) {
        let Event { lane, round, begin, end, .. } = *step;
        let at = *found.entry((lane, round)).or_insert(rounds.len());
        match rounds.get_mut(at) {
            Some(known) => {
                known.begin = known.begin.min(begin);
                known.end = known.end.max(end);
            }
            None => rounds.push(RoundLine { lane, round, begin, end }),
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_lie_in_their_call_and_their_messages_in_them() {
        let step = |activity, round, begin, end| Event {
            activity,
            begin,
            end,
            bytes: 1,
            peer: Some(0),
            lane: 0,
            round,
            sequence: 3,
        };
        let steps = [
            step(Activity::Copy, 0, 5, 10),
            step(Activity::Send, 0, 10, 30),
            step(Activity::Receive, 0, 10, 20),
            step(Activity::ReceiveReduce, 2, 30, 50),
            step(Activity::Call, 0, 0, 60),
        ];
        let rounds = rounds(&steps);
        let facts: Vec<_> = rounds.iter().map(|one| (one.round, one.begin, one.end)).collect();
        assert_eq!(facts, [(0, 5, 30), (2, 30, 50)]);
    }
}
