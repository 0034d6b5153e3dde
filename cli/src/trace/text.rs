//! The reports in words.

use super::calls::{CommReport, LateCall, RankReport};
use super::files::State;
use super::messages::Messages;

/// Most ranks that are listed.
const MOST_RANKS: usize = 24;

pub fn of_all(reports: &[CommReport]) -> String {
    if reports.is_empty() {
        return "the files have no communicator with several ranks\n".into();
    }
    reports.iter().map(of_comm).collect::<Vec<_>>().join("\n")
}

fn of_comm(report: &CommReport) -> String {
    let CommReport { name, size, compared, .. } = report;
    let mut text = format!("\"{name}\", {size} ranks of job {}: {compared} calls compared\n", report.job);
    if !report.unknown.is_empty() {
        text += &format!("  no file of rank {}\n", list(&report.unknown));
    }
    if report.on_several_hosts {
        text += "  the ranks are on several hosts: their clocks may differ by more than they were late\n";
    }
    if let Some(mismatch) = &report.mismatch {
        text += &format!("  different calls have number {}:\n", mismatch.number);
        let calls = mismatch.calls.iter().take(MOST_RANKS);
        calls.for_each(|(rank, call)| text += &format!("    rank {rank}: {call}\n"));
    }
    if let Some(unmade) = &report.unmade {
        text += &format!(
            "  {} #{}: rank {} has not made it, rank {} has\n",
            unmade.call,
            unmade.number,
            list(&unmade.not_made_by),
            list(&unmade.made_by)
        );
    }
    if *compared > 0 {
        text += "  who kept the others waiting:\n";
        report.ranks.iter().take(MOST_RANKS).for_each(|rank| text += &of_rank(rank, *compared));
        text += "  the calls to which some rank came latest:\n";
        report.latest.iter().for_each(|call| text += &of_call(call));
    }
    text + &of_messages(&report.messages)
}

fn of_messages(messages: &Messages) -> String {
    if messages.is_empty() {
        return String::new();
    }
    let Messages { sent, received, unfinished } = messages;
    let failed = unfinished.iter().filter(|one| one.state == State::Failed).count();
    let mut text =
        format!("  messages: {sent} sent, {received} received, {} not ended", unfinished.len() - failed);
    text += &if failed > 0 { format!(", {failed} failed\n") } else { "\n".into() };
    for one in unfinished.iter().take(MOST_RANKS) {
        let ago =
            one.begun_seconds_ago.map_or(String::new(), |ago| format!(", begun {} before", seconds(ago)));
        let how = if one.state == State::Failed { " has failed" } else { "" };
        text += &format!("    rank {}: {}{how}{ago}\n", one.rank, one.message);
    }
    if unfinished.len() > MOST_RANKS {
        text += &format!("    ... and {} more\n", unfinished.len() - MOST_RANKS);
    }
    text
}

fn of_rank(rank: &RankReport, compared: usize) -> String {
    format!(
        "    rank {}: {} in all, last in {} of {compared} calls\n",
        rank.rank,
        seconds(rank.kept_waiting_seconds),
        rank.last_in
    )
}

fn of_call(call: &LateCall) -> String {
    format!(
        "    {} #{}: rank {} came {} after rank {}, and {} after all others\n",
        call.call,
        call.number,
        call.last_rank,
        seconds(call.after_first_seconds),
        call.first_rank,
        seconds(call.after_others_seconds)
    )
}

/// A time with a unit in which it is easily read.
fn seconds(time: f64) -> String {
    match time {
        time if time >= 1.0 => format!("{time:.2} s"),
        time if time >= 1e-3 => format!("{:.2} ms", time * 1e3),
        time => format!("{:.2} us", time * 1e6),
    }
}

fn list(ranks: &[u32]) -> String {
    let mut shown: Vec<String> = ranks.iter().take(MOST_RANKS).map(u32::to_string).collect();
    if ranks.len() > MOST_RANKS {
        shown.push(format!("and {} more", ranks.len() - MOST_RANKS));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!([2.5, 0.0021, 0.000_000_3].map(seconds), ["2.50 s", "2.10 ms", "0.30 us"]);
        assert_eq!(list(&(0..30).collect::<Vec<_>>()).split(", ").last(), Some("and 6 more"));
    }
}
