//! The call that `plan` and `simulate` examine, and the tuning of the environment.

use std::collections::BTreeSet;

use anyccl_engine::algo::{self, Algorithm, NARROW};
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::plan::{BlockLayout, PlanRequest};
use anyccl_engine::topology::Topology;
use anyccl_engine::tuning::Tuning;
use clap::Args;
use serde_json::{Value, json};

use super::units::{bytes, counted};
use crate::failure::Failure;
use crate::perf::sizes::{Sweep, parse_bytes, size_of_call};
use crate::spelling::{self, OneOf};

/// The call, without its collective and its ranks.
#[derive(Args)]
pub struct CallArguments {
    /// Bytes of the larger buffer of a rank: 512, 8K, 1G
    #[arg(short, long, default_value = "1M", value_parser = parse_bytes)]
    #[arg(allow_negative_numbers = true)]
    pub bytes: u64,
    /// Bytes of an element; with ANYCCL_WIRE, elements of 4 bytes are float32 and added
    #[arg(long, default_value = "4", value_parser = clap::value_parser!(u8).range(1..=16))]
    #[arg(allow_negative_numbers = true)]
    pub element: u8,
    /// Root of collectives that have one
    #[arg(long, default_value = "0")]
    #[arg(allow_negative_numbers = true)]
    pub root: Rank,
    /// Send and receive buffer coincide
    #[arg(long)]
    pub in_place: bool,
}

/// The collectives with one count.
pub const COLLECTIVE: OneOf<Collective> = OneOf { parse: collective, names };

/// Names of algorithms, of whichever collective. The collective that is asked for decides later.
pub const ALGORITHM: OneOf<String> = OneOf { parse: |text| Ok(text.to_string()), names: algorithm_names };

/// The names of all algorithms, each once.
pub fn algorithm_names() -> Vec<&'static str> {
    let names =
        Collective::UNIFORM.into_iter().flat_map(algo::of).chain(NARROW).map(|algorithm| algorithm.name);
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Collectives with a layout are not among them: they need more than a size to describe them.
pub fn names() -> Vec<&'static str> {
    Collective::UNIFORM.map(Collective::name).to_vec()
}

fn collective(text: &str) -> std::result::Result<Collective, String> {
    spelling::find(text, names()).and_then(Collective::from_name).ok_or_else(|| {
        format!("the collectives are {}{}", names().join(", "), spelling::did_you_mean(text, names()))
    })
}

/// The host of each rank, with consecutive ranks together.
pub fn host_labels(ranks: u32, hosts: u32) -> Vec<u64> {
    (0..ranks).map(|rank| u64::from(rank) * u64::from(hosts) / u64::from(ranks)).collect()
}

/// A call on certain hosts, with the tuning that the environment demands.
pub struct PlannedCall {
    pub topology: Topology,
    pub tuning: Tuning,
    /// Whether `ANYCCL_TRANSPORT=tcp` is set.
    pub all_tcp: bool,
    arguments: Shape,
}

#[derive(Clone, Copy)]
struct Shape {
    collective: Collective,
    bytes: u64,
    element: usize,
    root: Rank,
    in_place: bool,
}

impl PlannedCall {
    /// A call of `ranks` ranks on `hosts` hosts, with consecutive ranks together.
    pub fn new(
        collective: Collective,
        arguments: &CallArguments,
        ranks: u32,
        hosts: u32,
    ) -> std::result::Result<PlannedCall, Failure> {
        let usage = |text: String| Failure { code: 2, text };
        if hosts > ranks {
            return Err(usage(format!("{hosts} hosts need at least as many ranks, not {ranks}")));
        }
        if arguments.root >= ranks {
            return Err(usage(format!("--root {}: there are ranks 0 to {}", arguments.root, ranks - 1)));
        }
        let config = Config::from_environment()?;
        Ok(PlannedCall {
            topology: Topology::from_labels(&host_labels(ranks, hosts)),
            tuning: Tuning::from_config(&config)?,
            all_tcp: config.transport == TransportChoice::Tcp,
            arguments: Shape {
                collective,
                bytes: arguments.bytes,
                element: usize::from(arguments.element),
                root: if collective.has_root() { arguments.root } else { 0 },
                in_place: arguments.in_place,
            },
        })
    }

    /// The call with `ranks_per_core` ranks on each core, which a communicator finds out when it is made.
    pub fn oversubscribed(self, ranks_per_core: u32) -> PlannedCall {
        PlannedCall { tuning: self.tuning.oversubscribed(ranks_per_core), ..self }
    }

    /// The request of rank 0.
    pub fn request(&self) -> PlanRequest<'_> {
        self.request_of(self.arguments.bytes)
    }

    /// The request of this call with another size.
    pub fn request_of(&self, bytes: u64) -> PlanRequest<'_> {
        let Shape { collective, element, root, in_place, .. } = self.arguments;
        let size = self.topology.size();
        let is_barrier = collective == Collective::Barrier;
        let counts = Sweep { min: bytes, max: bytes, factor: 2 }.counts(collective, size, element);
        PlanRequest {
            collective,
            size,
            rank: 0,
            root,
            count: if bytes == 0 { 0 } else { counts[0] },
            element_bytes: if is_barrier { 1 } else { element },
            in_place,
            chunk_bytes: self.tuning.chunk_bytes,
            topology: &self.topology,
            layout: BlockLayout::NONE,
        }
    }

    /// The algorithm of a request whose sums travel between hosts in the format of `ANYCCL_WIRE`. `None`: all
    /// travels at full width.
    pub fn narrow(&self, request: &PlanRequest) -> Result<Option<&'static Algorithm>> {
        let sum = (Datatype::Float32, ReduceOp::Sum);
        let place = (request.size, request.topology.hosts());
        let format = self.tuning.format_of(request.collective, sum, request.count, place);
        let format = format.filter(|_| request.element_bytes == Datatype::Float32.bytes());
        format.map(|format| self.tuning.choose_narrow(request, format)).transpose()
    }

    /// The algorithm that the engine would use for a request.
    pub fn choose(&self, request: &PlanRequest) -> Result<&'static Algorithm> {
        match self.narrow(request)? {
            Some(algorithm) => Ok(algorithm),
            None => self.tuning.choose(request, self.all_tcp),
        }
    }

    /// The algorithms that can be shown for a request.
    pub fn algorithms(&self, request: &PlanRequest) -> Vec<&'static Algorithm> {
        algo::of(request.collective).chain(self.narrow(request).ok().flatten()).collect()
    }

    /// The call as a JSON object.
    pub fn json(&self) -> Value {
        let request = self.request();
        json!({
            "collective": request.collective.name(),
            "ranks": request.size,
            "hosts": self.topology.hosts(),
            "bytes": self.bytes(&request),
            "count": request.count,
            "element_bytes": request.element_bytes,
            "root": request.collective.has_root().then_some(request.root),
            "in_place": request.in_place,
            "chunk_bytes": request.chunk_bytes,
        })
    }

    /// Bytes of the larger buffer.
    pub fn bytes(&self, request: &PlanRequest) -> u64 {
        size_of_call(request.collective, request.size, request.count, request.element_bytes)
    }

    /// Title of a heading: `all_reduce of 1 MiB on 16 ranks, 2 hosts`.
    pub fn title(&self) -> String {
        let request = self.request();
        let of = match request.collective {
            Collective::Barrier => String::new(),
            _ => {
                let [asked, rounded] = [self.arguments.bytes, self.bytes(&request)].map(bytes);
                let from = if asked == rounded { String::new() } else { format!(" (from {asked})") };
                format!(" of {rounded}{from}")
            }
        };
        let place = if request.in_place { " in place" } else { "" };
        let root = match request.collective.has_root() {
            true => format!(", root {}", request.root),
            false => String::new(),
        };
        let called = format!("{}{of}{place}{root}", request.collective.name());
        self.on().replacen(request.collective.name(), &called, 1)
    }

    /// Title of a heading for many sizes: `all_reduce on 16 ranks, 2 hosts`.
    pub fn on(&self) -> String {
        let hosts = self.topology.hosts();
        let hosts = if hosts == 1 { "one host".into() } else { format!("{hosts} hosts") };
        let ranks = counted(u64::from(self.topology.size()), "rank");
        format!("{} on {ranks}, {hosts}", self.arguments.collective.name())
    }
}
