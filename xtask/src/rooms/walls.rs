//! Walls between the rooms of the engine: which room may use which.

use super::arrows::Arrows;
use super::crate_files::CrateFiles;

/// The rooms from the ground up, each with those that it uses. docs/architecture.md says what each does. A
/// room can only use rooms above it in this list.
const ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("sys", &[]),
    ("topology", &["base"]),
    ("plan", &["base", "topology"]),
    ("cost", &["base", "plan"]),
    ("algo", &["base", "topology", "plan", "cost"]),
    ("observe", &["base", "sys"]),
    ("config", &["base", "observe"]),
    ("reduce", &["base", "sys"]),
    ("memory", &["base", "sys"]),
    ("device", &["base", "sys", "config", "memory"]),
    ("transport", &["base", "sys", "memory"]),
    ("endpoint", &["base", "sys", "transport"]),
    ("bootstrap", &["base", "sys", "config", "transport"]),
    ("tuning", &["base", "sys", "plan", "cost", "algo", "config"]),
    ("executor", &["base", "sys", "plan", "observe", "reduce", "memory", "transport", "endpoint"]),
    ("p2p", &["base", "sys", "transport"]),
    ("progress", &["base", "sys", "observe", "memory", "transport", "endpoint", "executor", "p2p"]),
    ("backend", &["base", "sys", "plan", "config", "reduce", "device"]),
    ("simulate", &["base", "plan", "cost", "algo", "tuning"]),
    (
        "comm",
        &[
            "base",
            "sys",
            "topology",
            "plan",
            "algo",
            "observe",
            "config",
            "cost",
            "simulate",
            "reduce",
            "device",
            "transport",
            "endpoint",
            "bootstrap",
            "tuning",
            "executor",
            "p2p",
            "progress",
            "backend",
        ],
    ),
];

/// What breaks a wall, a line for each: an arrow that the list lacks, and one of the list that nobody needs.
pub fn broken(all: &CrateFiles, arrows: &Arrows) -> Vec<String> {
    let mut findings = Vec::new();
    let mut unused: Vec<(&str, &str)> =
        ROOMS.iter().flat_map(|(room, uses)| uses.iter().map(move |used| (*room, *used))).collect();
    for ((from, to), names) in arrows {
        let (from, to) = (all.files[*from].as_str(), all.files[*to].as_str());
        let (Some(room), Some(used)) = (room_of(from), room_of(to)) else { continue };
        if room == used {
            continue;
        }
        unused.retain(|arrow| *arrow != (room, used));
        if !ROOMS.iter().any(|(listed, uses)| *listed == room && uses.contains(&used)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            findings.push(format!("{room} may not use {used}: {from} uses {to}: {}", names.join(", ")));
        }
    }
    findings
        .extend(unused.iter().map(|(room, used)| format!("{room} does not use {used}, as the list says")));
    findings.extend(climbing().map(|(room, used)| format!("in the list, {used} must stand above {room}")));
    findings
}

/// The room of a file of the engine.
fn room_of(path: &str) -> Option<&str> {
    path.strip_prefix("src/")?.split_once('/').map(|(room, _)| room)
}

/// Arrows of the list that climb.
fn climbing() -> impl Iterator<Item = (&'static str, &'static str)> {
    let stands_at = |room: &str| ROOMS.iter().position(|(listed, _)| *listed == room);
    let all = ROOMS.iter().flat_map(|(room, uses)| uses.iter().map(move |used| (*room, *used)));
    all.filter(move |(room, used)| stands_at(used).is_none_or(|at| Some(at) >= stands_at(room)))
}
