//! All algorithms of a collective, simulated for one size or many.

use anyccl_engine::algo::Algorithm;
use anyccl_engine::plan::PlanRequest;
use anyccl_engine::simulate::{Limits, Prediction, Skipped, simulate};

use super::cluster::Cluster;
use crate::failure::Failure;
use crate::perf::sizes::Sweep;
use crate::plan::call::PlannedCall;
use crate::progress::Progress;

/// One algorithm, with its prediction.
pub struct Row {
    pub algorithm: &'static Algorithm,
    pub outcome: Result<Prediction, Skipped>,
}

impl Row {
    /// Key for sorting: algorithms without a prediction come last.
    pub fn seconds(&self) -> f64 {
        self.outcome.as_ref().map_or(f64::INFINITY, |outcome| outcome.seconds)
    }
}

/// The algorithms of a collective, the fastest first.
pub struct Comparison<'a> {
    pub request: PlanRequest<'a>,
    pub rows: Vec<Row>,
    /// The algorithm that a library on these links would use, or the reason why it would refuse.
    pub chosen: Result<&'static str, String>,
}

impl<'a> Comparison<'a> {
    /// Simulates all algorithms, each a step of `progress`.
    fn new(
        cluster: &Cluster,
        call: &PlannedCall,
        request: PlanRequest<'a>,
        progress: &Progress,
    ) -> Comparison<'a> {
        let limits = Limits::default();
        let row = |algorithm| {
            let outcome = simulate(algorithm, &request, &cluster.model, &limits);
            progress.step();
            Row { algorithm, outcome }
        };
        let mut rows: Vec<Row> = call.algorithms(&request).into_iter().map(row).collect();
        // Stable sort: equal times keep the order of the table.
        rows.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        let narrow = call.narrow(&request);
        let chosen = narrow.and_then(|row| row.map_or_else(|| cluster.tuning.choose(&request, false), Ok));
        let chosen = chosen.map(|algorithm| algorithm.name).map_err(|error| error.to_string());
        Comparison { request, rows, chosen }
    }

    /// Simulates all sizes of a sweep, and its largest one. Sizes below one element per rank are the same
    /// call, which is simulated once.
    pub fn of_sizes(cluster: &Cluster, call: &'a PlannedCall, sweep: Sweep) -> Vec<Comparison<'a>> {
        let mut requests: Vec<PlanRequest<'a>> =
            sweep.bytes().chain([sweep.max]).map(|bytes| call.request_of(bytes)).collect();
        requests.dedup_by_key(|request| request.count);
        let algorithms = requests.iter().map(|request| call.algorithms(request).len()).sum();
        let progress = Progress::new("simulate", algorithms);
        requests.into_iter().map(|request| Comparison::new(cluster, call, request, &progress)).collect()
    }

    /// The row of an algorithm, if it is one of this collective.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.algorithm.name == name)
    }

    /// The row that the user asked for.
    pub fn named(&self, name: &str) -> Result<&Row, Failure> {
        self.row(name).ok_or_else(|| {
            let known: Vec<_> = self.rows.iter().map(|row| row.algorithm.name).collect();
            let collective = self.request.collective.name();
            let text = format!("{collective} has no algorithm {name}; it has {}", known.join(", "));
            Failure { code: 2, text }
        })
    }

    /// The fastest row, if any could be simulated.
    pub fn fastest(&self) -> Option<&Row> {
        self.rows.first().filter(|row| row.outcome.is_ok())
    }

    /// The time of the chosen algorithm relative to the fastest: 1 if it is the fastest.
    pub fn loss(&self) -> Option<f64> {
        let (chosen, fastest) = (self.row(self.chosen.as_ref().ok()?)?.seconds(), self.fastest()?.seconds());
        (chosen.is_finite() && fastest > 0.0).then_some(chosen / fastest)
    }
}
