//! What the ranks exchange about themselves before they make the direct path.

use std::sync::OnceLock;

use crate::base::{Error, Result};
use crate::device::{CudaDriver, Uuid};

/// What a rank reports about itself.
pub struct Introduction {
    /// A number that all ranks of a process share.
    pub process: [u8; 16],
    pub uuid: Uuid,
    /// Context of the rank. It means something in its own process only.
    pub context: u64,
    pub has_device: bool,
}

impl Introduction {
    pub const BYTES: usize = 41;

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.process.to_vec();
        bytes.extend(self.uuid);
        bytes.extend(self.context.to_le_bytes());
        bytes.push(u8::from(self.has_device));
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Introduction {
        let part = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        Introduction {
            process: part(0),
            uuid: part(16),
            context: u64::from_le_bytes(std::array::from_fn(|i| bytes[32 + i])),
            has_device: bytes[Introduction::BYTES - 1] != 0,
        }
    }
}

/// A number that only this process has.
fn process_token() -> Result<[u8; 16]> {
    static TOKEN: OnceLock<[u8; 16]> = OnceLock::new();
    if let Some(token) = TOKEN.get() {
        return Ok(*token);
    }
    let mut token = [0; 16];
    getrandom::fill(&mut token)
        .map_err(|error| Error::Unsupported(format!("cannot get random bytes: {error}")))?;
    Ok(*TOKEN.get_or_init(|| token))
}

/// Describes this rank, whose current device is the one of its calls.
pub fn introduce() -> Result<(&'static CudaDriver, Introduction)> {
    let driver = CudaDriver::get()?;
    let Some((context, device)) = driver.current()? else {
        return Err(Error::Unsupported("this thread has no device".into()));
    };
    let introduction = Introduction {
        process: process_token()?,
        uuid: driver.uuid(device)?,
        context: context.to_address(),
        has_device: true,
    };
    Ok((driver, introduction))
}
