//! Abstract interfaces of the procedures that a program passes to MPI, for `mpi_f08`.

/// Names, arguments, and the declarations of these.
struct Callback {
    name: &'static str,
    arguments: &'static str,
    declared: &'static [&'static str],
}

const fn callback(
    name: &'static str,
    arguments: &'static str,
    declared: &'static [&'static str],
) -> Callback {
    Callback { name, arguments, declared }
}

const STATE: &str = "integer(MPI_ADDRESS_KIND) :: extra_state";
const VALUES: &str = "integer(MPI_ADDRESS_KIND) :: attribute_val_in, attribute_val_out";
const VALUE: &str = "integer(MPI_ADDRESS_KIND) :: attribute_val";
const BUFFERS: &str = "type(c_ptr), value :: userbuf, filebuf";
const POSITION: &str = "integer(MPI_OFFSET_KIND) :: position";

/// All that the standard has, in the order of its chapters.
const CALLBACKS: &[Callback] = &[
    callback(
        "MPI_User_function",
        "invec, inoutvec, len, datatype",
        &["type(c_ptr), value :: invec, inoutvec", "integer :: len", "type(MPI_Datatype) :: datatype"],
    ),
    callback(
        "MPI_User_function_c",
        "invec, inoutvec, len, datatype",
        &[
            "type(c_ptr), value :: invec, inoutvec",
            "integer(MPI_COUNT_KIND) :: len",
            "type(MPI_Datatype) :: datatype",
        ],
    ),
    callback(
        "MPI_Comm_copy_attr_function",
        "oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror",
        &["type(MPI_Comm) :: oldcomm", "integer :: comm_keyval, ierror", STATE, VALUES, "logical :: flag"],
    ),
    callback(
        "MPI_Comm_delete_attr_function",
        "comm, comm_keyval, attribute_val, extra_state, ierror",
        &["type(MPI_Comm) :: comm", "integer :: comm_keyval, ierror", VALUE, STATE],
    ),
    callback(
        "MPI_Win_copy_attr_function",
        "oldwin, win_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror",
        &["type(MPI_Win) :: oldwin", "integer :: win_keyval, ierror", STATE, VALUES, "logical :: flag"],
    ),
    callback(
        "MPI_Win_delete_attr_function",
        "win, win_keyval, attribute_val, extra_state, ierror",
        &["type(MPI_Win) :: win", "integer :: win_keyval, ierror", VALUE, STATE],
    ),
    callback(
        "MPI_Type_copy_attr_function",
        "oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror",
        &[
            "type(MPI_Datatype) :: oldtype",
            "integer :: type_keyval, ierror",
            STATE,
            VALUES,
            "logical :: flag",
        ],
    ),
    callback(
        "MPI_Type_delete_attr_function",
        "datatype, type_keyval, attribute_val, extra_state, ierror",
        &["type(MPI_Datatype) :: datatype", "integer :: type_keyval, ierror", VALUE, STATE],
    ),
    callback(
        "MPI_Comm_errhandler_function",
        "comm, error_code",
        &["type(MPI_Comm) :: comm", "integer :: error_code"],
    ),
    callback(
        "MPI_Win_errhandler_function",
        "win, error_code",
        &["type(MPI_Win) :: win", "integer :: error_code"],
    ),
    callback(
        "MPI_File_errhandler_function",
        "file, error_code",
        &["type(MPI_File) :: file", "integer :: error_code"],
    ),
    callback(
        "MPI_Session_errhandler_function",
        "session, error_code",
        &["type(MPI_Session) :: session", "integer :: error_code"],
    ),
    callback(
        "MPI_Grequest_query_function",
        "extra_state, status, ierror",
        &[STATE, "type(MPI_Status) :: status", "integer :: ierror"],
    ),
    callback("MPI_Grequest_free_function", "extra_state, ierror", &[STATE, "integer :: ierror"]),
    callback(
        "MPI_Grequest_cancel_function",
        "extra_state, complete, ierror",
        &[STATE, "logical :: complete", "integer :: ierror"],
    ),
    callback(
        "MPI_Datarep_extent_function",
        "datatype, extent, extra_state, ierror",
        &[
            "type(MPI_Datatype) :: datatype",
            "integer(MPI_ADDRESS_KIND) :: extent",
            STATE,
            "integer :: ierror",
        ],
    ),
    callback(
        "MPI_Datarep_conversion_function",
        "userbuf, datatype, count, filebuf, position, extra_state, ierror",
        &[BUFFERS, "type(MPI_Datatype) :: datatype", "integer :: count, ierror", POSITION, STATE],
    ),
    callback(
        "MPI_Datarep_conversion_function_c",
        "userbuf, datatype, count, filebuf, position, extra_state, ierror",
        &[
            BUFFERS,
            "type(MPI_Datatype) :: datatype",
            "integer(MPI_COUNT_KIND) :: count",
            "integer :: ierror",
            POSITION,
            STATE,
        ],
    ),
];

/// The abstract interface for an argument, by its kind in the tables. `None`: there is none.
pub fn of_kind(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "OpFunction" => "MPI_User_function",
        "LargeOpFunction" => "MPI_User_function_c",
        "CommCopyFunction" => "MPI_Comm_copy_attr_function",
        "CommDeleteFunction" => "MPI_Comm_delete_attr_function",
        "WinCopyFunction" => "MPI_Win_copy_attr_function",
        "WinDeleteFunction" => "MPI_Win_delete_attr_function",
        "TypeCopyFunction" => "MPI_Type_copy_attr_function",
        "TypeDeleteFunction" => "MPI_Type_delete_attr_function",
        "CommErrorFunction" => "MPI_Comm_errhandler_function",
        "WinErrorFunction" => "MPI_Win_errhandler_function",
        "FileErrorFunction" => "MPI_File_errhandler_function",
        "SessionErrorFunction" => "MPI_Session_errhandler_function",
        "GrequestQueryFunction" => "MPI_Grequest_query_function",
        "GrequestFreeFunction" => "MPI_Grequest_free_function",
        "GrequestCancelFunction" => "MPI_Grequest_cancel_function",
        _ => return None,
    })
}

/// The abstract interfaces.
pub fn interfaces() -> String {
    let mut text = String::from("  abstract interface\n");
    for Callback { name, arguments, declared } in CALLBACKS {
        text.push_str(&format!("    subroutine {name}( &\n      {arguments})\n      import\n"));
        for line in *declared {
            text.push_str(&format!("      {line}\n"));
        }
        text.push_str("    end subroutine\n");
    }
    text.push_str("  end interface\n");
    text
}
