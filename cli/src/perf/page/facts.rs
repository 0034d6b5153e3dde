//! The facts of a run: what was asked for, the machines, and what is doubtful.

use crate::markup::escape;
use crate::perf::report::Header;

use super::table::Column::{Numbers, Words};
use super::table::Table;

/// The settings and the machines.
pub fn facts(header: &Header) -> String {
    let mut facts = vec![
        ("date", header.date.clone()),
        ("anyccl", header.anyccl.into()),
        ("ranks", header.ranks.to_string()),
        ("hosts", header.hosts.to_string()),
        ("transport", header.transports_in_words()),
    ];
    facts.extend(header.operands());
    facts.extend([
        ("kernels", header.kernels.into()),
        ("calls", header.calls.into()),
        ("memory", header.memory_in_words()),
    ]);
    let line =
        |(name, value): (&str, String)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escape(&value));
    let facts: String = facts.into_iter().map(line).collect();
    format!("<dl>\n{facts}</dl>\n{}", machines(header))
}

fn machines(header: &Header) -> String {
    let mut table = Table::new(&[
        Words("host"),
        Words("processor"),
        Numbers("cores"),
        Numbers("quota"),
        Numbers("ranks"),
    ]);
    for machine in &header.machines {
        let quota = machine.quota_cores.map_or_else(|| "none".into(), |cores| format!("{cores:.1}"));
        let (cores, ranks) = (machine.cores.to_string(), machine.ranks.to_string());
        table.add(None, [machine.host.clone(), machine.processor.clone(), cores, quota, ranks]);
    }
    table.html("Machines")
}

/// What is doubtful; empty without doubts.
pub fn warnings(warnings: &[String]) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let lines: String = warnings.iter().map(|warning| format!("<li>{}</li>\n", escape(warning))).collect();
    format!("<h2>Warnings</h2>\n<ul class=\"warnings\">\n{lines}</ul>\n")
}
