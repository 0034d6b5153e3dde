//! Error classes, by the numbers of the standard ABI (MPI 5.0, section 20.4), and the error that every
//! function returns.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Deref;

use anyccl_engine::base;

/// An error class, or an error code that the program has added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(pub i32);

/// The classes. Each has the meaning of `MPI_ERR_` and its name, or of `MPI_T_ERR_` for a name that begins
/// with `T_`. The standard does not have the last three, which have MPICH's numbers.
#[allow(missing_docs)]
impl Class {
    pub const SUCCESS: Class = Class(0);
    pub const BUFFER: Class = Class(1);
    pub const COUNT: Class = Class(2);
    pub const TYPE: Class = Class(3);
    pub const TAG: Class = Class(4);
    pub const COMM: Class = Class(5);
    pub const RANK: Class = Class(6);
    pub const REQUEST: Class = Class(7);
    pub const ROOT: Class = Class(8);
    pub const GROUP: Class = Class(9);
    pub const OP: Class = Class(10);
    pub const TOPOLOGY: Class = Class(11);
    pub const DIMS: Class = Class(12);
    pub const ARG: Class = Class(13);
    pub const UNKNOWN: Class = Class(14);
    pub const TRUNCATE: Class = Class(15);
    pub const OTHER: Class = Class(16);
    pub const INTERN: Class = Class(17);
    pub const PENDING: Class = Class(18);
    pub const IN_STATUS: Class = Class(19);
    pub const ACCESS: Class = Class(20);
    pub const AMODE: Class = Class(21);
    pub const ASSERT: Class = Class(22);
    pub const BAD_FILE: Class = Class(23);
    pub const BASE: Class = Class(24);
    pub const CONVERSION: Class = Class(25);
    pub const DISP: Class = Class(26);
    pub const DUP_DATAREP: Class = Class(27);
    pub const FILE_EXISTS: Class = Class(28);
    pub const FILE_IN_USE: Class = Class(29);
    pub const FILE: Class = Class(30);
    pub const INFO_KEY: Class = Class(31);
    pub const INFO_NOKEY: Class = Class(32);
    pub const INFO_VALUE: Class = Class(33);
    pub const INFO: Class = Class(34);
    pub const IO: Class = Class(35);
    pub const KEYVAL: Class = Class(36);
    pub const LOCKTYPE: Class = Class(37);
    pub const NAME: Class = Class(38);
    pub const NO_MEM: Class = Class(39);
    pub const NOT_SAME: Class = Class(40);
    pub const NO_SPACE: Class = Class(41);
    pub const NO_SUCH_FILE: Class = Class(42);
    pub const PORT: Class = Class(43);
    pub const QUOTA: Class = Class(44);
    pub const READ_ONLY: Class = Class(45);
    pub const RMA_ATTACH: Class = Class(46);
    pub const RMA_CONFLICT: Class = Class(47);
    pub const RMA_RANGE: Class = Class(48);
    pub const RMA_SHARED: Class = Class(49);
    pub const RMA_SYNC: Class = Class(50);
    pub const SERVICE: Class = Class(51);
    pub const SIZE: Class = Class(52);
    pub const SPAWN: Class = Class(53);
    pub const UNSUPPORTED_DATAREP: Class = Class(54);
    pub const UNSUPPORTED_OPERATION: Class = Class(55);
    pub const WIN: Class = Class(56);
    pub const RMA_FLAVOR: Class = Class(57);
    pub const PROC_ABORTED: Class = Class(58);
    pub const VALUE_TOO_LARGE: Class = Class(59);
    pub const SESSION: Class = Class(60);
    pub const ERRHANDLER: Class = Class(61);
    pub const ABI: Class = Class(62);
    pub const T_CANNOT_INIT: Class = Class(1001);
    pub const T_NOT_ACCESSIBLE: Class = Class(1002);
    pub const T_NOT_INITIALIZED: Class = Class(1003);
    pub const T_NOT_SUPPORTED: Class = Class(1004);
    pub const T_MEMORY: Class = Class(1005);
    pub const T_INVALID: Class = Class(1006);
    pub const T_INVALID_INDEX: Class = Class(1007);
    pub const T_INVALID_ITEM: Class = Class(1008);
    pub const T_INVALID_SESSION: Class = Class(1009);
    pub const T_INVALID_HANDLE: Class = Class(1010);
    pub const T_INVALID_NAME: Class = Class(1011);
    pub const T_OUT_OF_HANDLES: Class = Class(1012);
    pub const T_OUT_OF_SESSIONS: Class = Class(1013);
    pub const T_CVAR_SET_NOT_NOW: Class = Class(1014);
    pub const T_CVAR_SET_NEVER: Class = Class(1015);
    pub const T_PVAR_NO_WRITE: Class = Class(1016);
    pub const T_PVAR_NO_STARTSTOP: Class = Class(1017);
    pub const T_PVAR_NO_ATOMIC: Class = Class(1018);
    pub const PROC_FAILED: Class = Class(101);
    pub const PROC_FAILED_PENDING: Class = Class(102);
    pub const REVOKED: Class = Class(103);
    /// Last number that a class or code of the library may have.
    pub const LASTCODE: Class = Class(0x3fff);
}

/// Why an MPI function failed. It is boxed, so that a result without a value is one word, which small calls
/// return in a register.
#[derive(Clone, Debug)]
pub struct Error(Box<Reason>);

/// The contents of an error: a class for the program, a sentence for a person.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The class that the function returns.
    pub class: Class,
    /// The reason, without the name of the function.
    pub text: Cow<'static, str>,
    /// Communicator whose error handler is called, if the function's arguments do not name it.
    pub comm: Option<u32>,
    /// File whose error handler is called.
    pub file: Option<u32>,
    /// Window whose error handler is called.
    pub win: Option<u32>,
    /// Error handler that is called, of an object that is not made because of this error.
    pub errhandler: Option<u32>,
    /// The sender and the tag of the message that was truncated.
    pub message: Option<(i32, i32)>,
}

/// Words in the reason why a revoked communicator has failed.
pub const REVOKED: &str = "revoked by MPIX_Comm_revoke";

/// Result of MPI functions.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of this class.
    #[cold]
    pub fn new(class: Class, text: impl Into<Cow<'static, str>>) -> Error {
        let text = text.into();
        Error(Box::new(Reason {
            class,
            text,
            comm: None,
            file: None,
            win: None,
            errhandler: None,
            message: None,
        }))
    }

    /// Names the sender of a truncated message by its rank in a communicator, whose first rank is
    /// `first_peer` in the engine.
    #[cold]
    pub fn among_peers_from(mut self, first_peer: u32) -> Error {
        if let Some((source, _)) = &mut self.0.message {
            *source -= first_peer.cast_signed();
        }
        self
    }

    /// Assigns this error to the error handler of a file.
    #[cold]
    pub fn on_file(mut self, file: u32) -> Error {
        self.0.file = Some(file);
        self
    }

    /// Assigns this error to the error handler of a window.
    #[cold]
    pub fn on_win(mut self, win: u32) -> Error {
        self.0.win = Some(win);
        self
    }

    /// Assigns this error to an error handler of the program.
    #[cold]
    pub fn on_errhandler(mut self, errhandler: u32) -> Error {
        self.0.errhandler = Some(errhandler);
        self
    }

    /// Assigns this error to the error handler of a communicator.
    #[cold]
    pub fn on(mut self, comm: u32) -> Error {
        self.0.comm = Some(comm);
        self
    }
}

impl Deref for Error {
    type Target = Reason;

    fn deref(&self) -> &Reason {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// Converts an error of the engine, whose sentence names ranks and calls already.
impl From<base::Error> for Error {
    #[cold]
    fn from(error: base::Error) -> Error {
        let class = match &error {
            base::Error::InvalidArgument { .. } => Class::ARG,
            base::Error::Unsupported(_) => Class::UNSUPPORTED_OPERATION,
            base::Error::System { source, .. } if source.kind() == io::ErrorKind::OutOfMemory => {
                Class::NO_MEM
            }
            base::Error::PeerLost { .. } => Class::PROC_FAILED,
            base::Error::Aborted(text) if text.contains(REVOKED) => Class::REVOKED,
            base::Error::Aborted(_) => Class::PROC_ABORTED,
            base::Error::Truncated { .. } => Class::TRUNCATE,
            base::Error::Internal(_) => Class::INTERN,
            base::Error::InvalidUsage(_)
            | base::Error::Timeout { .. }
            | base::Error::Mismatch(_)
            | base::Error::Bootstrap(_)
            | base::Error::System { .. } => Class::OTHER,
        };
        let mut converted = Error::new(class, error.to_string());
        if let base::Error::Truncated { source, tag, .. } = error {
            converted.0.message = Some((source.cast_signed(), tag));
        }
        converted
    }
}

impl From<Box<base::Error>> for Error {
    #[cold]
    fn from(error: Box<base::Error>) -> Error {
        Error::from(*error)
    }
}
