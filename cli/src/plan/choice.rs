//! The algorithm for a call, and the reason for the choice.

use std::fmt::Write;

use anyccl_engine::algo::Algorithm;
use anyccl_engine::base::Result;
use anyccl_engine::cost::LinkModel;
use anyccl_engine::plan::PlanRequest;
use anyccl_engine::tuning::{Links, Tuning};
use serde_json::{Value, json};

use super::call::PlannedCall;
use super::units::{bytes, digits, seconds};

/// The engine's choice for a call.
pub struct Choice {
    /// The compared algorithms, the fastest first.
    candidates: Vec<Candidate>,
    /// The algorithm that the engine would use.
    pub chosen: &'static Algorithm,
    /// Whether the sums of the call travel between hosts in the format of `ANYCCL_WIRE`.
    is_narrow: bool,
}

/// An algorithm that was compared.
struct Candidate {
    algorithm: &'static Algorithm,
    /// Predicted time in microseconds.
    us: f64,
    /// Predicted time if bytes cost nothing: latencies, and work on messages.
    latency_us: f64,
}

impl Choice {
    /// Asks the engine. An error is the engine's: it would refuse the call.
    pub fn new(call: &PlannedCall, request: &PlanRequest) -> Result<Choice> {
        let weightless = weightless(&call.tuning);
        let us = |tuning: &Tuning, algorithm| tuning.predicted_us(algorithm, request, call.all_tcp);
        let narrow = call.narrow(request)?;
        let compared =
            call.tuning.candidates(request, call.all_tcp).into_iter().map(|(algorithm, _)| algorithm);
        let mut candidates: Vec<Candidate> = compared
            .chain(narrow)
            .map(|algorithm| Candidate {
                algorithm,
                us: us(&call.tuning, algorithm),
                latency_us: us(&weightless, algorithm),
            })
            .collect();
        // Stable sort: equal times keep the order of the table.
        candidates.sort_by(|a, b| a.us.total_cmp(&b.us));
        Ok(Choice { candidates, chosen: call.choose(request)?, is_narrow: narrow.is_some() })
    }

    /// The table, the reason, and the assumptions. `shown` is the algorithm that the user asks about.
    pub fn layout(&self, call: &PlannedCall, request: &PlanRequest, shown: &Algorithm) -> String {
        let mut text = format!(
            "{}\n\n  {:<20} {:>10} {:>10} {:>10}  {}\n",
            call.title(),
            "algorithm",
            "predicted",
            "latency",
            "bytes",
            "good for"
        );
        for Candidate { algorithm, us, latency_us } in &self.candidates {
            let mark = if algorithm.name == self.chosen.name { '*' } else { ' ' };
            let (name, summary) = (algorithm.name, algorithm.summary);
            let [all, latency, rest] = [*us, *latency_us, us - latency_us].map(|us| seconds(us * 1e-6));
            let _ = writeln!(text, "{mark} {name:<20} {all:>10} {latency:>10} {rest:>10}  {summary}");
        }
        for algorithm in call.tuning.rows(request.collective) {
            if let Some(why) = call.tuning.why_not(algorithm, request, call.all_tcp) {
                let name = algorithm.name;
                let mark = if name == self.chosen.name { '*' } else { ' ' };
                let _ = writeln!(text, "{mark} {name:<20} {0:>10} {0:>10} {0:>10}  {why}", "-");
            }
        }
        let _ = writeln!(text, "\nchosen: {}, {}", self.chosen.name, self.reason());
        if shown.name != self.chosen.name {
            let _ = writeln!(text, "shown:  {}, by --algorithm", shown.name);
        }
        let _ = writeln!(text, "assumed: {}", assumptions(call, request));
        text
    }

    fn cost(&self, algorithm: &Algorithm) -> Option<f64> {
        self.candidates.iter().find(|other| other.algorithm.name == algorithm.name).map(|found| found.us)
    }

    /// The fastest algorithm other than the chosen one.
    pub fn runner_up(&self) -> Option<&'static str> {
        self.candidates.iter().map(|row| row.algorithm.name).find(|&name| name != self.chosen.name)
    }

    /// The candidates as JSON, the fastest first.
    pub fn json(&self) -> Value {
        let row = |candidate: &Candidate| {
            json!({
                "algorithm": candidate.algorithm.name,
                "predicted_us": candidate.us,
                "latency_us": candidate.latency_us,
                "summary": candidate.algorithm.summary,
            })
        };
        self.candidates.iter().map(row).collect()
    }

    /// The reason, as the rest of a sentence that begins with the chosen algorithm.
    pub fn reason(&self) -> String {
        let Some(&Candidate { algorithm: fastest, us: least, .. }) = self.candidates.first() else {
            return "the only one that serves this call".into();
        };
        let ratio = |us: f64| match us > least {
            // Figures that agree in three digits do not differ.
            true if least > 0.0 && digits(us / least) != "1" => {
                format!("{} times as long", digits(us / least))
            }
            true if least == 0.0 => "longer".into(),
            _ => "as long".into(),
        };
        if fastest.name != self.chosen.name || self.is_narrow {
            // Only the user's choice comes before the prediction.
            let variable = if self.is_narrow { "ANYCCL_WIRE" } else { "ANYCCL_ALGORITHM" };
            let wants = format!("because {variable} wants it");
            if fastest.name == self.chosen.name {
                return format!("{wants}; predicted to be the fastest");
            }
            return match self.cost(self.chosen) {
                Some(us) => format!("{wants}; predicted to take {} as {}", ratio(us), fastest.name),
                None => format!("{wants}; {} was predicted to be the fastest", fastest.name),
            };
        }
        match self.candidates.get(1) {
            Some(second) => format!(
                "which is predicted to be the fastest; the runner-up, {}, would take {}",
                second.algorithm.name,
                ratio(second.us)
            ),
            None => "the only one that was compared".into(),
        }
    }
}

/// The tuning with links on which bytes cost nothing.
fn weightless(tuning: &Tuning) -> Tuning {
    let of = |link: LinkModel| LinkModel { us_per_byte: 0.0, reduce_us_per_byte: 0.0, ..link };
    tuning.clone().with_links(Links { shm: of(tuning.shm), tcp: of(tuning.tcp), ..Links::DEFAULT })
}

fn assumptions(call: &PlannedCall, request: &PlanRequest) -> String {
    let link = |link: &LinkModel| {
        let rate = digits(1e-3 / link.us_per_byte);
        format!("{} us, {rate} GB/s", digits(link.latency_us))
    };
    let tuning = &call.tuning;
    let within = if call.all_tcp { &tuning.tcp } else { &tuning.shm };
    let mut parts = vec![format!("within a host {}", link(within))];
    if request.topology.hosts() > 1 {
        parts.push(format!("between hosts {}", link(&tuning.tcp)));
    }
    parts.push(format!("reduction {} GB/s", digits(1e-3 / within.reduce_us_per_byte)));
    parts.push(format!("chunks of {}", bytes(tuning.chunk_bytes as u64)));
    parts.push(match tuning.ranks_per_core {
        0 | 1 => "a core for each rank".into(),
        ranks => format!("{ranks} ranks on a core"),
    });
    parts.join("; ")
}
