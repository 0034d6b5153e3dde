//! The libraries that take the place of NCCL and MPI, as they were installed beside this tool.

use serde::Serialize;

use crate::facade::Facade;
use crate::facade::files::FacadeFiles;

/// A facade, and where its libraries are.
#[derive(Serialize)]
pub struct FacadeRow {
    /// What it stands in for: "NCCL" or "MPI".
    pub name: &'static str,
    /// Its libraries; empty where they are not installed.
    pub libraries: Vec<String>,
    /// Why there is none.
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
