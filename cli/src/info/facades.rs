//! The libraries that stand in for NCCL and MPI, as they were installed with this tool.

use serde::Serialize;

use crate::facade::Facade;
use crate::facade::files::FacadeFiles;

/// A facade, and the place of its libraries.
#[derive(Serialize)]
pub struct FacadeRow {
    /// The library that it stands in for: "NCCL" or "MPI".
    pub name: &'static str,
    /// Its libraries; empty if they are not installed.
    pub libraries: Vec<String>,
    /// The reason why there are none.
    pub error: Option<String>,
}

/// All facades.
pub fn facades() -> Vec<FacadeRow> {
    let row = |facade: Facade| match FacadeFiles::find(facade) {
        Ok(files) => FacadeRow { name: facade.name(), libraries: files.libraries, error: None },
        Err(error) => FacadeRow { name: facade.name(), libraries: Vec::new(), error: Some(error) },
    };
    [Facade::Nccl, Facade::Mpi].map(row).into()
}
