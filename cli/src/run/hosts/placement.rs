//! The placement of ranks on hosts.

use std::fs;

use super::host_list::{HostRanks, places};
use crate::mpiexec::placement::{place, read_file};
use crate::run::arguments::RunArguments;

/// The hosts that the user has named; none if all ranks are to run here.
pub fn places_of(arguments: &RunArguments) -> Result<Vec<HostRanks>, String> {
    if let Some(file) = &arguments.hostfile {
        let wrong = |error: String| format!("--hostfile {}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        let placed = place(&read_file(&text).map_err(wrong)?, arguments.ranks, &|_| false)?;
        return placed.hosts.map_or_else(|| Ok(Vec::new()), |hosts| places(&hosts, None).map_err(wrong));
    }
    arguments.hosts.as_ref().map_or_else(|| Ok(Vec::new()), |text| places(text, arguments.ranks))
}
