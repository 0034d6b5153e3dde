//! Makes the fast form of a program, if it has one.

use super::fast_path::LONGEST;
use super::fast_program::{FastOp, FastProgram};
use super::program::Program;
use super::steps::PeerQueue;
use crate::transport::SingleCopy;
use crate::transport::fast_path::{FragmentSize, ZERO_COPY_BYTES};

/// Most messages of a round to one peer. They find room in a ring that was empty before the round.
const MOST_PER_PEER: usize = 8;

impl FastProgram {
    /// The fast form of a program. `None`: a message is too long, or a round has too many messages to one
    /// peer. Or two lanes have transfers, or the size of an element is not a power of two.
    pub(super) fn of(program: &Program) -> Option<FastProgram> {
        if !program.element_bytes.is_power_of_two() {
            return None;
        }
        let has_transfers = |lane: &usize| program.lanes[*lane].iter().any(|round| round.transfers > 0);
        let mut busy = (0..program.lanes.len()).filter(has_transfers);
        let lane = busy.next().unwrap_or(0);
        if busy.next().is_some() {
            return None;
        }
        let mut fast = FastProgram { ops: Vec::new(), lane, others_done: 0 };
        if program.lanes.is_empty() {
            return Some(fast);
        }
        let rounds = program.lanes[lane].len();
        let sends = by_round(&program.sends, rounds, |step| step.round);
        let recvs = by_round(&program.recvs, rounds, |step| step.round);
        let mut others: Vec<FastOp> = Vec::new();
        for (at, rounds) in program.lanes.iter().enumerate() {
            if at != lane {
                others
                    .extend(rounds.iter().flat_map(|round| &round.locals).map(|local| FastOp::Local(*local)));
            }
        }
        for (round, steps) in program.lanes[lane].iter().enumerate() {
            fast.ops.extend(steps.locals.iter().map(|local| FastOp::Local(*local)));
            let most = sends[round].chunk_by(|one, next| one.0 == next.0).map(<[_]>::len).max();
            if most.is_some_and(|most| most > MOST_PER_PEER) {
                return None;
            }
            for &(queue, step) in &sends[round] {
                if step.span.len > LONGEST {
                    return None;
                }
                // A rank that also receives in this round waits for others anyway, so it may as well wait
                // until they have read its zero copies. Otherwise a message that fits into a slot is sent at
                // once.
                let waits = !recvs[round].is_empty();
                let may_zero_copy =
                    step.single_copy != SingleCopy::Never && step.span.len >= ZERO_COPY_BYTES && waits;
                // A rank that also receives is busy while the first fragments are on their way.
                let cut = if waits { FragmentSize::Full } else { FragmentSize::Small };
                let peer = program.sends[queue as usize].peer;
                let (span, count) = (step.span, step.count);
                fast.ops.push(FastOp::Send { queue, peer, span, count, may_zero_copy, cut });
            }
            // The other lanes come after the first sends, so that no message waits for them.
            if round == 0 {
                fast.ops.append(&mut others);
                fast.others_done = fast.ops.len();
            }
            for &(queue, step) in &recvs[round] {
                if step.dst.len > LONGEST {
                    return None;
                }
                let peer = program.recvs[queue as usize].peer;
                let (operand, dst, count) = (step.operand, step.dst, step.count);
                fast.ops.push(FastOp::Recv { queue, peer, operand, dst, count });
            }
        }
        if program.lanes[lane].is_empty() {
            fast.ops.append(&mut others);
            fast.others_done = fast.ops.len();
        }
        Some(fast)
    }
}

/// The steps of the only lane with transfers, by round, with the numbers of their queues.
fn by_round<S>(queues: &[PeerQueue<S>], rounds: usize, round_of: fn(&S) -> u32) -> Vec<Vec<(u32, &S)>> {
    let mut rounds: Vec<Vec<(u32, &S)>> = (0..rounds).map(|_| Vec::new()).collect();
    for (queue, steps) in queues.iter().enumerate() {
        for step in &steps.steps {
            rounds[round_of(step) as usize].push((queue as u32, step));
        }
    }
    rounds
}
