//! The other hosts of a job: this tool is started there, and says what it finds.

use std::collections::BTreeSet;
use std::thread;

use anyccl_engine::observe::jobs::Process;
use anyccl_engine::sys::host::{host_name, machine_id};

use super::command::run;
use super::pages::{self, Page, PageName};
use crate::failure::Failure;
use crate::remote::{SSH, own_path, quoted, what_to_try, words};

/// How other hosts are reached.
pub struct Way<'a> {
    /// `ssh`, or words.
    pub launcher: &'a str,
    /// Path of this tool there.
    pub program: Option<&'a str>,
}

/// A host that was looked at.
#[derive(Debug)]
pub struct Host {
    /// Its name, as the user or the job has it.
    pub name: String,
    /// Its machine, or why it could not be looked at.
    pub machine: Result<String, String>,
}

/// The hosts that the user means: a list, or `all` for those that the jobs of these processes name.
pub fn names(list: &str, processes: &[Process<Page>]) -> Result<Vec<String>, Failure> {
    // A leading dash would be an option of the command that starts the tool there.
    let is_host = |name: &String| !name.is_empty() && !name.starts_with('-');
    let mut names: Vec<String> = match list {
        "all" => {
            let pages = processes.iter().flat_map(|process| &process.pages);
            let own = host_name();
            let of_jobs = pages.flat_map(|page| page.snapshot.host_names.clone());
            of_jobs.filter(|name| *name != own && is_host(name)).collect()
        }
        _ => list.split(',').map(str::to_string).collect(),
    };
    if let Some(wrong) = names.iter().find(|name| !is_host(name)) {
        let text = format!("--hosts: \"{wrong}\"; expected names of hosts with commas in between, or all");
        return Err(Failure { code: 2, text });
    }
    let mut known = BTreeSet::new();
    names.retain(|name| known.insert(name.clone()));
    Ok(names)
}

/// Number of hosts that were seen, with this one.
pub fn number_seen(hosts: &[Host]) -> u32 {
    let here = machine_id();
    hosts.iter().filter_map(|host| host.machine.as_ref().ok()).chain([&here]).collect::<BTreeSet<_>>().len()
        as u32
}

/// Looks at the hosts, all at once, and adds their processes.
pub fn look(names: Vec<String>, way: &Way, processes: &mut Vec<Process<Page>>) -> Result<Vec<Host>, Failure> {
    let program = way.program.map_or_else(own_path, |path| Ok(path.to_string()))?;
    let command = format!("{} status-pages", quoted(&program));
    let commands: Vec<(String, Vec<String>)> = names
        .into_iter()
        .map(|name| Ok((name.clone(), words(way.launcher, &name, &command)?)))
        .collect::<Result<_, String>>()
        .map_err(|text| Failure { code: 2, text })?;
    let answers: Vec<_> = commands
        .into_iter()
        .map(|(name, words)| {
            let (program, by_ssh) = (program.clone(), way.launcher == SSH);
            thread::spawn(move || {
                let said = run(&words, |said| pages::read(&name, said).is_ok())
                    .map_err(|(why, code)| why + &what_to_try(code, &name, &program, by_ssh));
                let found = said.and_then(|said| pages::read(&name, &said));
                (name, found)
            })
        })
        .collect();
    let mut hosts = Vec::new();
    for answer in answers {
        let (name, found) =
            answer.join().map_err(|_| Failure::own("a thread that looks at a host has panicked"))?;
        let machine = found.map(|(machine, found)| {
            processes.extend(found);
            machine
        });
        hosts.push(Host { name, machine });
    }
    keep_each_once(processes);
    Ok(hosts)
}

/// Takes out pages that were seen before: two names may mean one host, or PID namespaces of one.
fn keep_each_once(processes: &mut Vec<Process<Page>>) {
    // Who sees that a process lives knows more than who sees only its page.
    processes.sort_by_key(|process| process.has_ended);
    let mut known: BTreeSet<PageName> = BTreeSet::new();
    for process in &mut *processes {
        process.pages.retain(|page| known.insert(page.name.clone()));
    }
    processes.retain(|process| !process.pages.is_empty());
}
