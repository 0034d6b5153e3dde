//! Output of results: to standard output, or to a file that the user names.
//!
//! A file gets its content in one step, when all of it is there. It is written beside the old one and
//! renamed, so a measurement that is interrupted, or a disk that is full, leaves older results as they were.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::RawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Failure;
use crate::sys::closed::was_closed;

/// Writes to standard output, with colour where that is wanted, and returns the exit code. A reader such as
/// head may have closed it.
pub fn say(text: &str) -> Result<u8, Failure> {
    refuse_closed_output()?;
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(Failure::own(cannot_write("standard output", &error))),
        Ok(()) => Ok(0),
    }
}

/// Prints an object as JSON.
pub fn say_json(value: &Value) -> Result<u8, Failure> {
    say(&(serde_json::to_string_pretty(value).map_err(Failure::own)? + "\n"))
}

/// Writes to a file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    ResultFile::new(path)?.write(bytes)
}

/// The sentence about a standard stream that takes no more.
pub fn cannot_write(stream: &str, error: &io::Error) -> String {
    format!("cannot write to {stream}: {error}")
}

/// The sentence about a standard stream that was closed when this process was started; `None`: it was open.
pub fn closed(stream: &str, fd: RawFd) -> Option<String> {
    was_closed(fd).then(|| format!("cannot write: {stream} is closed"))
}

/// Refuses to go on if standard output was closed when this process was started.
pub fn refuse_closed_output() -> Result<(), Failure> {
    closed("standard output", libc::STDOUT_FILENO).map_or(Ok(()), |text| Err(Failure::own(text)))
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::own(format_args!("cannot write {}: {error}", path.display()))
}

/// A file that can be written, and gets its content at the end.
pub struct ResultFile {
    path: PathBuf,
    mode: WriteMode,
}

/// The way in which a file gets its content.
enum WriteMode {
    /// A new file takes the place of this one, which a link may lead to. An older file's permissions stay.
    Beside { target: PathBuf, old: Option<Permissions> },
    /// A pipe or a device, or a file in a folder that takes no new ones, is written directly.
    Direct(File),
}

impl ResultFile {
    /// Checks that the file can be written, so that a wrong name does not cost an hour. Nothing is changed.
    pub fn new(path: &Path) -> Result<ResultFile, Failure> {
        match WriteMode::of(path) {
            Ok(mode) => Ok(ResultFile { path: path.into(), mode }),
            Err(error) => Err(not_written(path, &error)),
        }
    }

    /// Writes the whole content.
    pub fn write(self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        let written = match self.mode {
            WriteMode::Beside { target, old } => replace(&target, old, bytes.as_ref()),
            WriteMode::Direct(mut file) => overwrite(&mut file, bytes.as_ref()),
        };
        written.map_err(|error| not_written(&self.path, &error))
    }
}

impl WriteMode {
    fn of(path: &Path) -> io::Result<WriteMode> {
        let (target, old, opened) = match fs::metadata(path) {
            Ok(old) => {
                let opened = File::options().write(true).open(path)?;
                if !old.is_file() {
                    return Ok(WriteMode::Direct(opened));
                }
                (path.canonicalize()?, Some(old.permissions()), Some(opened))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_path_buf(), None, None),
            Err(error) => return Err(error),
        };
        let beside = beside(&target)?;
        match (create(&beside), opened) {
            (Ok(_), _) => {
                fs::remove_file(&beside)?;
                Ok(WriteMode::Beside { target, old })
            }
            (Err(_), Some(opened)) => Ok(WriteMode::Direct(opened)),
            (Err(error), None) => Err(error),
        }
    }
}

/// The name of a new file until it has its content.
fn beside(target: &Path) -> io::Result<PathBuf> {
    let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    Ok(target.with_file_name(hidden))
}

fn create(path: &Path) -> io::Result<File> {
    // A file that others may write would not be read as ANYCCL_TUNING_FILE, so the mode does not rely on the
    // umask. A file of this name can only be left from a process that had the same number.
    File::options().write(true).create(true).truncate(true).mode(0o644).open(path)
}

fn replace(target: &Path, old: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(target)?;
    let written = create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Some(old) = old {
            file.set_permissions(old)?;
        }
        // Some file systems say only now that there is no room.
        file.sync_all()?;
        fs::rename(&beside, target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// An empty folder, removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("anyccl-output-{}-{name}", std::process::id()));
            fs::create_dir(&folder).unwrap();
            Folder(folder)
        }

        fn names(&self) -> usize {
            fs::read_dir(&self.0).unwrap().count()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_older_file_stays_until_the_new_content_is_whole_and_keeps_its_permissions() {
        let folder = Folder::new("older");
        let (file, link) = (folder.0.join("results"), folder.0.join("link"));
        fs::write(&file, "older").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("results", &link).unwrap();
        let new = ResultFile::new(&link).unwrap();
        assert_eq!((fs::read(&file).unwrap(), folder.names()), (b"older".to_vec(), 2));
        new.write("new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && folder.names() == 2);
    }

    #[test]
    fn a_check_makes_no_file_and_a_file_that_cannot_be_made_is_named() {
        let folder = Folder::new("check");
        drop(ResultFile::new(&folder.0.join("new")).unwrap());
        assert_eq!(folder.names(), 0);
        for wrong in ["no/such/folder", ""] {
            let wrong = folder.0.join(wrong);
            let told = ResultFile::new(&wrong).err().unwrap().text;
            assert!(told.contains(&*wrong.to_string_lossy()), "{told}");
        }
    }

    #[test]
    fn a_device_is_written_directly_and_a_full_one_is_an_error() {
        write(Path::new("/dev/null"), "text").unwrap();
        let told = write(Path::new("/dev/full"), "text").unwrap_err().text;
        assert!(told.starts_with("cannot write /dev/full: No space left on device"), "{told}");
    }
}
