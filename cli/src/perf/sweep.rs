//! Measures a collective over all sizes.
//!
//! To compare algorithms, each gets a communicator in which it is forced. They take turns at each size, so
//! that other load on the machine affects all of them alike.

use std::sync::Arc;

use anyccl_engine::algo::NARROW;
use anyccl_engine::base::{Call, CallKind, Collective, Error};
use anyccl_engine::comm::Communicator;

use super::bandwidth::{bus_factor, gigabytes_per_second};
use super::bench::Bench;
use super::check::Case;
use super::measure::measure;
use super::memory::CollectiveCall;
use super::report::Row;
use super::sizes::size_of_call;
use super::statistics::Summary;
use crate::failure::Failure;

/// Measures and reports one collective. Returns whether all results were right.
pub fn sweep(bench: &mut Bench<'_>, collective: Collective) -> Result<bool, Failure> {
    let arguments = bench.arguments;
    let communicators = communicators(bench, collective)?;
    let counts = arguments.sweep().counts(collective, bench.ranks.size(), arguments.datatype.bytes());
    let places = if collective == Collective::Barrier { &[false] } else { arguments.places() };
    let steps = counts.len() * places.len() * communicators.len();
    bench.output.begin(collective.name(), steps);
    let mut right = true;
    'sizes: for &count in &counts {
        for &in_place in places {
            let mut rows = Vec::new();
            for comm in &communicators {
                let mut contest = Contest { bench, comm, collective, count, in_place };
                rows.extend(contest.row()?);
                bench.output.step();
            }
            right &= rows.iter().all(|row| row.correct != Some(false));
            bench.output.rows(&rows);
            if !bench.goes_on()? {
                break 'sizes;
            }
        }
    }
    for comm in communicators.iter().filter(|comm| !Arc::ptr_eq(comm, &bench.ranks.world)) {
        comm.finalize()?;
    }
    Ok(right)
}

/// The world, or one communicator for each algorithm to force.
fn communicators(bench: &Bench<'_>, collective: Collective) -> Result<Vec<Arc<Communicator>>, Failure> {
    let Some(names) = bench.arguments.forced(collective) else {
        return Ok(vec![Arc::clone(&bench.ranks.world)]);
    };
    let forced = |name| Ok(bench.ranks.with_algorithm(collective, name)?.shared());
    names.into_iter().map(forced).collect()
}

/// The measurement of one line of the report.
struct Contest<'a, 'b> {
    bench: &'a mut Bench<'b>,
    comm: &'a Communicator,
    collective: Collective,
    count: usize,
    in_place: bool,
}

impl Contest<'_, '_> {
    /// Checks and measures. `None` if the forced algorithm cannot serve this call.
    fn row(&mut self) -> Result<Option<Row>, Failure> {
        let (ranks, arguments) = (&self.bench.ranks, self.bench.arguments);
        let form = arguments.form();
        let call = self.call();
        let choice = |comm: &Communicator| comm.algorithm(&call).map(|row| row.name);
        let algorithm = match choice(self.comm) {
            Err(Error::Unsupported(_)) => return Ok(None),
            algorithm => algorithm?,
        };
        let place = (ranks.rank(), ranks.size());
        let mut memory = CollectiveCall::new(ranks.memory, (self.collective, call), place, self.in_place)?;
        let correct = if arguments.no_check { None } else { Some(self.is_right(&mut memory, algorithm)?) };
        // Zeros stay zeros, however often they are reduced in place.
        memory.write_input(|bytes| bytes.fill(0))?;
        memory.write_output(|bytes| bytes.fill(0))?;
        let samples = measure(ranks, arguments.effort(), |calls| {
            (0..calls).try_for_each(|_| memory.run(self.comm, form))
        })?;
        let label = || format!("{call} by {algorithm}");
        self.bench.tracer.record(ranks, label, || memory.run(self.comm, form))?;
        let time = Summary::of(&samples.seconds);
        let bytes = size_of_call(self.collective, ranks.size(), self.count, arguments.datatype.bytes());
        let bandwidth = gigabytes_per_second(bytes, time.median);
        Ok(Some(Row {
            collective: self.collective.name(),
            algorithm,
            chosen: choice(&ranks.world)? == algorithm,
            in_place: self.in_place,
            bytes,
            count: self.count,
            calls: samples.calls,
            samples: samples.seconds.len(),
            time_us: time.times(1e6),
            algorithm_bandwidth_gb_s: bandwidth,
            bus_bandwidth_gb_s: bandwidth * bus_factor(self.collective, ranks.size()),
            correct,
        }))
    }

    fn call(&self) -> Call {
        let arguments = self.bench.arguments;
        Call {
            kind: CallKind::Collective(self.collective),
            datatype: arguments.datatype,
            op: self.collective.reduces().then_some(arguments.op),
            root: if self.collective.has_root() { arguments.root } else { 0 },
            count: self.count as u64,
        }
    }

    /// Whether every rank got the result of the definition. A rank with a wrong result reports that itself.
    fn is_right(&self, memory: &mut CollectiveCall, algorithm: &str) -> Result<bool, Failure> {
        let (ranks, call) = (&self.bench.ranks, self.call());
        let case = Case {
            collective: self.collective,
            datatype: call.datatype,
            op: self.bench.arguments.op,
            root: call.root,
            count: self.count,
            rank: ranks.rank(),
            size: ranks.size(),
            is_narrow: NARROW.iter().any(|row| row.name == algorithm),
        };
        // The output must be cleared first, because in place the input lies in the output.
        memory.write_output(Case::clear)?;
        memory.write_input(|bytes| case.fill(bytes))?;
        memory.run(self.comm, self.bench.arguments.form())?;
        let wrong = memory.read_output(|bytes| case.first_wrong_element(bytes))?;
        if let Some(element) = wrong {
            let rank = ranks.rank();
            self.bench
                .output
                .complain(&format!("{call} by {algorithm}: element {element} is wrong on rank {rank}"));
        }
        Ok(ranks.all(wrong.is_none())?)
    }
}
