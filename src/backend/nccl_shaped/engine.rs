//! An opened library of NCCL's shape: what it can do, and how it makes a communicator.

use std::ffi::{CString, c_int};
use std::ptr;
use std::sync::Arc;

use super::communicator::Communicator;
use super::connect::Connecting;
use super::dialect::{Dialect, version_text};
use super::elements;
use super::features::Features;
use super::functions::{Functions, UniqueId};
use super::outcome::{self, SUCCESS};
use super::stream::Stream;
use crate::backend::engine::{ForeignComm, ForeignEngine, OobExchange};
use crate::backend::inside::Inside;
use crate::backend::{MemoryKind, Shape};
use crate::base::{Collective, Error, Result};
use crate::sys::foreign_library::ForeignLibrary;

/// Opens the stream of a communicator. Collective over the ranks of the exchange.
pub type OpenStream = fn(&dyn OobExchange) -> Result<Box<dyn Stream>>;

/// A library of NCCL's shape whose unique id has `ID` bytes.
pub struct Engine<const ID: usize> {
    dialect: &'static Dialect,
    functions: Arc<Functions<ID>>,
    features: Features,
    version: c_int,
    path: String,
    open_stream: OpenStream,
}

impl<const ID: usize> Engine<ID> {
    /// Finds the functions of an opened library and asks its version.
    ///
    /// # Safety
    /// The library is the one that the dialect describes.
    pub unsafe fn new(
        library: &ForeignLibrary,
        dialect: &'static Dialect,
        features: impl FnOnce(c_int) -> std::result::Result<Features, String>,
        open_stream: OpenStream,
    ) -> std::result::Result<Engine<ID>, String> {
        // SAFETY: our caller's promise.
        let functions = unsafe { Functions::bind(library, dialect) }?;
        let version_function = CString::new(format!("{}GetVersion", dialect.prefix)).expect("no NUL in it");
        let mut version = 0;
        let inside = Inside::enter();
        // SAFETY: writes one number.
        let result = unsafe { (functions.get_version)(&mut version) };
        drop(inside);
        if result != SUCCESS || version == 0 {
            return Err(format!("{}GetVersion gives {version}, with result {result}", dialect.prefix));
        }
        let features = features(version)?;
        let path = library.path(&version_function);
        Ok(Engine { dialect, functions: Arc::new(functions), features, version, path, open_stream })
    }

    fn check(&self, function: &str, result: c_int) -> Result<()> {
        outcome::check(self.dialect, function, result, || {
            // SAFETY: NULL asks in general.
            unsafe { self.functions.last_error(ptr::null_mut()) }
        })
    }

    /// Rank 0 makes the id and all ranks get it: a byte that says whether rank 0 succeeded, then the id or
    /// the reason.
    fn unique_id(&self, oob: &dyn OobExchange) -> Result<UniqueId<ID>> {
        let mut message = vec![0; 1 + ID];
        let mut failure = None;
        if oob.rank() == 0 {
            let mut id = UniqueId([0; ID]);
            let inside = Inside::enter();
            // SAFETY: writes one id.
            let result = unsafe { (self.functions.get_unique_id)(&mut id) };
            drop(inside);
            match self.check("GetUniqueId", result) {
                Ok(()) => message[1..].copy_from_slice(&id.0),
                Err(error) => {
                    message[0] = 1;
                    let text = error.to_string();
                    let room = text.len().min(ID);
                    message[1..=room].copy_from_slice(&text.as_bytes()[..room]);
                    failure = Some(error);
                }
            }
        }
        oob.broadcast(0, &mut message)?;
        if let Some(error) = failure {
            return Err(error);
        }
        if message[0] != 0 {
            let text = String::from_utf8_lossy(&message[1..]);
            return Err(Error::Unsupported(format!("rank 0: {}", text.trim_end_matches('\0'))));
        }
        Ok(UniqueId(message[1..].try_into().expect("an id and one byte")))
    }
}

impl<const ID: usize> ForeignEngine for Engine<ID> {
    fn version(&self) -> String {
        format!("{} {}", self.dialect.title, version_text(self.version))
    }

    fn path(&self) -> String {
        self.path.clone()
    }

    fn does(&self, shape: &Shape) -> bool {
        let is_there = match shape.collective {
            Collective::AllReduce
            | Collective::Reduce
            | Collective::Broadcast
            | Collective::AllGather
            | Collective::ReduceScatter => true,
            Collective::AllToAll => self.functions.all_to_all.is_some(),
            Collective::Gather => self.functions.gather.is_some(),
            Collective::Scatter => self.functions.scatter.is_some(),
            _ => false,
        };
        let knows =
            shape.op.is_none_or(|op| elements::reduced(shape.datatype, op, self.features.float8).is_some());
        is_there && knows && shape.memory == self.features.memory
    }

    fn has_messages(&self, memory: MemoryKind) -> bool {
        self.features.messages && memory == self.features.memory
    }

    fn connect(&self, oob: &dyn OobExchange) -> Result<Arc<dyn ForeignComm>> {
        let stream = (self.open_stream)(oob)?;
        let id = self.unique_id(oob)?;
        let connecting = Connecting {
            dialect: self.dialect,
            functions: Arc::clone(&self.functions),
            features: self.features,
            version: self.version,
            stream,
            id,
            rank: oob.rank(),
            size: oob.size(),
        };
        Ok(Arc::new(Communicator::new(connecting.connect(oob)?)))
    }
}
