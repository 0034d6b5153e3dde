//! The table of docs/reliability.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::trial::Trial;

const BEGIN: &str = "<!-- The table is written by tests/failures/reliability. -->\n";
const HEAD: &str = "| fault | stage | transport | slowest survivor | what a survivor is told |
| --- | --- | --- | ---: | --- |
";

/// The result of a trial.
pub struct Row {
    pub trial: Trial,
    pub slowest: Duration,
    pub told: String,
}

/// Replaces process numbers and host names, which differ from run to run.
fn without_accidents(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("(host ") {
        let (_, behind) = after.split_once(')').unwrap_or((after, ""));
        out += &format!("{before}(host h, pid n)");
        rest = behind;
    }
    (out + rest).replace('|', "\\|")
}

/// Writes the rows into the page.
pub fn write(rows: &[Row]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reliability.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let (head, _) = page.split_once(BEGIN).expect("the page has a place for the table");
    let mut table = String::from(HEAD);
    for Row { trial, slowest, told } in rows {
        let (fault, stage, told) = (trial.fault_name(), trial.stage.name(), without_accidents(told));
        let (transport, slowest) = (trial.transport, slowest.as_millis());
        let _ = writeln!(table, "| {fault} | {stage} | {transport} | {slowest} ms | {told} |");
    }
    fs::write(&path, format!("{head}{BEGIN}\n{table}")).expect("the page can be written");
}
