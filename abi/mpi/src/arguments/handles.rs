//! Handles of MPI objects: numbers that are equal in every ABI, and their translation to the ABI's handles.

use std::ffi::c_int;
use std::marker::PhantomData;

use super::{Element, Kind, Out, Output, Returned};
use crate::abi::{Abi, Object};
use crate::constants as c;
use crate::error::Result;

/// A pointer to which the handle of a new object is written. If the call fails, it is the null handle there.
pub struct Made<H>(PhantomData<H>);

impl<A: Abi> Kind<A> for Made<CommHandle> {
    type C = *mut A::Handle;
    type Value = Output<CommHandle>;

    unsafe fn value(raw: *mut A::Handle, name: &'static str) -> Result<Output<CommHandle>> {
        // SAFETY: passed on from our caller.
        let made: Output<CommHandle> = unsafe { <Out<CommHandle> as Kind<A>>::value(raw, name) }?;
        made.set(CommHandle::NULL);
        Ok(made)
    }
}

/// A handle as an integer: `MPI_Comm_toint` and its like.
pub struct Integer<H>(PhantomData<H>);

/// Defines a kind of handle: its name, the type of its object, and the handle that names no object.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident: $object:ident, $null:path;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The handle that names no object.
            pub const NULL: $name = $name($null);

            /// Whether the handle names no object.
            #[inline]
            pub fn is_null(self) -> bool {
                self == $name::NULL
            }
        }

        impl<A: Abi> Element<A> for $name {
            type C = A::Handle;
            type Value = $name;

            #[inline(always)]
            fn value(raw: A::Handle) -> $name {
                $name(A::id(Object::$object, raw))
            }

            #[inline(always)]
            fn raw(value: $name) -> A::Handle {
                A::handle(Object::$object, value.0)
            }
        }

        impl<A: Abi> Kind<A> for $name {
            type C = A::Handle;
            type Value = $name;

            #[inline(always)]
            unsafe fn value(raw: A::Handle, _: &'static str) -> Result<$name> {
                Ok($name(A::id(Object::$object, raw)))
            }
        }

        impl<A: Abi> Kind<A> for Integer<$name> {
            type C = c_int;
            type Value = $name;

            unsafe fn value(raw: c_int, _: &'static str) -> Result<$name> {
                Ok($name(A::of_integer(Object::$object, raw)))
            }
        }

        impl<A: Abi> Returned<A> for Integer<$name> {
            type C = c_int;
            type Value = $name;

            fn raw(value: $name) -> c_int {
                A::integer(Object::$object, value.0)
            }
        }
    )*};
}

handles! {
    /// `MPI_Comm`.
    CommHandle: Comm, c::COMM_NULL;
    /// `MPI_Datatype`.
    DatatypeHandle: Datatype, c::DATATYPE_NULL;
    /// `MPI_Errhandler`.
    ErrhandlerHandle: Errhandler, c::ERRHANDLER_NULL;
    /// `MPI_Group`.
    GroupHandle: Group, c::GROUP_NULL;
    /// `MPI_Info`.
    InfoHandle: Info, c::INFO_NULL;
    /// `MPI_Message`.
    MessageHandle: Message, c::MESSAGE_NULL;
    /// `MPI_Op`.
    OpHandle: Op, c::OP_NULL;
    /// `MPI_Request`.
    RequestHandle: Request, c::REQUEST_NULL;
    /// `MPI_Session`.
    SessionHandle: Session, c::SESSION_NULL;
    /// `MPI_Win`.
    WinHandle: Win, c::WIN_NULL;
}

/// `MPI_File`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHandle(pub u32);

impl FileHandle {
    /// The handle that names no file.
    pub const NULL: FileHandle = FileHandle(c::FILE_NULL);

    /// Whether the handle names no file.
    pub fn is_null(self) -> bool {
        self == FileHandle::NULL
    }
}

impl<A: Abi> Element<A> for FileHandle {
    type C = A::File;
    type Value = FileHandle;

    fn value(raw: A::File) -> FileHandle {
        FileHandle(A::file_id(raw))
    }

    fn raw(value: FileHandle) -> A::File {
        A::file(value.0)
    }
}

impl<A: Abi> Kind<A> for FileHandle {
    type C = A::File;
    type Value = FileHandle;

    unsafe fn value(raw: A::File, _: &'static str) -> Result<FileHandle> {
        Ok(FileHandle(A::file_id(raw)))
    }
}

impl<A: Abi> Kind<A> for Integer<FileHandle> {
    type C = c_int;
    type Value = FileHandle;

    unsafe fn value(raw: c_int, _: &'static str) -> Result<FileHandle> {
        Ok(FileHandle(A::file_of_integer(raw)))
    }
}

impl<A: Abi> Returned<A> for Integer<FileHandle> {
    type C = c_int;
    type Value = FileHandle;

    fn raw(value: FileHandle) -> c_int {
        A::file_integer(value.0)
    }
}
