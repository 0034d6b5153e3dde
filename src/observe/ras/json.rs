//! Answers as JSON, with the fields of NCCL's RAS. Communicators and ranks have some more, which are those of
//! `anyccl status --json`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::answer::{hash, is_aborted, is_missing, nccl_version, result};
use super::monitor::Event;
use crate::observe::jobs::{Communicator, Job, RankReport, SilentLink, State};
use crate::observe::json::quoted;
use crate::sys::local_time::date_and_time;

/// The kinds of calls that NCCL counts, which each rank has.
const COUNTED: [&str; 5] = ["broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce"];

/// The state of the jobs. `host`: this one. `took`: how long it was to find it out.
pub(super) fn status(jobs: &[Job], host: &str, took: Duration) -> String {
    let comms: Vec<String> =
        jobs.iter().flat_map(|job| &job.communicators).map(|comm| communicator(comm, host)).collect();
    format!(
        "{{\n  \"nccl_version\": {},\n  \"cuda_runtime_version\": 0,\n  \"cuda_driver_version\": 0,\n  \
         \"timestamp\": {},\n  \"communicators_count\": {},\n  \"communicators\": [\n{}\n  ],\n  \"ras\": {{\n    \
         \"collection_time_sec\": {:.3},\n    \"timeouts_count\": 0\n  }}\n}}\n",
        quoted(&nccl_version()),
        quoted(&date_and_time()),
        comms.len(),
        comms.join(",\n"),
        took.as_secs_f64(),
    )
}

fn communicator(comm: &Communicator, host: &str) -> String {
    let mut ranks: Vec<&RankReport> = comm.ranks.iter().collect();
    ranks.sort_by_key(|rank| rank.rank);
    let (missing, seen): (Vec<&RankReport>, Vec<&RankReport>) =
        ranks.into_iter().partition(|rank| is_missing(rank));
    let kinds: BTreeSet<&str> =
        seen.iter().flat_map(|rank| rank.calls_by_kind.keys().copied()).chain(COUNTED).collect();
    let seen: Vec<String> = seen.into_iter().map(|rank| reported(rank, host, &kinds)).collect();
    let missing: Vec<String> = missing.into_iter().map(|rank| unreported(rank, host)).collect();
    format!(
        "    {{\n      \"hash\": \"{:#x}\",\n      \"secondary_hash\": \"{:#x}:{:#x}\",\n      \"name\": {},\n      \
         \"size\": {},\n      \"call\": {},\n      \"call_number\": {},\n      \"silent_links\": [{}],\n      \
         \"ranks_count\": {},\n      \
         \"missing_ranks_count\": {},\n      \"ranks\": [\n{}\n      ],\n      \"missing_ranks\": [\n{}\n      ]\n    }}",
        hash(comm),
        comm.number.0,
        comm.number.1,
        quoted(&comm.name),
        comm.size,
        text_or_null(comm.call.as_deref()),
        number_or_null(comm.call_number),
        comm.silent_links.iter().map(link).collect::<Vec<_>>().join(", "),
        seen.len(),
        missing.len(),
        seen.join(",\n"),
        missing.join(",\n"),
    )
}

fn link(link: &SilentLink) -> String {
    let SilentLink { from, to, call_number, transport, seconds, bytes } = link;
    format!(
        "{{\"from\": {from}, \"to\": {to}, \"call_number\": {}, \"transport\": {}, \"seconds\": {seconds:.3}, \"bytes\": {}}}",
        number_or_null(*call_number),
        quoted(transport),
        number_or_null(*bytes),
    )
}

fn reported(rank: &RankReport, host: &str, kinds: &BTreeSet<&str>) -> String {
    let count = |kind: &&str| {
        let made = rank.calls_by_kind.get(kind).copied().unwrap_or(0);
        format!("            {}: {made}", quoted(&in_words_of_nccl(kind)))
    };
    let counts: Vec<String> = kinds.iter().map(count).collect();
    format!(
        "        {{\n{}          \"status\": {{\n            \"init_state\": 0,\n            \"async_error\": {},\n            \
         \"finalize_called\": false,\n            \"destroy_flag\": false,\n            \"abort_flag\": {}\n          \
         }},\n          \"collective_counts\": {{\n{}\n          }}\n        }}",
        common(rank, host),
        result(rank),
        is_aborted(rank),
        counts.join(",\n"),
    )
}

fn unreported(rank: &RankReport, host: &str) -> String {
    let host = if rank.state == State::Elsewhere { "unknown" } else { host };
    format!(
        "        {{\n{}          \"status\": {{\n            \"unresponsive\": {},\n            \
         \"considered_dead\": {}\n          }}\n        }}",
        common(rank, host),
        rank.state != State::Elsewhere,
        rank.state == State::Ended,
    )
}

/// The fields that all ranks have.
fn common(rank: &RankReport, host: &str) -> String {
    format!(
        "          \"rank\": {},\n          \"host\": {},\n          \"pid\": {},\n          \"cuda_dev\": 0,\n          \
         \"nvml_dev\": 0,\n          \"state\": {},\n          \"last_call\": {},\n          \"waits_for\": {},\n          \
         \"failure\": {},\n",
        rank.rank,
        quoted(host),
        rank.pid.unwrap_or(0),
        quoted(rank.state.name()),
        text_or_null(rank.last_call.as_deref()),
        text_or_null(rank.waits_for.as_deref()),
        text_or_null(rank.failure.as_deref()),
    )
}

/// An event of a client that watches.
pub(super) fn event(event: &Event, host: &str) -> String {
    format!(
        "{{\n  \"timestamp\": {},\n  \"group\": {},\n  \"event\": {},\n  \"peer\": {{\n    \"host\": {},\n    \
         \"pid\": {},\n    \"cuda_devs\": [],\n    \"nvml_devs\": []\n  }},\n  \"details\": {}\n}}\n",
        quoted(&date_and_time()),
        quoted(if event.is_trace { "TRACE" } else { "LIFECYCLE" }),
        quoted(event.name),
        quoted(host),
        event.pid,
        quoted(&event.details),
    )
}

fn number_or_null(number: Option<impl ToString>) -> String {
    number.map_or("null".into(), |number| number.to_string())
}

fn text_or_null(text: Option<&str>) -> String {
    text.map_or("null".into(), quoted)
}

/// The name of a kind of calls as NCCL writes it: all_reduce is AllReduce.
fn in_words_of_nccl(kind: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect::<String>()
    };
    kind.split('_').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::jobs::fixture::{process, waiting};
    use crate::observe::jobs::jobs_of;
    use crate::observe::status::FailureKind;

    /// The text without white space between the words of JSON.
    fn said(jobs: &[Job]) -> String {
        let text = status(jobs, "10.0.0.1", Duration::from_millis(2));
        text.lines().map(str::trim).collect::<String>().replace("\": ", "\":")
    }

    #[test]
    fn ranks_have_the_fields_of_nccl() {
        let mut failed = process(1, 4, 7, 1, false);
        failed.pages[0].comms[0].failure = Some(FailureKind::PeerLost);
        failed.pages[0].comms[0].reason = "rank 3 has \"gone\"".into();
        let mut stopped = process(2, 4, 6, 1, false);
        stopped.is_stopped = true;
        let said = said(&jobs_of(&[process(0, 4, 7, 1, true), failed, stopped], 1));
        for part in [
            "{\"nccl_version\":\"2.30.7\",\"cuda_runtime_version\":0,\"cuda_driver_version\":0,\"timestamp\":\"2",
            "\"communicators_count\":1,\"communicators\":[{\"hash\":\"0x",
            "\"secondary_hash\":\"0x5:0x",
            "\"name\":\"world\",\"size\":4,\"call\":\"all_gather(int32, count 1)\",\"call_number\":6,\"silent_links\":[],\
             \"ranks_count\":2,\"missing_ranks_count\":2,\"ranks\":[{\"rank\":0,\"host\":\"10.0.0.1\",\"pid\":1000,\
             \"cuda_dev\":0,\"nvml_dev\":0,\"state\":\"waits\",",
            "\"status\":{\"init_state\":0,\"async_error\":0,\"finalize_called\":false,\"destroy_flag\":false,\
             \"abort_flag\":false},\"collective_counts\":{\"AllGather\":7,\"AllReduce\":0,\"Broadcast\":0,\"Reduce\":0,\
             \"ReduceScatter\":0}},{\"rank\":1,",
            "\"failure\":\"rank 3 has \\\"gone\\\"\",\"status\":{\"init_state\":0,\"async_error\":6,",
            "],\"missing_ranks\":[{\"rank\":2,\"host\":\"10.0.0.1\",\"pid\":1002,",
            "\"status\":{\"unresponsive\":true,\"considered_dead\":false}},{\"rank\":3,",
            "\"status\":{\"unresponsive\":true,\"considered_dead\":true}}]}],\
             \"ras\":{\"collection_time_sec\":0.002,\"timeouts_count\":0}}",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
        let brackets = |one: char, other: char| said.matches(one).count() == said.matches(other).count();
        assert!(brackets('{', '}') && brackets('[', ']'), "{said}");
    }

    #[test]
    fn silent_links_are_those_of_anyccl_status() {
        let said = said(&jobs_of(&[waiting(0, 100, 70), waiting(1, 70, 60)], 1));
        let link = "\"silent_links\":[{\"from\":0, \"to\":1, \"call_number\":17, \"transport\":\"tcp\", \"seconds\":3.000, \
                    \"bytes\":40}],";
        assert!(said.contains(link), "{said}");
    }

    #[test]
    fn ranks_elsewhere_are_missing_and_not_called_unresponsive() {
        let mut here = process(0, 2, 7, 1, false);
        here.pages[0].hosts = 2;
        let said = said(&jobs_of(&[here], 1));
        assert!(said.contains("\"rank\":1,\"host\":\"unknown\",\"pid\":0,"), "{said}");
        assert!(said.contains("{\"unresponsive\":false,\"considered_dead\":false}"), "{said}");
        assert!(super::status(&[], "", Duration::ZERO).contains("\"communicators_count\": 0,"));
    }

    #[test]
    fn kinds_of_calls_have_names_as_nccl_writes_them() {
        assert_eq!(
            ["all_reduce", "reduce_scatter_v", "barrier"].map(in_words_of_nccl),
            ["AllReduce", "ReduceScatterV", "Barrier"]
        );
    }
}
