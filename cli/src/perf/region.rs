//! Memory of a measured call: the host's, or that of a device.

use std::marker::PhantomData;
use std::ptr::with_exposed_provenance;

use anyccl_engine::base::Result;
use anyccl_engine::device::tools::DeviceBuffer;

const PAGE: usize = 4096;

/// Where the buffers of this rank lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In memory of the processor.
    Host,
    /// On the device of this number.
    Device(i32),
}

impl Memory {
    /// A region of `len` bytes.
    pub fn region(self, len: usize) -> Result<Region> {
        Ok(match self {
            Memory::Host => Region::host(len),
            Memory::Device(device) => Region::Device(DeviceBuffer::new(device, len)?),
        })
    }
}

/// Memory that begins at a page.
pub enum Region {
    /// Memory of the processor, with room before the first page.
    Host {
        /// All bytes.
        bytes: Vec<u8>,
        /// Index of the first byte of the first page.
        start: usize,
    },
    /// Memory of a device.
    Device(DeviceBuffer),
}

impl Region {
    fn host(len: usize) -> Region {
        // Written, not only reserved: fresh zero pages would be mapped during the first measurement.
        let mut bytes = Vec::with_capacity(len + PAGE);
        bytes.resize(len + PAGE, 1);
        let start = bytes.as_ptr().align_offset(PAGE).min(PAGE);
        Region::Host { bytes, start }
    }

    /// Has `write` write each of `len` bytes behind `at`.
    pub fn write(&mut self, at: usize, len: usize, write: impl FnOnce(&mut [u8])) -> Result<()> {
        match self {
            Region::Host { bytes, start } => {
                write(&mut bytes[*start + at..][..len]);
                Ok(())
            }
            Region::Device(buffer) => {
                let mut bytes = vec![0; len];
                write(&mut bytes);
                buffer.write(at, &bytes)
            }
        }
    }

    /// Has `read` read `len` bytes behind `at`.
    pub fn read<T>(&mut self, at: usize, len: usize, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        match self {
            Region::Host { bytes, start } => Ok(read(&bytes[*start + at..][..len])),
            Region::Device(buffer) => {
                let mut bytes = vec![0; len];
                buffer.read(at, &mut bytes)?;
                Ok(read(&bytes))
            }
        }
    }

    /// All of it, for a send.
    pub fn outgoing(&self) -> Outgoing<'_> {
        match self {
            Region::Host { bytes, start } => Outgoing::from(&bytes[*start..bytes.len() - PAGE + *start]),
            Region::Device(buffer) => {
                let start = with_exposed_provenance(buffer.address());
                Outgoing { start, len: buffer.bytes(), _of: PhantomData }
            }
        }
    }

    /// All of it, for a receive.
    pub fn incoming(&mut self) -> Incoming<'_> {
        let len = match self {
            Region::Host { bytes, .. } => bytes.len() - PAGE,
            Region::Device(buffer) => buffer.bytes(),
        };
        Incoming { start: self.pointer(0), len, _of: PhantomData }
    }

    /// Address of a byte, for a call.
    pub fn pointer(&mut self, at: usize) -> *mut u8 {
        match self {
            Region::Host { bytes, start } => bytes[*start + at..].as_mut_ptr(),
            Region::Device(buffer) => std::ptr::with_exposed_provenance_mut(buffer.address() + at),
        }
    }
}

/// Bytes to send, on the host or on a device.
#[derive(Clone, Copy)]
pub struct Outgoing<'a> {
    /// Address of the first byte.
    pub start: *const u8,
    /// Number of bytes.
    pub len: usize,
    _of: PhantomData<&'a [u8]>,
}

impl<'a> From<&'a [u8]> for Outgoing<'a> {
    fn from(bytes: &'a [u8]) -> Outgoing<'a> {
        Outgoing { start: bytes.as_ptr(), len: bytes.len(), _of: PhantomData }
    }
}

/// Bytes to receive, on the host or on a device.
pub struct Incoming<'a> {
    /// Address of the first byte.
    pub start: *mut u8,
    /// Number of bytes.
    pub len: usize,
    _of: PhantomData<&'a mut [u8]>,
}

impl<'a> From<&'a mut [u8]> for Incoming<'a> {
    fn from(bytes: &'a mut [u8]) -> Incoming<'a> {
        Incoming { start: bytes.as_mut_ptr(), len: bytes.len(), _of: PhantomData }
    }
}
