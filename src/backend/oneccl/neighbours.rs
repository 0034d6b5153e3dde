//! Opens a library together with what it needs from its own folder.
//!
//! The loader looks up the libraries that a library needs by bare name in its own folders, unless a library
//! of that name is loaded. So what the loader does not find is opened here first, by path. Then the library
//! is tried again.

use std::path::Path;

use crate::sys::foreign_library::ForeignLibrary;

/// Upper limit of the libraries that are opened for one library, directly and indirectly.
const MOST: usize = 32;

/// Opens the file of that name in the first folder that has it. The libraries that it needs may lie in any of
/// the folders.
pub fn open(name: &str, folders: &[&Path]) -> Result<ForeignLibrary, String> {
    open_within(name, folders, &mut 0)
}

fn open_within(name: &str, folders: &[&Path], opened: &mut usize) -> Result<ForeignLibrary, String> {
    let files = folders.iter().map(|folder| folder.join(name));
    let Some(file) = files.into_iter().find(|file| file.is_file()) else {
        let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(format!("there is no {name} in {}", folders.join(" or ")));
    };
    loop {
        // SAFETY: part of a library that the user or the loader has named, from its own folder.
        let refusal = match unsafe { ForeignLibrary::open(&file.to_string_lossy()) } {
            Ok(library) => return Ok(library),
            Err(refusal) => refusal,
        };
        *opened += 1;
        let needed = missing(&refusal).filter(|needed| *needed != name && *opened < MOST);
        match needed {
            Some(needed) => {
                open_within(needed, folders, opened).map_err(|why| format!("{name} needs {needed}: {why}"))?
            }
            None => return Err(refusal),
        };
    }
}

/// The library that was not found, taken from the loader's sentence "NAME: cannot open shared object file:
/// ...".
fn missing(refusal: &str) -> Option<&str> {
    let (name, _) = refusal.split_once(": ")?;
    (name.contains(".so") && !name.contains('/')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_name_is_something_that_is_missing() {
        assert_eq!(missing("libx.so.2: cannot open shared object file: No such file"), Some("libx.so.2"));
        assert_eq!(missing("/usr/lib/libx.so.2: file too short"), None);
        assert_eq!(missing("no colon"), None);
    }

    #[test]
    fn a_file_that_is_in_no_folder_is_named_with_the_folders() {
        let Err(why) = open("libnone.so", &[Path::new("/a"), Path::new("/b")]) else {
            panic!("it was opened")
        };
        assert_eq!(why, "there is no libnone.so in /a or /b");
    }
}
