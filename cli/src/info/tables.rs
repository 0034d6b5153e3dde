//! Tables of the engine as rows: algorithms, datatypes with their operators, variables.

use anyccl_engine::algo::ALGORITHMS;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::config::VARIABLES;
use serde::Serialize;

/// A collective and its algorithms.
#[derive(Serialize)]
pub struct CollectiveRow {
    /// Its name.
    pub name: &'static str,
    /// The algorithms, in the order of the engine's table.
    pub algorithms: Vec<AlgorithmRow>,
}

/// An algorithm.
#[derive(Serialize)]
pub struct AlgorithmRow {
    /// Name as in `ANYCCL_ALGORITHM`.
    pub name: &'static str,
    /// When the algorithm is good.
    pub summary: &'static str,
}

/// A datatype.
#[derive(Serialize)]
pub struct DatatypeRow {
    /// Its name.
    pub name: &'static str,
    /// Size of one element.
    pub bytes: usize,
    /// Names of the operators that it accepts.
    pub operators: Vec<&'static str>,
}

/// An environment variable.
#[derive(Serialize)]
pub struct VariableRow {
    /// Its name.
    pub name: &'static str,
    /// Value that applies when it is unset.
    pub default: &'static str,
    /// Its value now; `None` if it is unset.
    pub value: Option<String>,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
}

/// Every collective with its algorithms.
pub fn collectives() -> Vec<CollectiveRow> {
    let algorithms = |collective| {
        let rows = ALGORITHMS.iter().filter(move |row| row.collective == collective);
        rows.map(|row| AlgorithmRow { name: row.name, summary: row.summary }).collect()
    };
    Collective::ALL.map(|c| CollectiveRow { name: c.name(), algorithms: algorithms(c) }).into()
}

/// Every datatype with its operators.
pub fn datatypes() -> Vec<DatatypeRow> {
    let operators = |datatype| {
        let accepted = ReduceOp::ALL.into_iter().filter(move |op| op.accepts(datatype));
        accepted.map(ReduceOp::name).collect()
    };
    Datatype::ALL.map(|d| DatatypeRow { name: d.name(), bytes: d.bytes(), operators: operators(d) }).into()
}

/// Every variable with its value. The value of a secret is not shown.
pub fn variables() -> Vec<VariableRow> {
    let value = |name: &str| {
        let value = anyccl_engine::config::raw(name)?;
        Some(if name == "ANYCCL_JOB_KEY" { "(set, not shown)".to_string() } else { value })
    };
    let row = |v: &anyccl_engine::config::Variable| VariableRow {
        name: v.name,
        default: v.default,
        value: value(v.name),
        meaning: v.meaning,
    };
    VARIABLES.iter().map(row).collect()
}
