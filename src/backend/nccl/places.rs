//! The files that may be NCCL.
//!
//! They are, in this order: the file that `ANYCCL_NCCL_LIB` names, and then no other; files that the program
//! has loaded; the package of the running Python; the loader's folders. The folders are walked here, because
//! the loader itself would return a door of ours.

use std::env;
use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};

use crate::backend::prefixes::{module_folders, prefixes};
use crate::base::{Error, Result};
use crate::config::raw;

const FILE: &str = "libnccl.so.2";
const NAMED_BY: &str = "ANYCCL_NCCL_LIB";

/// The existing files that may be NCCL, each once.
pub fn places() -> Result<Vec<String>> {
    if let Some(named) = raw(NAMED_BY) {
        if !Path::new(&named).is_absolute() {
            let got = format!(
                "\"{named}\"; accepted: the absolute path of a file, as a name may stand for anyccl itself"
            );
            return Err(Error::InvalidArgument { what: NAMED_BY, got });
        }
        return Ok(vec![named]);
    }
    let mut found: Vec<PathBuf> = loaded();
    found.extend(folders().into_iter().map(|folder| folder.join(FILE)).filter(|file| file.is_file()));
    let mut places: Vec<String> = Vec::new();
    for file in found {
        // A file that is reached in two ways is one place.
        let file = file.canonicalize().unwrap_or(file).to_string_lossy().into_owned();
        if !places.contains(&file) {
            places.push(file);
        }
    }
    Ok(places)
}

/// The places that were searched, in words.
pub fn described() -> String {
    let folders: Vec<String> = folders().iter().map(|folder| folder.display().to_string()).collect();
    folders.join(", ")
}

fn folders() -> Vec<PathBuf> {
    let packages = module_folders(&prefixes());
    let mut folders: Vec<PathBuf> =
        packages.into_iter().map(|folder| folder.join("nvidia/nccl/lib")).collect();
    let named = raw("LD_LIBRARY_PATH").unwrap_or_default();
    folders.extend(env::split_paths(&named).filter(|folder| folder.is_absolute()));
    let mut configured = Vec::new();
    read_loaders_list(Path::new("/etc/ld.so.conf"), &mut configured, 0);
    folders.extend(configured);
    folders.extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/cuda/lib64"].map(PathBuf::from));
    folders
}

/// Reads the folders that the loader is configured to search: one folder a line, or `include` with a pattern.
fn read_loaders_list(file: &Path, folders: &mut Vec<PathBuf>, depth: u32) {
    const DEEPEST: u32 = 4;
    let Ok(text) = fs::read_to_string(file) else { return };
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match line.strip_prefix("include ") {
            None if line.starts_with('/') => folders.push(PathBuf::from(line)),
            None => {}
            Some(pattern) if depth < DEEPEST => {
                // In practice the pattern is FOLDER/*.conf.
                let pattern = Path::new(pattern.trim());
                let Some(folder) = pattern.parent() else { continue };
                let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
                let mut files: Vec<PathBuf> =
                    entries.filter(|path| path.extension().is_some_and(|end| end == "conf")).collect();
                files.sort();
                files.iter().for_each(|file| read_loaders_list(file, folders, depth + 1));
            }
            Some(_) => {}
        }
    }
}

/// The files that this process has loaded under such a name.
fn loaded() -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = Vec::new();
    // SAFETY: the callback gets our list back. The list outlives the call, and only the callback uses it
    // meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast()) };
    names
}

unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _bytes: usize, names: *mut c_void) -> c_int {
    // SAFETY: the loader passes a record that lives during the call.
    let name = unsafe { (*info).dlpi_name };
    if name.is_null() {
        return 0;
    }
    // SAFETY: not NULL, so a terminated text of the loader.
    let name = PathBuf::from(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
    if name.is_absolute()
        && name.file_name().is_some_and(|file| file.to_string_lossy().starts_with("libnccl.so"))
    {
        // SAFETY: `loaded` passes its list, which nobody else uses during the call.
        let names = unsafe { &mut *names.cast::<Vec<PathBuf>>() };
        names.push(name);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_list_is_read_with_what_it_includes() {
        let folder = env::temp_dir().join(format!("anyccl-places-{}", std::process::id()));
        fs::create_dir_all(folder.join("more")).unwrap();
        let list = folder.join("list.conf");
        let include = folder.join("more/*.conf");
        fs::write(&list, format!("/one # a comment\n\ninclude {}\nrelative\n/last\n", include.display()))
            .unwrap();
        fs::write(folder.join("more/b.conf"), "/three\n").unwrap();
        fs::write(folder.join("more/a.conf"), format!("/two\ninclude {}\n", include.display())).unwrap();
        fs::write(folder.join("more/a.txt"), "/not\n").unwrap();
        let mut folders = Vec::new();
        read_loaders_list(&list, &mut folders, 4);
        assert_eq!(folders, ["/one", "/last"].map(Path::new), "as deep as it goes");
        folders.clear();
        read_loaders_list(&list, &mut folders, 3);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(folders, ["/one", "/two", "/three", "/last"].map(Path::new));
    }

    #[test]
    fn a_program_that_has_loaded_no_nccl_has_none() {
        assert!(loaded().is_empty());
    }
}
