//! The machine that executes plans on the memory of all ranks, with symbolic values.

use super::algebra::{Algebra, NarrowPlace};
use super::layout::Layout;
use super::matching::{MatchedPair, Messages, step_at};
use super::schedule::{Content, Schedule};
use super::violation::{Site, Violation};
use crate::base::{Rank, WireFormat};
use crate::plan::{Buffer, Plan, PlanRequest, Round, Span, Step};

/// Output of each rank; `None` where undefined.
pub(super) type Outputs<A> = Vec<Vec<Option<A>>>;

/// Memory of all ranks, in symbolic values.
pub(super) struct Machine<'a, A> {
    plans: &'a [Plan],
    layouts: &'a [Layout],
    cells: Vec<Vec<Option<A>>>,
    /// Received values, held back until their round ends. Sends and operands read `cells`, which is the state
    /// when the transfers began.
    staged: Vec<Vec<Option<A>>>,
    /// The numbers of each narrow form that was made.
    forms: Vec<(WireFormat, Vec<A>)>,
}

/// What the ranks get by plans that [`super::verify_each`] has accepted for these requests, in another
/// algebra.
///
/// # Panics
/// If `verify_each` would not accept the plans.
pub(super) fn outputs_of_verified<A: Algebra>(plans: &[Plan], requests: &[PlanRequest]) -> Outputs<A> {
    let layout = |(request, plan): (&PlanRequest, &Plan)| {
        Layout::new(request, request.rank, request.in_place, plan.scratch)
    };
    let layouts: Vec<Layout> = requests.iter().zip(plans).map(layout).collect();
    let messages = Messages::match_up(plans).expect("they have been verified");
    Machine::run(plans, &layouts, &messages, &requests[0]).expect("they have been verified")
}

impl<'a, A: Algebra> Machine<'a, A> {
    /// Executes the plans and returns the output of each rank.
    pub(super) fn run(
        plans: &'a [Plan],
        layouts: &'a [Layout],
        messages: &'a Messages,
        request: &PlanRequest,
    ) -> Result<Outputs<A>, Violation> {
        let mut machine = Machine {
            plans,
            layouts,
            cells: layouts.iter().map(|layout| vec![None; layout.cells()]).collect(),
            staged: layouts.iter().map(|layout| vec![None; layout.cells()]).collect(),
            forms: Vec::new(),
        };
        for (rank, (layout, cells)) in (0..request.size).zip(layouts.iter().zip(&mut machine.cells)) {
            for (element, cell) in cells[layout.window(Buffer::Input)].iter_mut().enumerate() {
                *cell = Some(A::contribution(rank, element));
            }
        }
        Schedule::run(plans, messages, &mut machine)?;
        let output = |(layout, cells): (&Layout, Vec<_>)| cells[layout.window(Buffer::Output)].to_vec();
        Ok(layouts.iter().zip(machine.cells).map(output).collect())
    }

    fn read(&self, site: Site, cell: usize) -> Result<&A, Violation> {
        let rank = site.rank as usize;
        self.cells[rank][cell].as_ref().ok_or_else(|| {
            let (buffer, element) = self.layouts[rank].name_cell(cell);
            Violation::UndefinedRead { site, buffer, element }
        })
    }

    fn narrow(&mut self, site: Site, format: WireFormat, src: Span, dst: Span) -> Result<(), Violation> {
        let numbers = self.cells_of(site.rank, src).map(|cell| self.read(site, cell).map(A::rounded));
        let numbers = numbers.collect::<Result<Vec<A>, Violation>>()?;
        let form = self.forms.len();
        self.forms.push((format, numbers));
        for (element, to) in (0..).zip(self.cells_of(site.rank, dst)) {
            self.cells[site.rank as usize][to] = Some(A::narrow(NarrowPlace { form, element }));
        }
        Ok(())
    }

    fn widen(
        &mut self,
        site: Site,
        format: WireFormat,
        (src, operand, dst): (Span, Option<Span>, Span),
    ) -> Result<(), Violation> {
        let places = self.cells_of(site.rank, src).map(|cell| self.read(site, cell).map(A::narrow_place));
        let places = places.collect::<Result<Vec<_>, Violation>>()?;
        let first = places.first().copied().flatten().ok_or(Violation::NotNarrow { site })?;
        let is_whole =
            (0..).zip(&places).all(|(element, place)| *place == Some(NarrowPlace { element, ..first }));
        let (made_as, numbers) = &self.forms[first.form];
        if !is_whole || *made_as != format || numbers.len() != dst.len {
            return Err(Violation::NotNarrow { site });
        }
        let numbers = numbers.clone();
        let operand = operand.map(|operand| self.cells_of(site.rank, operand).start);
        for (at, (number, to)) in numbers.into_iter().zip(self.cells_of(site.rank, dst)).enumerate() {
            let value = match operand {
                None => number,
                Some(operand) => self.read(site, operand + at)?.reduce(&number),
            };
            self.cells[site.rank as usize][to] = Some(value);
        }
        Ok(())
    }

    fn cells_of(&self, rank: Rank, span: Span) -> std::ops::Range<usize> {
        self.layouts[rank as usize].cells_of(span)
    }
}

impl<A: Algebra> Content for Machine<'_, A> {
    fn enter(&mut self, site: Site, round: &Round) -> Result<(), Violation> {
        let rank = site.rank;
        for (index, step) in (0..).zip(&round.steps) {
            let site = Site { step: index, ..site };
            match *step {
                Step::Copy { src, dst } => {
                    for (from, to) in self.cells_of(rank, src).zip(self.cells_of(rank, dst)) {
                        self.cells[rank as usize][to] = Some(self.read(site, from)?.clone());
                    }
                }
                Step::Reduce { a, b, dst } => {
                    let operands = self.cells_of(rank, a).zip(self.cells_of(rank, b));
                    for ((a, b), to) in operands.zip(self.cells_of(rank, dst)) {
                        let value = self.read(site, a)?.reduce(self.read(site, b)?);
                        self.cells[rank as usize][to] = Some(value);
                    }
                }
                Step::Narrow { format, src, dst } => self.narrow(site, format, src, dst)?,
                Step::Widen { format, src, operand, dst } => self.widen(site, format, (src, operand, dst))?,
                Step::Send { .. } | Step::Recv { .. } | Step::RecvReduce { .. } => {}
            }
        }
        Ok(())
    }

    fn deliver(&mut self, message: &MatchedPair) -> Result<(), Violation> {
        let Step::Send { span, .. } = *step_at(self.plans, message.send) else {
            unreachable!("a message begins with a send")
        };
        let (operand, dst) = match *step_at(self.plans, message.receive) {
            Step::Recv { dst, .. } => (None, dst),
            Step::RecvReduce { operand, dst, .. } => (Some(operand), dst),
            _ => unreachable!("a message ends with a receive"),
        };
        let receiver = message.receive.rank;
        let source = self.cells_of(message.send.rank, span).start;
        let target = self.cells_of(receiver, dst).start;
        let operand = operand.map(|operand| self.cells_of(receiver, operand).start);
        for i in 0..dst.len {
            let sent = self.read(message.send, source + i)?;
            let value = match operand {
                None => sent.clone(),
                Some(operand) => self.read(message.receive, operand + i)?.reduce(sent),
            };
            self.staged[receiver as usize][target + i] = Some(value);
        }
        Ok(())
    }

    fn leave(&mut self, site: Site, round: &Round) {
        for step in &round.steps {
            if let Step::Recv { dst, .. } | Step::RecvReduce { dst, .. } = *step {
                let rank = site.rank as usize;
                for cell in self.cells_of(site.rank, dst) {
                    self.cells[rank][cell] = self.staged[rank][cell].take();
                }
            }
        }
    }
}
