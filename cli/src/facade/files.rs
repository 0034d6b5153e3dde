//! The installed files that stand in for NCCL or MPI.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Facade;

/// The installed files.
#[derive(Clone, Debug)]
pub struct FacadeFiles {
    /// The library that they stand in for.
    pub facade: Facade,
    /// The folder that contains them.
    pub folder: String,
    /// The libraries: libnccl.so.2; or libmpi.so.12, libmpi.so.40, libmpi_mpifh.so.40, libmpi_abi.so.1 and
    /// libmpiwrapper.so.
    pub libraries: Vec<String>,
    /// The audit library.
    pub audit: String,
    /// A folder for PYTHONPATH that has the library where PyTorch looks for it.
    pub overlay: Option<String>,
}

impl FacadeFiles {
    /// The library for MPItrampoline.
    pub const WRAPPER: &str = "libmpiwrapper.so";

    /// The files that were installed together with this tool.
    pub fn find(facade: Facade) -> Result<FacadeFiles, String> {
        let tool =
            std::env::current_exe().map_err(|error| format!("cannot find this tool's own file: {error}"))?;
        let folder = match facade {
            Facade::Nccl => "../lib/anyccl/nccl",
            Facade::Mpi => "../lib/anyccl/mpi/lib",
        };
        FacadeFiles::in_folder(facade, &tool.parent().unwrap_or(Path::new("/")).join(folder))
    }

    /// The files of this folder.
    pub fn in_folder(facade: Facade, folder: &Path) -> Result<FacadeFiles, String> {
        let missing = |path: &Path, error| {
            format!(
                "{}: {error}. `cargo xtask install --prefix PREFIX` installs it together with PREFIX/bin/anyccl",
                path.display()
            )
        };
        let folder = folder.canonicalize().map_err(|error| missing(folder, error))?;
        let overlay = folder.join("python");
        // A Python package has no links, so its library lies in the overlay alone.
        let in_overlay = overlay.join("nvidia/nccl/lib");
        let only_there =
            facade == Facade::Nccl && !folder.join("libnccl.so.2").exists() && in_overlay.exists();
        let folder = if only_there { in_overlay } else { folder };
        let file = |name: &str| {
            let path = folder.join(name);
            fs::metadata(&path).map_err(|error| missing(&path, error))?;
            listable(path)
        };
        let (libraries, overlay) = match facade {
            Facade::Nccl => {
                let there = overlay.join("nvidia/nccl/lib/libnccl.so.2");
                fs::metadata(&there).map_err(|error| missing(&there, error))?;
                (vec![file("libnccl.so.2")?], Some(listable(overlay)?))
            }
            Facade::Mpi => {
                let names = [
                    "libmpi.so.12",
                    "libmpi.so.40",
                    "libmpi_mpifh.so.40",
                    "libmpi_abi.so.1",
                    FacadeFiles::WRAPPER,
                ];
                (names.into_iter().map(file).collect::<Result<_, _>>()?, None)
            }
        };
        let audit = file("libanyccl_audit.so")?;
        Ok(FacadeFiles { facade, libraries, audit, overlay, folder: listable(folder)? })
    }

    /// Whether a path leads to one of our libraries.
    pub fn is_ours(&self, library: &Path) -> bool {
        let identity = |path: &Path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok();
        let Some(other) = identity(library) else { return false };
        self.libraries.iter().any(|own| identity(Path::new(own)) == Some(other))
    }
}

/// A path in the form in which the loader and Python take it in a list, which has no quoting.
pub fn listable(path: PathBuf) -> Result<String, String> {
    let fits = |text: &&str| !text.contains([':', ';', ' ', '\t', '\n']);
    let text = path.to_str().filter(fits).map(str::to_string);
    text.ok_or_else(|| {
        format!("\"{}\" cannot stand in a list of paths: move the installed folder", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_a_list_would_break_in_two_is_refused() {
        assert_eq!(listable("/usr/lib/x.so".into()), Ok("/usr/lib/x.so".to_string()));
        for path in ["/with space/x.so", "/with:colon/x.so", "/with\nline/x.so"] {
            assert!(listable(path.into()).unwrap_err().contains("move"), "{path}");
        }
    }

    #[test]
    fn a_missing_library_is_named_with_the_command_that_installs_it() {
        for facade in [Facade::Nccl, Facade::Mpi] {
            let error = FacadeFiles::in_folder(facade, Path::new("/no/such/folder")).unwrap_err();
            assert!(error.contains("/no/such/folder") && error.contains("xtask install"), "{error}");
        }
    }
}
