//! Tests of `anyccl doctor` on this machine.

use crate::common::{anyccl, finish};
use serde_json::Value;

#[test]
fn every_finding_that_is_not_good_says_what_to_change() {
    let mut tool = anyccl(&["doctor", "--json", "-n", "65536"]);
    tool.env("ANYCCL_RNAK", "3");
    let done = finish(tool);
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let findings = report["findings"].as_array().unwrap();
    for finding in findings {
        assert_eq!(finding["state"] == "good", finding["change"].is_null(), "{finding}");
    }
    let state =
        |subject: &str| &findings.iter().find(|finding| finding["subject"] == subject).unwrap()["state"];
    assert_eq!((state("cores").as_str(), state("variables").as_str()), (Some("warning"), Some("warning")));
    let is_bad = findings.iter().any(|finding| finding["state"] == "bad");
    assert_eq!(done.code(), i32::from(is_bad));
}

#[test]
fn the_report_for_people_has_the_way_out_below_what_is_wrong() {
    let done = finish(anyccl(&["doctor", "-n", "65536"]));
    let lines = done.sorted_lines();
    assert!(lines.iter().any(|line| line.starts_with("warn  cores")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("-> ")), "{lines:?}");
}
