//! The trace-event format of Chrome, which Perfetto reads. A rank is a process, a queue of a plan is a row.
//!
//! The rows of a rank are: calls, steps on this rank alone, then two for each peer, to it and from it. Within
//! a row nothing overlaps, because the engine runs a queue in order.

use std::collections::BTreeSet;

use anyccl_engine::base::Rank;
use anyccl_engine::observe::trace::{Activity, Event};
use serde_json::{Value, json};

/// Text before the tracks.
pub const HEAD: &str = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
/// Text between two tracks, and between two events.
pub const BETWEEN: &str = ",\n";
/// Text after the tracks.
pub const TAIL: &str = "\n]}\n";

/// The events of one rank, as the text of JSON objects.
pub struct Track {
    rank: Rank,
    /// The time that the file calls 0.
    zero: u64,
    rows: BTreeSet<u64>,
    text: String,
}

impl Track {
    /// A track with the name of the rank and no events.
    pub fn new(rank: Rank, zero: u64) -> Track {
        let mut track = Track { rank, zero, rows: BTreeSet::new(), text: String::new() };
        track.push(&json!({"name": "process_name", "ph": "M", "pid": rank, "args": {"name": format!("rank {rank}")}}));
        track.push(
            &json!({"name": "process_sort_index", "ph": "M", "pid": rank, "args": {"sort_index": rank}}),
        );
        track
    }

    /// The objects, separated by commas.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds the recorded events of one call, which `label` describes.
    pub fn add(&mut self, label: &str, events: &[Event]) {
        for event in events {
            let row = row(event);
            if self.rows.insert(row) {
                let (pid, name) = (self.rank, row_name(event));
                self.push(&json!({"name": "thread_name", "ph": "M", "pid": pid, "tid": row, "args": {"name": name}}));
                self.push(&json!({"name": "thread_sort_index", "ph": "M", "pid": pid, "tid": row, "args": {"sort_index": row}}));
            }
            let mut args = json!({"bytes": event.bytes, "call": event.sequence});
            if event.activity != Activity::Call {
                args["lane"] = event.lane.into();
                args["round"] = event.round.into();
            }
            if let Some(peer) = event.peer {
                args["peer"] = peer.into();
            }
            self.push(&json!({
                "name": name(event, label),
                "cat": category(event.activity),
                "ph": "X",
                "pid": self.rank,
                "tid": row,
                "ts": self.microseconds(event.begin),
                "dur": event.end.saturating_sub(event.begin) as f64 / 1e3,
                "args": args,
            }));
        }
    }

    /// Microseconds since the zero. The zero is another rank's: a clock that is behind makes the result
    /// negative.
    fn microseconds(&self, at: u64) -> f64 {
        at.wrapping_sub(self.zero).cast_signed() as f64 / 1e3
    }

    fn push(&mut self, object: &Value) {
        if !self.text.is_empty() {
            self.text += BETWEEN;
        }
        self.text += &object.to_string();
    }
}

fn row(event: &Event) -> u64 {
    const BEFORE_PEERS: u64 = 2;
    let of_peer = |second: u64| BEFORE_PEERS + 2 * u64::from(event.peer.unwrap_or(0)) + second;
    match event.activity {
        Activity::Call => 0,
        Activity::Copy | Activity::Reduce => 1,
        Activity::Send => of_peer(0),
        Activity::Receive | Activity::ReceiveReduce => of_peer(1),
    }
}

fn row_name(event: &Event) -> String {
    let peer = event.peer.unwrap_or(0);
    match event.activity {
        Activity::Call => "calls".into(),
        Activity::Copy | Activity::Reduce => "local".into(),
        Activity::Send => format!("to {peer}"),
        Activity::Receive | Activity::ReceiveReduce => format!("from {peer}"),
    }
}

fn name(event: &Event, label: &str) -> String {
    let peer = event.peer.unwrap_or(0);
    match event.activity {
        Activity::Call => label.to_string(),
        Activity::Copy => "copy".into(),
        Activity::Reduce => "reduce".into(),
        Activity::Send => format!("send to {peer}"),
        Activity::Receive => format!("receive from {peer}"),
        Activity::ReceiveReduce => format!("receive and reduce from {peer}"),
    }
}

fn category(activity: Activity) -> &'static str {
    match activity {
        Activity::Call => "call",
        Activity::Copy | Activity::Reduce => "local",
        Activity::Send | Activity::Receive | Activity::ReceiveReduce => "transfer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_becomes_a_bar_in_the_row_of_its_queue() {
        let mut track = Track::new(5, 1_000_000);
        let transfer = Event {
            activity: Activity::ReceiveReduce,
            begin: 1_002_500,
            end: 1_004_000,
            bytes: 64,
            peer: Some(3),
            lane: 1,
            round: 2,
            sequence: 9,
        };
        let call = Event { activity: Activity::Call, peer: None, begin: 999_000, ..transfer };
        track.add("all_reduce", &[transfer, transfer, call]);
        let objects: Value = serde_json::from_str(&format!("[{}]", track.text())).unwrap();
        let objects = objects.as_array().unwrap();
        let bars: Vec<_> = objects.iter().filter(|object| object["ph"] == "X").collect();
        assert_eq!(bars.len(), 3);
        assert_eq!((&bars[0]["ts"], &bars[0]["dur"]), (&2.5.into(), &1.5.into()));
        assert_eq!(bars[0]["args"], json!({"bytes": 64, "call": 9, "lane": 1, "peer": 3, "round": 2}));
        assert_eq!((&bars[2]["name"], &bars[2]["ts"]), (&"all_reduce".into(), &(-1.0).into()));
        // Each of the two rows is named once.
        let names: Vec<_> = objects.iter().filter(|object| object["name"] == "thread_name").collect();
        assert_eq!(names.len(), 2);
        assert_eq!((&names[0]["args"]["name"], &names[0]["tid"]), (&"from 3".into(), &bars[0]["tid"]));
    }
}
