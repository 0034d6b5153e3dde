//! MPI's functions on views.

use std::ffi::CString;
use std::sync::Arc;

use super::representation::Representation;
use super::view::View;
use super::with::with;
use super::{File, agree};
use crate::abi::TextLimit;
use crate::arguments::{DatatypeHandle, FileHandle, InfoHandle, Output, TextPlace};
use crate::constants::{DISPLACEMENT_CURRENT, MAX_DATAREP_STRING, MODE_RDONLY, MODE_SEQUENTIAL};
use crate::error::{Class, Error, Result};
use crate::info::Pairs;
use crate::types;

/// The new view of this process, after the checks of the arguments.
fn new_view(
    file: &File,
    disp: i64,
    etype: DatatypeHandle,
    filetype: DatatypeHandle,
    datarep: &CString,
) -> Result<View> {
    let is_sequential = file.amode & MODE_SEQUENTIAL != 0;
    if is_sequential != (disp == DISPLACEMENT_CURRENT) {
        let text = "disp is MPI_DISPLACEMENT_CURRENT for files with MPI_MODE_SEQUENTIAL, and only for these";
        return Err(Error::new(Class::DISP, text));
    }
    let disp = if is_sequential { file.current_displacement()? } else { disp };
    let representation = Representation::of_name(datarep.as_bytes())?;
    let (etype, filetype) = (types::committed(etype)?, types::committed(filetype)?);
    let view = View::new(disp, Arc::clone(&etype), Arc::clone(&filetype), representation)?;
    if !view.is_ascending && file.amode & MODE_RDONLY == 0 {
        let text = "parts of the filetype overlap, and the file may be written";
        return Err(Error::new(Class::IO, text));
    }
    Ok(view)
}

/// `MPI_File_set_view`. Collective.
pub unsafe fn set_view(
    fh: FileHandle,
    disp: i64,
    etype: DatatypeHandle,
    filetype: DatatypeHandle,
    datarep: CString,
    info: InfoHandle,
) -> Result<()> {
    with(fh, |file| {
        let new = new_view(file, disp, etype, filetype, &datarep)
            .and_then(|view| Ok((view, Pairs::of_handle_or_null(info)?)));
        let (view, pairs) = agree(&file.engine, new)?;
        let mut hints = file.hints.lock().clone();
        hints.add(&file.engine, &pairs)?;
        *file.hints.lock() = hints;
        {
            let mut state = file.state.lock();
            state.view = Arc::new(view);
            state.pointer = 0;
        }
        file.reset_shared_pointer()
    })
}

/// `MPI_File_get_view`.
pub unsafe fn get_view(
    fh: FileHandle,
    disp: Output<i64>,
    etype: Output<DatatypeHandle>,
    filetype: Output<DatatypeHandle>,
    datarep: TextPlace,
) -> Result<()> {
    with(fh, |file| {
        let view = file.view();
        disp.set(view.displacement);
        etype.set(types::handle(Arc::clone(&view.etype)));
        filetype.set(types::handle(Arc::clone(&view.filetype)));
        datarep.put(view.representation.name(), TextLimit::Given(MAX_DATAREP_STRING));
        Ok(())
    })
}

/// `MPI_File_get_byte_offset`.
pub unsafe fn get_byte_offset(fh: FileHandle, offset: i64, disp: Output<i64>) -> Result<()> {
    with(fh, |file| {
        disp.set(file.view().byte_at(offset)?);
        Ok(())
    })
}

/// `MPI_File_get_type_extent`.
pub unsafe fn get_type_extent(fh: FileHandle, datatype: DatatypeHandle, extent: Output<i64>) -> Result<()> {
    with(fh, |file| {
        let datatype = types::get(datatype)?;
        extent.set(file.view().representation.extent(&datatype)?);
        Ok(())
    })
}
