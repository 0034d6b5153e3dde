//! The files that ranks have written (`anyccl_engine::observe::status::write_dump`).

use std::fs;
use std::io::Read;
use std::path::Path;

use anyccl_engine::observe::status::FILE_PREFIX;
use serde::{Deserialize, Serialize};

use super::foreign_file::{clean, open, unreadable};
use crate::failure::Failure;

/// What one rank has written.
#[derive(Deserialize)]
pub struct RankFile {
    pub host: String,
    pub job: String,
    /// Rank in the job.
    pub rank: u32,
    /// When it was written, in nanoseconds since the Unix epoch.
    pub time: u64,
    pub communicators: Vec<Comm>,
    /// The last collective calls.
    pub operations: Vec<Operation>,
    /// The last messages, numbered on their own.
    #[serde(default)]
    pub messages: Vec<Operation>,
}

/// A communicator that the rank had then.
#[derive(Deserialize)]
pub struct Comm {
    pub context: u32,
    pub group: String,
    pub name: String,
    /// Rank in the communicator.
    pub rank: u32,
    pub size: u32,
    /// Its ranks as ranks of the job.
    pub ranks: Vec<u32>,
}

/// One operation. Times are nanoseconds since the Unix epoch.
#[derive(Clone, Deserialize)]
pub struct Operation {
    pub number: u64,
    pub context: u32,
    pub call_number: u32,
    pub call: String,
    pub kind: String,
    pub datatype: String,
    pub count: u64,
    pub state: State,
    /// The other rank of a message in the communicator; none: any.
    #[serde(default)]
    pub peer: Option<u32>,
    pub began: Option<u64>,
    pub ended: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Running,
    Ended,
    Failed,
}

impl RankFile {
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let of_comms = self.communicators.iter_mut().flat_map(|comm| [&mut comm.name, &mut comm.group]);
        let operations = self.operations.iter_mut().chain(&mut self.messages);
        [&mut self.job].into_iter().chain(of_comms).chain(operations.map(|one| &mut one.call))
    }
}

/// Reads all files of a folder.
pub fn read(folder: &Path) -> Result<Vec<RankFile>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|n| n.starts_with(FILE_PREFIX) && n.ends_with(".json"));
        if is_ours {
            let path = entry.path();
            let mut bytes = Vec::new();
            open(&path)?.read_to_end(&mut bytes).map_err(|error| unreadable(&path, &error))?;
            let mut file: RankFile =
                serde_json::from_slice(&bytes).map_err(|error| unreadable(&path, &error))?;
            file.texts().for_each(clean);
            found.push(file);
        }
    }
    if found.is_empty() {
        return Err(Failure::own(format_args!(
            "{} has no file of a rank: they are named {FILE_PREFIX}JOB-rank-RANK.json",
            folder.display()
        )));
    }
    found.sort_by(|one: &RankFile, other| (&one.job, one.rank).cmp(&(&other.job, other.rank)));
    Ok(found)
}
