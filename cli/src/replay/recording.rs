//! The files of one job.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyccl_engine::observe::timeline::FORMAT;

use super::ReplayArguments;
use super::program::Program;
use crate::failure::Failure;
use crate::plan::units::counted;
use crate::trace::read::{Head, RankTrace, paths};

/// A recorded job. Only the heads of its files have been read.
pub struct Recording {
    pub job: String,
    /// Number of ranks.
    pub size: u32,
    pub hosts: u32,
    /// Why files that have the names of recordings are none.
    pub left_out: Vec<String>,
    /// The file of each rank.
    files: BTreeMap<u32, PathBuf>,
}

impl Recording {
    /// Finds the files. `None`: no replay is asked for.
    pub fn find(arguments: &ReplayArguments) -> Option<Result<Recording, Failure>> {
        let folder = arguments.replay.as_ref()?;
        Some(Recording::in_folder(folder, arguments.job.as_deref()))
    }

    fn in_folder(folder: &Path, job: Option<&str>) -> Result<Recording, Failure> {
        let mut jobs: BTreeMap<String, Vec<(Head, PathBuf)>> = BTreeMap::new();
        let mut left_out = Vec::new();
        for path in paths(folder)? {
            match Head::read(&path) {
                Ok(head) => jobs.entry(head.job.clone()).or_default().push((head, path)),
                Err(failure) => left_out.push(format!("left out: {}", failure.text)),
            }
        }
        let folder = folder.display();
        if jobs.is_empty() {
            left_out.push(format!(
                "{folder} has no recording of a rank: ANYCCL_RECORD={folder} lets a job write it"
            ));
            return Err(Failure::own(left_out.join("; ")));
        }
        let known = described(&jobs);
        match job {
            Some(job) => jobs.retain(|name, _| name == job),
            // Helpers of libraries are often jobs of one rank.
            None if jobs.values().any(|files| files[0].0.size > 1) => {
                jobs.retain(|_, files| files[0].0.size > 1);
            }
            None => {}
        }
        match (jobs.pop_first(), jobs.is_empty()) {
            (Some((job, files)), true) => Recording::of(job, files, left_out),
            _ => Err(Failure::own(format_args!("--job names one of the jobs of {folder}: {known}"))),
        }
    }

    fn of(job: String, files: Vec<(Head, PathBuf)>, left_out: Vec<String>) -> Result<Recording, Failure> {
        let (size, hosts) = (files[0].0.size, files[0].0.hosts);
        let mut by_rank = BTreeMap::new();
        for (head, path) in files {
            let refused = |why: &str| Err(Failure::own(format_args!("{}: {why}", path.display())));
            match head.format {
                0 => return refused("it lacks the arguments of calls: an older anyccl has written it"),
                format if format > FORMAT => return refused("a newer anyccl has written it"),
                _ => {}
            }
            if head.size != size || head.rank >= size || by_rank.contains_key(&head.rank) {
                return refused("it does not fit to the other files of its job");
            }
            by_rank.insert(head.rank, path);
        }
        Ok(Recording { job, size, hosts: hosts.clamp(1, size.max(1)), left_out, files: by_rank })
    }

    /// What a rank did.
    pub fn program(&self, rank: u32) -> Result<Program, Failure> {
        let Some(path) = self.files.get(&rank) else {
            let (job, size) = (&self.job, self.size);
            return Err(Failure::own(format_args!("the recording of job {job} lacks rank {rank} of {size}")));
        };
        let trace = RankTrace::read(path)?;
        Program::of(&trace).map_err(|why| Failure::own(format_args!("{}: {why}", path.display())))
    }
}

fn described(jobs: &BTreeMap<String, Vec<(Head, PathBuf)>>) -> String {
    let one = |(job, files): (&String, &Vec<(Head, PathBuf)>)| {
        format!("{job} ({})", counted(u64::from(files[0].0.size), "rank"))
    };
    jobs.iter().map(one).collect::<Vec<_>>().join(", ")
}
