//! The rules that one plan must keep on its own, whatever the other plans do.
//!
//! The checks keep a few marks per cell, so the cost is proportional to the number of elements that the plan
//! touches, and aliasing in place needs no extra case.

use std::ops::Range;

use super::layout::Layout;
use super::violation::{Site, Violation};
use crate::base::Rank;
use crate::plan::{Buffer, Plan, PlanRequest, Round, Span, Step};

/// Checks bounds, peers, aliasing inside steps, rounds and between lanes.
pub(super) fn check(request: &PlanRequest, plan: &Plan, layout: &Layout) -> Result<(), Violation> {
    let PlanRequest { rank, size, .. } = *request;
    let signals = request.collective.counts_messages();
    let mut lanes = (plan.lanes.len() > 1).then(|| LaneMarks::new(layout.cells()));
    let mut writes = RoundMarks::new(layout.cells());
    for (lane_index, lane) in (0..).zip(&plan.lanes) {
        for (round_index, round) in (0..).zip(&lane.rounds) {
            let site = |step| Site { rank, lane: lane_index, round: round_index, step };
            for (step_index, step) in (0..).zip(&round.steps) {
                let site = site(step_index);
                check_peers(site, size, step)?;
                check_spans(site, step, layout, signals)?;
                check_aliases(site, step, layout)?;
                if let Some(lanes) = &mut lanes {
                    lanes.note(site, step, layout)?;
                }
            }
            writes.check(site, round, layout)?;
        }
    }
    Ok(())
}

/// The spans that a step reads, and the span that it writes.
fn accesses(step: &Step) -> ([Option<Span>; 2], Option<Span>) {
    match *step {
        Step::Copy { src, dst } => ([Some(src), None], Some(dst)),
        Step::Reduce { a, b, dst } => ([Some(a), Some(b)], Some(dst)),
        Step::Narrow { src, dst, .. } => ([Some(src), None], Some(dst)),
        Step::Widen { src, operand, dst, .. } => ([Some(src), operand], Some(dst)),
        Step::Send { span, .. } => ([Some(span), None], None),
        Step::Recv { dst, .. } => ([None, None], Some(dst)),
        Step::RecvReduce { operand, dst, .. } => ([Some(operand), None], Some(dst)),
    }
}

fn check_peers(site: Site, size: u32, step: &Step) -> Result<(), Violation> {
    let bad = |peer: Rank| peer >= size || peer == site.rank;
    match step {
        Step::Send { to, .. } if to.is_empty() => Err(Violation::BadPeer { site, peer: None }),
        Step::Send { to, .. } => {
            let mut sorted = to.clone();
            sorted.sort_unstable();
            let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
            let peer = twice.or_else(|| to.iter().copied().find(|&peer| bad(peer)));
            peer.map_or(Ok(()), |peer| Err(Violation::BadPeer { site, peer: Some(peer) }))
        }
        Step::Recv { from, .. } | Step::RecvReduce { from, .. } if bad(*from) => {
            Err(Violation::BadPeer { site, peer: Some(*from) })
        }
        _ => Ok(()),
    }
}

/// Checks the spans of a step. `signals`: messages may be empty.
fn check_spans(site: Site, step: &Step, layout: &Layout, signals: bool) -> Result<(), Violation> {
    let (reads, write) = accesses(step);
    // The numbers of a step, and the elements that its narrow form should have.
    let narrow = match *step {
        Step::Narrow { format, src, dst } => Some((dst, format.narrow_len(src.len))),
        Step::Widen { format, src, dst, .. } => Some((src, format.narrow_len(dst.len))),
        _ => None,
    };
    if let Some((span, wanted)) = narrow.filter(|(span, wanted)| span.len != *wanted) {
        return Err(Violation::LengthsDiffer { site, one: span.len, other: wanted });
    }
    let mut first = None;
    for span in reads.into_iter().flatten().chain(write) {
        layout.locate(span).map_err(|available| Violation::OutOfBounds { site, span, available })?;
        let is_narrow = narrow.is_some_and(|(narrow, _)| narrow == span);
        let one = *first.get_or_insert(if is_narrow { write.map_or(0, |dst| dst.len) } else { span.len });
        if span.len != one && !is_narrow {
            return Err(Violation::LengthsDiffer { site, one, other: span.len });
        }
        let is_message = matches!(step, Step::Send { .. } | Step::Recv { .. });
        if span.len == 0 && !(signals && is_message) {
            return Err(Violation::EmptySpan { site });
        }
    }
    match write {
        Some(span) if span.buffer == Buffer::Input => Err(Violation::InputWritten { site, span }),
        _ => Ok(()),
    }
}

fn check_aliases(site: Site, step: &Step, layout: &Layout) -> Result<(), Violation> {
    let (reads, Some(written)) = accesses(step) else { return Ok(()) };
    let target = layout.cells_of(written);
    for read in reads.into_iter().flatten() {
        let identical_is_fine = match step {
            Step::Copy { .. } | Step::Narrow { .. } => false,
            Step::Widen { src, .. } => read != *src,
            _ => true,
        };
        let source = layout.cells_of(read);
        let disjoint = source.end <= target.start || target.end <= source.start;
        if !(disjoint || identical_is_fine && source == target) {
            return Err(Violation::StepOverlaps { site, read, written });
        }
    }
    Ok(())
}

/// For each cell, the step of the current round that receives into it.
struct RoundMarks {
    epoch: u32,
    /// (epoch, step) of the last receive into each cell.
    marks: Vec<(u32, u32)>,
}

impl RoundMarks {
    fn new(cells: usize) -> RoundMarks {
        RoundMarks { epoch: 0, marks: vec![(0, 0); cells] }
    }

    /// Checks that the transfers of a round are a parallel assignment that needs no hidden copy.
    fn check(&mut self, site: impl Fn(u32) -> Site, round: &Round, layout: &Layout) -> Result<(), Violation> {
        self.epoch += 1;
        for (index, step) in (0..).zip(&round.steps) {
            if let Step::Recv { dst, .. } | Step::RecvReduce { dst, .. } = *step {
                for cell in layout.cells_of(dst) {
                    let (epoch, other) = self.marks[cell];
                    if epoch == self.epoch {
                        let (buffer, element) = layout.name_cell(cell);
                        return Err(Violation::WrittenTwice { site: site(index), other, buffer, element });
                    }
                    self.marks[cell] = (self.epoch, index);
                }
            }
        }
        for (index, step) in (0..).zip(&round.steps) {
            let allowed = |other: u32, cells: &Range<usize>| match (step, &round.steps[other as usize]) {
                (Step::Send { .. }, Step::Recv { dst, .. } | Step::RecvReduce { dst, .. }) => {
                    layout.cells_of(*dst) == *cells
                }
                // The operand of this very step, which `check_aliases` has checked.
                _ => other == index,
            };
            if let Step::Send { span, .. } | Step::RecvReduce { operand: span, .. } = *step {
                let cells = layout.cells_of(span);
                for cell in cells.clone() {
                    let (epoch, other) = self.marks[cell];
                    if epoch == self.epoch && !allowed(other, &cells) {
                        let (buffer, element) = layout.name_cell(cell);
                        return Err(Violation::WrittenWhileRead {
                            site: site(index),
                            other,
                            buffer,
                            element,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

/// For each cell, the lanes that touch it.
struct LaneMarks {
    marks: Vec<LaneMark>,
}

#[derive(Clone, Copy, Default)]
struct LaneMark {
    writer: Option<u32>,
    reader: Option<u32>,
    /// A second lane that reads the cell, if there is one. Further ones need not be remembered.
    other_reader: Option<u32>,
}

impl LaneMarks {
    fn new(cells: usize) -> LaneMarks {
        LaneMarks { marks: vec![LaneMark::default(); cells] }
    }

    fn note(&mut self, site: Site, step: &Step, layout: &Layout) -> Result<(), Violation> {
        let lane = Some(site.lane);
        let (reads, write) = accesses(step);
        let collide = |cell, other| {
            let (buffer, element) = layout.name_cell(cell);
            Err(Violation::LanesCollide { site, other, buffer, element })
        };
        for cell in reads.into_iter().flatten().flat_map(|span| layout.cells_of(span)) {
            let mark = &mut self.marks[cell];
            match mark.writer {
                Some(writer) if mark.writer != lane => return collide(cell, writer),
                _ if mark.reader.is_none() => mark.reader = lane,
                _ if mark.reader != lane => mark.other_reader = lane,
                _ => {}
            }
        }
        for cell in write.into_iter().flat_map(|span| layout.cells_of(span)) {
            let mark = &mut self.marks[cell];
            let others = [mark.writer, mark.reader, mark.other_reader];
            if let Some(other) = others.into_iter().flatten().find(|&other| other != site.lane) {
                return collide(cell, other);
            }
            mark.writer = lane;
        }
        Ok(())
    }
}
