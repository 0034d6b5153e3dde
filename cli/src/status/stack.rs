//! Native stacks of the processes that keep others waiting, by a debugger that is there.

use std::collections::BTreeMap;
use std::thread;

use anyccl_engine::observe::jobs::{Job, RankReport};

use super::command::run;
use super::hosts::Way;
use crate::remote::words;

/// The stack of each process, by its host and number.
pub type Stacks = BTreeMap<(Option<String>, u32), String>;

/// Most processes of which there is a stack: debuggers stop them for a moment.
const MOST: usize = 16;

/// The stacks of processes whose ranks keep others waiting.
pub fn stacks(jobs: &[Job], way: &Way) -> Stacks {
    let is_meant = |rank: &&RankReport| rank.state.is_trouble() && rank.calls > 0;
    let ranks = jobs.iter().flat_map(|job| &job.communicators).flat_map(|comm| &comm.ranks).filter(is_meant);
    let mut processes: Vec<_> =
        ranks.filter_map(|rank| rank.pid.map(|pid| (rank.host.clone(), pid))).collect();
    processes.sort();
    processes.dedup();
    let looks: Vec<_> = processes
        .into_iter()
        .take(MOST)
        .map(|(host, pid)| {
            let command = command(pid);
            let words = match &host {
                Some(host) => words(way.launcher, host, &command),
                None => Ok(["sh", "-c", &command].map(str::to_string).to_vec()),
            };
            let look = move || words.and_then(|words| run(&words, |_| true).map_err(|(why, _)| why));
            ((host, pid), thread::spawn(look))
        })
        .collect();
    let said = |look: thread::JoinHandle<Result<Vec<u8>, String>>| match look.join() {
        Ok(Ok(said)) => String::from_utf8_lossy(&said).chars().map(plain).collect(),
        Ok(Err(why)) => format!("no stack: {why}"),
        Err(_) => "no stack".to_string(),
    };
    looks.into_iter().map(|(process, look)| (process, said(look))).collect()
}

/// A character as it is written to a terminal, which would obey others.
fn plain(c: char) -> char {
    if c.is_control() && c != '\n' { ' ' } else { c }
}

/// A command for a shell: the debugger that shows most, of those that are there.
fn command(pid: u32) -> String {
    format!(
        "py-spy dump --pid {pid} 2>/dev/null || gdb -nx -batch -p {pid} -ex 'thread apply all backtrace' 2>/dev/null \
         || eu-stack -p {pid} 2>/dev/null || echo 'no stack: py-spy, gdb or eu-stack must be there, and may look at {pid}'"
    )
}
