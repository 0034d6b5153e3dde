//! Opening, closing and deleting files.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyccl_engine::comm::Communicator;
use parking_lot::Mutex;

use super::disk::failed;
use super::view::View;
use super::with::with;
use super::{Disk, FILES, File, Hints, SharedPointer, State, agree, agree_on, amode as modes};
use crate::arguments::{CommHandle, FileHandle, InfoHandle, InputOutput, Output};
use crate::comm;
use crate::constants as c;
use crate::errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;

/// Prefixes by which programs name a file system to ROMIO. They are no part of the path.
const PREFIXES: [&[u8]; 9] =
    [b"ufs:", b"nfs:", b"xfs:", b"pvfs2:", b"lustre:", b"gpfs:", b"panfs:", b"testfs:", b"daos:"];

/// The path that the program means.
fn path(name: &CString) -> Result<PathBuf> {
    let name = name.as_bytes();
    let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name);
    if bare.is_empty() {
        return Err(Error::new(Class::BAD_FILE, "the file name is empty"));
    }
    Ok(PathBuf::from(OsStr::from_bytes(bare)))
}

/// `MPI_File_open`.
pub unsafe fn open(
    comm: CommHandle,
    filename: CString,
    amode: i32,
    info: InfoHandle,
    fh: Output<FileHandle>,
) -> Result<()> {
    fh.set(FileHandle::NULL);
    let parent = comm::parent(comm)?;
    parent.check_intra()?;
    let (engine, _) = parent.duplicate_engines("file")?;
    let named = modes::check(amode).and_then(|()| Ok((path(&filename)?, Pairs::of_handle_or_null(info)?)));
    let (path, info) = agree(&engine, named)?;
    agree_on(&engine, "the access mode", amode.into())?;
    let mut hints = Hints::default_for(engine.size());
    hints.add(&engine, &info)?;
    let disk = open_on_all(&engine, path, amode, hints.permissions())?;
    let group = Arc::new(Group::new(engine.world_ranks().to_vec()));
    let shared = SharedPointer::make(&engine, disk.path())?;
    let pointer = if amode & c::MODE_APPEND == 0 { 0 } else { agree(&engine, disk.size())? };
    let set = match &shared {
        Some(shared) if engine.rank() == 0 => shared.set(pointer),
        _ => Ok(()),
    };
    // No rank uses the shared file pointer before it is set.
    agree(&engine, set)?;
    let make = |id| File {
        id,
        engine,
        group,
        disk,
        amode,
        is_atomic: AtomicBool::new(false),
        atomic_turn: Mutex::new(()),
        state: Mutex::new(State { view: Arc::new(View::bytes()), pointer, split: None }),
        shared,
        hints: Mutex::new(hints),
        errhandler: Mutex::new(errhandler::of_files()),
    };
    fh.set(FileHandle(FILES.insert_with(make)));
    Ok(())
}

/// Opens the file on all ranks, or on none. A file that is created is created by rank 0.
fn open_on_all(engine: &Communicator, path: PathBuf, amode: i32, permissions: u32) -> Result<Disk> {
    let open = |is_first| {
        let opened = modes::options(amode, is_first, permissions).open(&path);
        opened.map_err(|error| failed(&path, "opening", &error))
    };
    let creates = amode & (c::MODE_CREATE | c::MODE_EXCL) != 0;
    let created = match engine.rank() {
        0 if creates => agree(engine, open(true).map(Some))?,
        _ if creates => agree(engine, Ok(None))?,
        _ => None,
    };
    let opened = created.map_or_else(|| open(false), Ok);
    let file = agree(engine, opened)?;
    Ok(Disk::new(path, file))
}

/// `MPI_File_close`.
pub unsafe fn close(fh: InputOutput<FileHandle>) -> Result<()> {
    let handle = fh.get();
    let mut is_open = false;
    let outcome = with(handle, |file| {
        is_open = true;
        // No rank deletes the file while another still uses it.
        let closed = agree(&file.engine, file.disk.check_close());
        let is_deleted = file.amode & c::MODE_DELETE_ON_CLOSE != 0;
        let outcome = match file.engine.rank() {
            0 if is_deleted => {
                let path = file.disk.path();
                std::fs::remove_file(path).map_err(|error| failed(path, "deletion", &error))
            }
            _ => Ok(()),
        };
        let deleted = if is_deleted { agree(&file.engine, outcome) } else { outcome };
        closed.and(deleted)
    });
    // The file is closed, also after an error.
    if is_open {
        FILES.remove(handle.0)?;
        fh.set(FileHandle::NULL);
    }
    outcome
}

/// `MPI_File_delete`.
pub unsafe fn delete(filename: CString, info: InfoHandle) -> Result<()> {
    Pairs::of_handle_or_null(info)?;
    let path = path(&filename)?;
    std::fs::remove_file(&path).map_err(|error| failed(&path, "deletion", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_file_systems_are_no_part_of_the_path() {
        let of = |name: &str| path(&CString::new(name).unwrap()).unwrap();
        assert_eq!(of("ufs:/tmp/a"), PathBuf::from("/tmp/a"));
        assert_eq!(of("a:b"), PathBuf::from("a:b"));
        assert_eq!(path(&CString::new("nfs:").unwrap()).unwrap_err().class, Class::BAD_FILE);
    }
}
