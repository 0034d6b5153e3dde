//! Starts a command, waits for a report of the NCCL or MPI that it uses, and ends it.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::facade::files::FacadeFiles;
use crate::facade::method::{held, mode_variable};
use crate::facade::usage::{Usage, UsageReport, UsageReports};
use crate::failure::Failure;
use crate::run::Watchdog;
use crate::sys::child::{Orders, prepare};
use crate::sys::files::FileLimit;
use crate::sys::poll;
use crate::sys::process::{Pid, ended, signal_group};
use crate::sys::signal::SignalQueue;

/// Result of a probe.
pub struct ProbeResult {
    /// The library that is used; else the first one that was loaded.
    pub report: Option<UsageReport>,
    /// How the search ended.
    pub how: How,
}

/// The event that ended a search.
#[derive(Debug)]
pub enum How {
    /// A function was asked for.
    Bound,
    /// The command has ended by itself, with this exit code.
    Ended(u8),
    /// The deadline passed.
    TooLong(Duration),
}

/// Runs the search. When this returns, no process is left that the command has started in its process group.
pub fn probe(command: &[OsString], of: &FacadeFiles, deadline: Duration) -> Result<ProbeResult, Failure> {
    let own = |what: &'static str| move |error: io::Error| Failure::own(format_args!("{what}: {error}"));
    // First, because forking needs a process without threads. The watchdog ends the command if this process
    // is killed.
    let watchdog = Watchdog::start().map_err(own("cannot start the watchdog"))?;
    let mut signals = SignalQueue::of(&[libc::SIGCHLD]).map_err(own("cannot take over signals"))?;
    let files = FileLimit::raise().map_err(own("cannot raise the limit on open files"))?;
    let reports = UsageReports::open(of.clone()).map_err(own("cannot listen to the command"))?;
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]).envs(variables(of, &reports)).stdin(Stdio::null()).stdout(Stdio::null());
    let mask = signals.mask_before();
    prepare(&mut child, Orders { watchdog: watchdog.descriptor(), cpus: None, files, mask });
    let mut child = child
        .spawn()
        .map_err(|error| Failure::own(format_args!("cannot start \"{}\": {error}", command[0].display())))?;
    let pid = child.id() as Pid;
    let found = listen(&reports, &mut signals, pid, deadline).map_err(own("cannot look after the command"));
    signal_group(pid, libc::SIGKILL);
    child.wait().map_err(own("cannot end the command"))?;
    watchdog.stand_down();
    found
}

/// Variables of the command. They bind all functions at the start instead of at the first call, which would
/// be too late.
fn variables(files: &FacadeFiles, reports: &UsageReports) -> Vec<(String, String)> {
    let before = held(&[], "LD_AUDIT").filter(|before| !before.is_empty());
    let audit = before.map_or_else(|| files.audit.clone(), |before| format!("{}:{before}", files.audit));
    let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
    vec![
        pair("LD_AUDIT", &audit),
        pair(mode_variable(files.facade), "probe"),
        pair("LD_BIND_NOW", "1"),
        reports.variable(),
    ]
}

fn listen(
    reports: &UsageReports,
    signals: &mut SignalQueue,
    pid: Pid,
    limit: Duration,
) -> io::Result<ProbeResult> {
    let until = Instant::now() + limit;
    let mut first: Option<UsageReport> = None;
    loop {
        // The end is asked for first, so that all reports sent before the end are read below.
        let ending = ended(pid)?;
        for report in reports.read_new()? {
            if matches!(report.usage, Usage::OursUsed | Usage::OtherUsed) {
                return Ok(ProbeResult { report: Some(report), how: How::Bound });
            }
            first.get_or_insert(report);
        }
        if let Some(ending) = ending {
            return Ok(ProbeResult { report: first, how: How::Ended(ending.code()) });
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(ProbeResult { report: first, how: How::TooLong(limit) });
        }
        poll::poll(&mut [reports.waiting(), poll::readable(signals)], Some(left))?;
        while signals.next()?.is_some() {}
    }
}
