//! Plans as text, for `anyccl plan` and for debugging.
//!
//! ```text
//! lane 0
//!   round 0  send Input[0..4) to 1 | receive Output[0..4) from 1, reduced with Input[0..4)
//! ```

use std::fmt;

use super::{Buffer, Lane, Plan, Round, Span, Step};

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Buffer::Input => "Input",
            Buffer::Output => "Output",
            Buffer::Scratch => "Scratch",
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}..{})", self.buffer, self.offset, self.offset.saturating_add(self.len))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Copy { src, dst } => write!(f, "copy {src} to {dst}"),
            Step::Reduce { a, b, dst } => write!(f, "reduce {a} with {b} into {dst}"),
            Step::Narrow { format, src, dst } => write!(f, "narrow {src} to {dst} as {}", format.name()),
            Step::Widen { format, src, operand: None, dst } => {
                write!(f, "widen {src} to {dst} from {}", format.name())
            }
            Step::Widen { format, src, operand: Some(operand), dst } => {
                write!(f, "reduce {operand} with {src} of {} into {dst}", format.name())
            }
            Step::Send { to, span } => {
                let ranks: Vec<String> = to.iter().map(u32::to_string).collect();
                write!(f, "send {span} to {}", ranks.join(","))
            }
            Step::Recv { from, dst } => write!(f, "receive {dst} from {from}"),
            Step::RecvReduce { from, operand, dst } if operand == dst => {
                write!(f, "receive {dst} from {from}, reduced into it")
            }
            Step::RecvReduce { from, operand, dst } => {
                write!(f, "receive {dst} from {from}, reduced with {operand}")
            }
        }
    }
}

/// Prints the steps on one line.
impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let separator = if index == 0 { "" } else { " | " };
            write!(f, "{separator}{step}")?;
        }
        Ok(())
    }
}

/// Prints one line per round.
impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, round) in self.rounds.iter().enumerate() {
            writeln!(f, "  round {index}  {round}")?;
        }
        Ok(())
    }
}

/// Prints the whole plan, one line per round.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes.iter().all(|lane| lane.rounds.is_empty()) {
            return writeln!(f, "nothing to do");
        }
        if self.scratch > 0 {
            writeln!(f, "scratch {} elements", self.scratch)?;
        }
        for (index, lane) in self.lanes.iter().enumerate() {
            write!(f, "lane {index}\n{lane}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(buffer: Buffer, offset: usize, len: usize) -> Span {
        Span { buffer, offset, len }
    }

    #[test]
    fn a_plan_prints_one_line_per_round() {
        let (own, all) = (span(Buffer::Input, 0, 4), span(Buffer::Output, 0, 4));
        let word = span(Buffer::Scratch, 7, 1);
        let exchange = vec![
            Step::Send { to: vec![1, 2], span: own },
            Step::RecvReduce { from: 1, operand: own, dst: all },
            Step::RecvReduce { from: 2, operand: all, dst: all },
        ];
        let local = vec![
            Step::Copy { src: word, dst: span(Buffer::Output, 0, 1) },
            Step::Reduce { a: own, b: all, dst: all },
        ];
        let plan = Plan {
            scratch: 8,
            lanes: vec![
                Lane { rounds: vec![Round { steps: exchange }, Round { steps: local }] },
                Lane { rounds: vec![Round { steps: vec![Step::Recv { from: 3, dst: word }] }] },
            ],
            ..Plan::default()
        };
        let expected = "\
scratch 8 elements
lane 0
  round 0  send Input[0..4) to 1,2 | receive Output[0..4) from 1, reduced with Input[0..4) | \
receive Output[0..4) from 2, reduced into it
  round 1  copy Scratch[7..8) to Output[0..1) | reduce Input[0..4) with Output[0..4) into Output[0..4)
lane 1
  round 0  receive Scratch[7..8) from 3
";
        assert_eq!(plan.to_string(), expected);
    }

    #[test]
    fn an_empty_plan_says_so() {
        assert_eq!(Plan::default().to_string(), "nothing to do\n");
    }
}
