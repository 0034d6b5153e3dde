//! The installed files that take NCCL's place.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// From the folder of this tool.
const FOLDER: &str = "../lib/anyccl/nccl";

/// The installed files.
#[derive(Clone, Debug)]
pub struct NcclFiles {
    /// The library: libnccl.so.2.
    pub library: String,
    /// The audit library.
    pub audit: String,
    /// A folder for PYTHONPATH, with the library in it where PyTorch looks.
    pub overlay: String,
}

impl NcclFiles {
    /// The files that were installed together with this tool.
    pub fn find() -> Result<NcclFiles, String> {
        let tool =
            std::env::current_exe().map_err(|error| format!("cannot find this tool's own file: {error}"))?;
        let folder = tool.parent().unwrap_or(Path::new("/")).join(FOLDER);
        NcclFiles::in_folder(&folder)
    }

    /// The files of this folder.
    pub fn in_folder(folder: &Path) -> Result<NcclFiles, String> {
        let missing = |path: &Path, error| {
            format!(
                "{}: {error}. `cargo xtask install --prefix PREFIX` installs it together with PREFIX/bin/anyccl",
                path.display()
            )
        };
        let folder = folder.canonicalize().map_err(|error| missing(folder, error))?;
        let file = |name: &str| {
            let path = folder.join(name);
            fs::metadata(&path).map_err(|error| missing(&path, error))?;
            listable(path)
        };
        let (library, audit) = (file("libnccl.so.2")?, file("libanyccl_audit.so")?);
        file("python/nvidia/nccl/lib/libnccl.so.2")?;
        Ok(NcclFiles { library, audit, overlay: file("python")? })
    }

    /// Whether this is our library, by whatever path.
    pub fn is_ours(&self, library: &Path) -> bool {
        let identity = |path: &Path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok();
        identity(library).is_some_and(|other| identity(Path::new(&self.library)) == Some(other))
    }
}

/// A path as the loader and Python take it in a list: they cannot quote.
fn listable(path: PathBuf) -> Result<String, String> {
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
    fn what_is_missing_is_named_with_what_installs_it() {
        let error = NcclFiles::in_folder(Path::new("/no/such/folder")).unwrap_err();
        assert!(error.contains("/no/such/folder") && error.contains("xtask install"), "{error}");
    }
}
