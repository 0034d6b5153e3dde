//! Data representations: the form of data in a file (MPI 5.0, section 14.5).
//!
//! In `native` and `internal`, data is as in memory. In `external32` it is big-endian, with sizes of MPI's
//! table.

use std::sync::Arc;

use crate::constants::BYTE;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};

/// The form of data in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// `native`.
    Native,
    /// `internal`, which is `native` here.
    Internal,
    /// `external32`.
    External32,
}

impl Representation {
    /// The representation of this name.
    pub fn of_name(name: &[u8]) -> Result<Representation> {
        match name {
            b"native" => Ok(Representation::Native),
            b"internal" => Ok(Representation::Internal),
            b"external32" => Ok(Representation::External32),
            other => {
                let text = format!(
                    "the data representation \"{}\" is not known: it is native, internal or external32",
                    String::from_utf8_lossy(other)
                );
                Err(Error::new(Class::UNSUPPORTED_DATAREP, text))
            }
        }
    }

    /// Its name.
    pub fn name(self) -> &'static [u8] {
        match self {
            Representation::Native => b"native",
            Representation::Internal => b"internal",
            Representation::External32 => b"external32",
        }
    }

    /// Whether data has another form than in memory.
    pub fn is_converted(self) -> bool {
        self == Representation::External32
    }

    /// Bytes of the data of `count` elements in a file.
    pub fn bytes_of(self, datatype: &Datatype, count: i64) -> Result<i64> {
        if self.is_converted() {
            return datatype.external32_size(count);
        }
        let bytes = datatype.size().checked_mul(count);
        bytes.ok_or_else(|| Error::new(Class::COUNT, format!("{count} elements exceed memory")))
    }

    /// The extent of a datatype in a file.
    pub fn extent(self, datatype: &Datatype) -> Result<i64> {
        let bytes = self.bytes_of(datatype, 1)?;
        if bytes == datatype.size() {
            return Ok(datatype.extent());
        }
        if datatype.is_contiguous() || datatype.is_predefined() {
            return Ok(bytes);
        }
        Err(other_sizes())
    }

    /// The pattern of bytes in a file of a filetype that is made of etypes.
    pub fn layout(self, etype: &Datatype, filetype: &Arc<Datatype>) -> Result<Arc<Datatype>> {
        if self.bytes_of(etype, 1)? == etype.size() && self.bytes_of(filetype, 1)? == filetype.size() {
            return Ok(Arc::clone(filetype));
        }
        if filetype.is_contiguous() && filetype.true_lb() == 0 {
            return Ok(Arc::clone(Datatype::predefined(BYTE).expect("MPI_BYTE is predefined")));
        }
        Err(other_sizes())
    }
}

#[cold]
fn other_sizes() -> Error {
    let text = "external32 gives elements of this datatype another size than memory, and the datatype has holes; use \
                a contiguous filetype, or types such as MPI_INT64_T";
    Error::new(Class::UNSUPPORTED_DATAREP, text)
}
