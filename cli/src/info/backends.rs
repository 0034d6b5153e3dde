//! The foreign engines: which of them are installed, and how each would serve calls.

use anyccl_engine::backend::capability::{operators_of, support};
use anyccl_engine::backend::{ForeignEngine, MemoryKind, Shape, registry};
use anyccl_engine::base::{Collective, Datatype};
use serde::Serialize;

/// An engine.
#[derive(Serialize)]
pub struct Backend {
    /// Name as in `ANYCCL_BACKEND`.
    pub name: &'static str,
    /// Kinds of memory that it serves.
    pub memory: Vec<&'static str>,
    /// Its own version text; `None` if it was not found.
    pub version: Option<String>,
    /// The file from which it was loaded.
    pub path: Option<String>,
    /// The reason why it was not found.
    pub error: Option<String>,
    /// How each collective is served if this engine is chosen.
    pub collectives: Vec<Served>,
}

/// How a collective is served.
#[derive(Serialize)]
pub struct Served {
    /// The collective.
    pub collective: &'static str,
    /// The ways in which it is served.
    pub ways: Vec<Way>,
}

/// One way to serve a collective, and the datatypes served in that way.
#[derive(Serialize)]
pub struct Way {
    /// "native", "composed: ..." or "builtin".
    pub how: String,
    /// The datatypes. If only some operators of a datatype go this way, each of them is named.
    pub datatypes: Vec<String>,
}

/// Looks for every foreign engine. The builtin one is not asked: it serves everything.
pub fn backends() -> Vec<Backend> {
    let of = |entry: &registry::Entry| {
        let memory = MemoryKind::ALL.into_iter().filter(|memory| entry.name.serves(*memory));
        let mut backend = Backend {
            name: entry.name.name(),
            memory: memory.clone().map(MemoryKind::name).collect(),
            version: None,
            path: None,
            error: None,
            collectives: Vec::new(),
        };
        match entry.open() {
            Err(error) => backend.error = Some(error.to_string()),
            Ok(engine) => {
                backend.version = Some(engine.version());
                backend.path = Some(engine.path());
                let collectives =
                    memory.take(1).flat_map(|memory| Collective::ALL.map(|collective| (memory, collective)));
                backend.collectives =
                    collectives.map(|(memory, collective)| served(&*engine, memory, collective)).collect();
            }
        }
        backend
    };
    registry::ENGINES.iter().map(of).collect()
}

fn served(engine: &dyn ForeignEngine, memory: MemoryKind, collective: Collective) -> Served {
    let mut ways: Vec<Way> = Vec::new();
    let mut note = |how: String, what: String| match ways.iter_mut().find(|way| way.how == how) {
        Some(way) => way.datatypes.push(what),
        None => ways.push(Way { how, datatypes: vec![what] }),
    };
    for datatype in Datatype::ALL {
        let how = |op| support(engine, &Shape { collective, datatype, op, memory }).to_string();
        let operators = operators_of(collective, datatype);
        let answers: Vec<String> = operators.iter().map(|op| how(*op)).collect();
        match &answers[..] {
            [first, rest @ ..] if rest.iter().all(|answer| answer == first) => {
                note(first.clone(), datatype.name().to_string());
            }
            _ => {
                for (op, answer) in operators.iter().flatten().zip(answers) {
                    note(answer, format!("{} {}", datatype.name(), op.name()));
                }
            }
        }
    }
    Served { collective: collective.name(), ways }
}
