//! The report in words.

use super::numbers::JobReport;
use crate::plan::units::{bytes, seconds};

/// Most ranks that are listed.
const MOST_RANKS: usize = 64;

pub fn of_all(reports: &[JobReport]) -> String {
    reports.iter().map(of_job).collect::<Vec<_>>().join("\n")
}

fn of_job(report: &JobReport) -> String {
    let mut text = format!(
        "job {}, {} ranks, {}: {:.1} % in calls; imbalance of the time outside {:.1} %\n",
        report.job,
        report.size,
        seconds(report.seconds),
        report.communication_share * 100.0,
        report.imbalance * 100.0
    );
    remarks(report).iter().for_each(|remark| text += &format!("  {remark}\n"));
    text += &format!(
        "  {:>6}{:>10}{:>12}{:>12}{:>12}{:>14}{:>12}\n",
        "rank", "calls", "in calls", "waiting", "outside", "kept waiting", "sent"
    );
    for rank in report.ranks.iter().take(MOST_RANKS) {
        text += &format!(
            "  {:>6}{:>10}{:>12}{:>12}{:>12}{:>14}{:>12}{}\n",
            rank.rank,
            rank.calls,
            seconds(rank.communication_seconds),
            seconds(rank.waiting_seconds),
            seconds(rank.outside_seconds),
            seconds(rank.kept_waiting_seconds),
            bytes(rank.sent_bytes),
            if rank.failed > 0 { format!("  {} failed", rank.failed) } else { String::new() }
        );
    }
    if report.ranks.len() > MOST_RANKS {
        text += &format!("  and {} more ranks; --json has all\n", report.ranks.len() - MOST_RANKS);
    }
    text += &format!("  {:<24}{:>10}{:>12}{:>12}{:>12}\n", "call", "calls", "bytes", "time", "waiting");
    for class in &report.calls {
        text += &format!(
            "  {:<24}{:>10}{:>12}{:>12}{:>12}\n",
            class.call,
            class.calls,
            bytes(class.bytes),
            seconds(class.seconds),
            seconds(class.waiting_seconds)
        );
    }
    if !report.pairs.is_empty() {
        text += "  busiest pairs:\n";
    }
    for pair in &report.pairs {
        let times = if pair.messages == 1 { "message" } else { "messages" };
        text += &format!(
            "    rank {} to rank {}: {} in {} {times}\n",
            pair.from,
            pair.to,
            bytes(pair.bytes),
            pair.messages
        );
    }
    text
}

/// What a reader must know of the files.
pub fn remarks(report: &JobReport) -> Vec<String> {
    let list =
        |ranks: &[u32]| ranks.iter().take(MOST_RANKS).map(u32::to_string).collect::<Vec<_>>().join(", ");
    let mut remarks = Vec::new();
    if !report.unknown.is_empty() {
        remarks.push(format!("no file of rank {}", list(&report.unknown)));
    }
    if !report.cut.is_empty() {
        remarks.push(format!("the end is missing in the file of rank {}", list(&report.cut)));
    }
    for clock in &report.clocks {
        remarks.push(match clock.uncertain_by_ns {
            Some(by) => {
                format!("times of host {} may be off by {}", clock.host, seconds(by as f64 / 1e9))
            }
            None => format!("times of host {} are those of its calendar, which may be wrong", clock.host),
        });
    }
    remarks
}
