//! `--html`: the report as one page, which needs no network and no script.

use super::numbers::{JobReport, RankReport};
use super::text::remarks;
use crate::markup::escape;
use crate::plan::units::{bytes, seconds};

const STYLE: &str = include_str!("page.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The text of the page.
pub fn page(reports: &[JobReport]) -> String {
    let jobs: String = reports.iter().map(of_job).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>anyccl trace report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{jobs}</main>\n\
         </body>\n</html>\n"
    )
}

fn of_job(report: &JobReport) -> String {
    let remarks: String =
        remarks(report).iter().map(|remark| format!("<li>{}</li>\n", escape(remark))).collect();
    let remarks =
        if remarks.is_empty() { remarks } else { format!("<ul class=\"remarks\">\n{remarks}</ul>\n") };
    let ranks: String = report.ranks.iter().map(|rank| of_rank(rank, report.seconds)).collect();
    let calls: String = report
        .calls
        .iter()
        .map(|class| {
            format!(
                "<tr><td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escape(&class.call),
                class.calls,
                bytes(class.bytes),
                seconds(class.seconds),
                seconds(class.waiting_seconds)
            )
        })
        .collect();
    let pairs: String = report
        .pairs
        .iter()
        .map(|pair| {
            format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                pair.from,
                pair.to,
                pair.messages,
                bytes(pair.bytes)
            )
        })
        .collect();
    format!(
        "<h1>Job {job}</h1>\n<p>{size} ranks, {time}: {share:.1} % in calls. The busiest rank was outside of calls \
         for {imbalance:.1} % longer than the mean.</p>\n{remarks}\
         <h2>Ranks</h2>\n<p><span class=\"key waiting\"></span>waiting for the last rank\
         <span class=\"key calls\"></span>in calls otherwise<span class=\"key outside\"></span>outside of calls</p>\n\
         <div class=\"scroll\"><table>\n<tr><th>rank</th><th class=\"words\">host</th><th>process</th><th>calls</th>\
         <th>in calls</th><th>waiting</th><th>outside</th><th>kept waiting</th><th>sent</th><th>failed</th>\
         <th class=\"bar\"></th></tr>\n{ranks}</table></div>\n\
         <h2>Calls</h2>\n<div class=\"scroll\"><table>\n<tr><th class=\"words\">call</th><th>calls</th><th>bytes</th>\
         <th>time</th><th>waiting</th></tr>\n{calls}</table></div>\n\
         <h2>Busiest pairs</h2>\n<div class=\"scroll\"><table>\n<tr><th>from</th><th>to</th><th>messages</th>\
         <th>bytes</th></tr>\n{pairs}</table></div>\n",
        job = escape(&report.job),
        size = report.size,
        time = seconds(report.seconds),
        share = report.communication_share * 100.0,
        imbalance = report.imbalance * 100.0,
    )
}

fn of_rank(rank: &RankReport, span: f64) -> String {
    format!(
        "<tr><td>{}</td><td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td>{}</td><td>{}</td><td class=\"bar\">{}</td></tr>\n",
        rank.rank,
        escape(&rank.host),
        rank.process,
        rank.calls,
        seconds(rank.communication_seconds),
        seconds(rank.waiting_seconds),
        seconds(rank.outside_seconds),
        seconds(rank.kept_waiting_seconds),
        bytes(rank.sent_bytes),
        rank.failed,
        bar(rank, span)
    )
}

/// How a rank has spent its time, as a picture.
fn bar(rank: &RankReport, span: f64) -> String {
    let parts = [
        ("waiting", rank.waiting_seconds),
        ("calls", rank.communication_seconds - rank.waiting_seconds),
        ("outside", rank.outside_seconds),
    ];
    let mut at = 0.0;
    let mut bars = String::new();
    for (class, time) in parts {
        let width = if span > 0.0 { (time / span * 100.0).clamp(0.0, 100.0) } else { 0.0 };
        bars += &format!("<rect class=\"{class}\" x=\"{at:.3}\" width=\"{width:.3}\" height=\"10\"/>");
        at += width;
    }
    format!("<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{bars}</svg>")
}
