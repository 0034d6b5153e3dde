//! Parsers for the words of the command line.

use std::path::PathBuf;
use std::str::FromStr;

use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::config::MemoryKind;
use serde::{Serialize, Serializer};

use crate::plan::call::algorithm_names;
use crate::spelling::{self, OneOf};

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One collective.
    Collective(Collective),
    /// Every collective.
    All,
    /// Transfers between ranks 0 and 1.
    SendRecv,
    /// Transfers between every pair of ranks.
    Matrix,
}

/// Calls in one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// The number that calibration finds.
    Auto,
    /// The number that the user gave.
    Fixed(u64),
}

/// Destination of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output, written as `-`.
    Stdout,
    /// A file.
    File(PathBuf),
}

const ALL: &str = "all";
const SEND_RECV: &str = "send_recv";
const MATRIX: &str = "p2p-matrix";

/// Parsers by which shells complete the names.
pub const WHAT: OneOf<What> = OneOf { parse: str::parse, names: What::names };
pub const DATATYPE: OneOf<Datatype> =
    OneOf { parse: datatype, names: || Datatype::ALL.map(Datatype::name).to_vec() };
pub const OPERATOR: OneOf<ReduceOp> =
    OneOf { parse: operator, names: || ReduceOp::ALL.map(ReduceOp::name).to_vec() };
/// Name in `--algorithms` for all algorithms of the collective.
pub const EVERY_ALGORITHM: &str = "all";
pub const ALGORITHMS: OneOf<String> = OneOf {
    parse: |text| Ok(text.to_string()),
    names: || [EVERY_ALGORITHM].into_iter().chain(algorithm_names()).collect(),
};
pub const MEMORY: OneOf<MemoryKind> =
    OneOf { parse: memory_kind, names: || MemoryKind::ALL.map(MemoryKind::name).to_vec() };

impl What {
    /// All words.
    fn names() -> Vec<&'static str> {
        Collective::UNIFORM.map(Collective::name).into_iter().chain([ALL, SEND_RECV, MATRIX]).collect()
    }

    /// The collectives; none for transfers.
    pub fn collectives(self) -> Vec<Collective> {
        match self {
            What::Collective(collective) => vec![collective],
            What::All => Collective::UNIFORM.to_vec(),
            What::SendRecv | What::Matrix => Vec::new(),
        }
    }

    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            What::Collective(collective) => collective.name(),
            What::All => ALL,
            What::SendRecv => SEND_RECV,
            What::Matrix => MATRIX,
        }
    }
}

impl Serialize for What {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl FromStr for What {
    type Err = String;

    fn from_str(text: &str) -> Result<What, String> {
        let names = What::names;
        match spelling::find(text, names()) {
            Some(ALL) => Ok(What::All),
            Some(SEND_RECV) => Ok(What::SendRecv),
            Some(MATRIX) => Ok(What::Matrix),
            name => name.and_then(Collective::from_name).map(What::Collective).ok_or_else(|| {
                let known = listed(Collective::UNIFORM.map(Collective::name));
                let question = spelling::did_you_mean(text, names());
                format!("expected {known}, {SEND_RECV}, {MATRIX} or {ALL}{question}")
            }),
        }
    }
}

impl FromStr for Iterations {
    type Err = String;

    fn from_str(text: &str) -> Result<Iterations, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(Iterations::Auto),
            (_, Ok(calls)) if calls > 0 => Ok(Iterations::Fixed(calls)),
            _ => Err("expected auto or a number of calls, at least 1".into()),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        match text {
            "" => Err("expected the name of a file, or - for standard output".into()),
            "-" => Ok(Target::Stdout),
            path => Ok(Target::File(path.into())),
        }
    }
}

/// Parses the name of a datatype.
fn datatype(text: &str) -> Result<Datatype, String> {
    let names = || Datatype::ALL.map(Datatype::name);
    let known = || format!("expected {}{}", listed(names()), spelling::did_you_mean(text, names()));
    Datatype::ALL.into_iter().find(|datatype| datatype.name() == text).ok_or_else(known)
}

/// Parses the name of a kind of memory.
fn memory_kind(text: &str) -> Result<MemoryKind, String> {
    let known = || format!("expected {}", listed(MemoryKind::ALL.map(MemoryKind::name)));
    MemoryKind::ALL.into_iter().find(|memory| memory.name() == text).ok_or_else(known)
}

/// Parses the name of an operator.
fn operator(text: &str) -> Result<ReduceOp, String> {
    let names = || ReduceOp::ALL.map(ReduceOp::name);
    let known = || format!("expected {}{}", listed(names()), spelling::did_you_mean(text, names()));
    ReduceOp::ALL.into_iter().find(|op| op.name() == text).ok_or_else(known)
}

/// Names separated by commas, for a message.
pub fn listed(names: impl IntoIterator<Item = &'static str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
