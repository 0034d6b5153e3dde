//! The device of a rank, and its stream.
//!
//! A rank uses the device that is current in the thread that makes the communicator, as NCCL itself does. If
//! none is current, it uses the device whose number is the rank modulo the number of devices. The ranks
//! exchange their choices. All refuse together if one has no device, or if two have the same and `SHARING`
//! does not allow it.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use crate::backend::engine::{OobExchange, StreamPosition};
use crate::backend::nccl_shaped::stream::Stream;
use crate::base::{Error, Result};
use crate::config::raw;
use crate::device::{
    ContextKey, CudaContext, CudaDriver, CudaStream, Entered, Events, Ordinal, StreamEvent, Uuid,
};

/// Variable that lets several ranks share a device, in NCCL 2.30 and newer.
const SHARING: &str = "NCCL_MULTI_RANK_GPU_ENABLE";
/// Length of a rank's record: whether it has a device, its identity, or the reason why not.
const RECORD_BYTES: usize = 1 + 16 + 239;

/// The default stream of a device.
struct DefaultStream {
    driver: &'static CudaDriver,
    context: CudaContext,
    device: Ordinal,
    events: Arc<Events>,
}

impl Stream for DefaultStream {
    fn enter(&self) -> Result<()> {
        self.driver.set_current(self.context)
    }

    fn handle(&self) -> *mut c_void {
        ptr::null_mut()
    }

    fn has_ended(&self) -> Result<bool> {
        self.driver.stream_has_ended(CudaStream::LEGACY)
    }

    fn check_buffer(&self, address: usize) -> Result<()> {
        match self.driver.device_of(address) {
            Some(device) if device != self.device => Err(Error::Unsupported(format!(
                "a buffer on device {device}, and NCCL works on device {} for this communicator, the one that was current \
                 when it was made; ANYCCL_BACKEND=cuda:builtin takes buffers on any device",
                self.device
            ))),
            _ => Ok(()),
        }
    }

    fn is_recording(&self, stream: CudaStream) -> Result<bool> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        self.driver.is_capturing(stream)
    }

    fn position(&self, stream: CudaStream) -> Result<Arc<dyn StreamPosition>> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        let mark = self.events.borrow()?;
        mark.record(stream)?;
        Ok(Arc::new(MarkInContext { driver: self.driver, context: self.context, mark }))
    }
}

/// A mark in a stream, for threads that may have another context.
struct MarkInContext {
    driver: &'static CudaDriver,
    context: CudaContext,
    mark: StreamEvent,
}

impl StreamPosition for MarkInContext {
    fn has_passed(&self) -> Result<bool> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        self.mark.has_passed()
    }
}

/// Checks that each rank has a device of its own and is current in it, without opening NCCL. Collective; the
/// outcome is the same on all ranks.
pub fn check_own_devices(oob: &dyn OobExchange) -> Result<()> {
    agree(&oob.all_gather(&record(&choose(oob.rank())))?, false)
}

/// Opens the stream of this rank's device, which becomes current in this thread. Collective: either all
/// ranks get a stream, or none.
pub fn open_stream(oob: &dyn OobExchange) -> Result<Box<dyn Stream>> {
    let own = choose(oob.rank()).and_then(|own| own.0.set_current(own.1.context()).map(|()| own));
    let records = oob.all_gather(&record(&own))?;
    let (driver, context, device, _) = own?;
    agree(&records, raw(SHARING).as_deref() == Some("1"))?;
    let events = Events::new(driver, context);
    Ok(Box::new(DefaultStream { driver, context: context.context(), device, events }))
}

/// A device, the context in which it is used, and its identity.
type Chosen = (&'static CudaDriver, ContextKey, Ordinal, Uuid);

fn choose(rank: u32) -> Result<Chosen> {
    let driver = CudaDriver::get().map_err(|why| Error::Unsupported(format!("NCCL needs CUDA: {why}")))?;
    let count = driver.device_count()?;
    if count == 0 {
        return Err(Error::Unsupported("NCCL needs a CUDA device, and this process sees none".into()));
    }
    let (context, device) = match driver.current()? {
        Some(current) => current,
        None => {
            let device = rank as c_int % count;
            (driver.primary(device)?, device)
        }
    };
    Ok((driver, ContextKey::of(driver, context)?, device, driver.uuid(device)?))
}

fn record(own: &Result<Chosen>) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    match own {
        Ok((_, _, _, uuid)) => {
            bytes[0] = 1;
            bytes[1..17].copy_from_slice(uuid);
        }
        Err(error) => {
            let text = error.to_string();
            let room = text.len().min(RECORD_BYTES - 17);
            bytes[17..17 + room].copy_from_slice(&text.as_bytes()[..room]);
        }
    }
    bytes
}

/// Checks that every rank has a device, and a different one unless `sharing`.
fn agree(records: &[Vec<u8>], sharing: bool) -> Result<()> {
    if let Some(rank) = records.iter().position(|record| record[0] == 0) {
        let why = String::from_utf8_lossy(&records[rank][17..]);
        return Err(Error::Unsupported(format!("rank {rank}: {}", why.trim_end_matches('\0'))));
    }
    for (second, record) in records.iter().enumerate() {
        let first = records.iter().position(|other| other[1..17] == record[1..17]);
        if let Some(first) = first.filter(|first| *first < second && !sharing) {
            return Err(Error::Unsupported(format!(
                "NCCL wants a GPU for each rank; ranks {first} and {second} have the same one ({SHARING}=1 lets NCCL 2.30 \
                 and newer try)"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(number: u8) -> Vec<u8> {
        let mut bytes = vec![0; RECORD_BYTES];
        bytes[0] = 1;
        bytes[1] = number;
        bytes
    }

    #[test]
    fn every_rank_wants_a_device_of_its_own() {
        assert!(agree(&[device(1), device(2), device(3)], false).is_ok());
        let text = agree(&[device(1), device(2), device(1)], false).unwrap_err().to_string();
        assert!(text.contains("ranks 0 and 2 have the same one"), "{text}");
        assert!(agree(&[device(1), device(1)], true).is_ok());
    }

    #[test]
    fn a_rank_without_a_device_is_named_with_its_reason() {
        let none = record(&Err(Error::Unsupported("there is no CUDA driver".into()))).to_vec();
        let text = agree(&[device(1), none], false).unwrap_err().to_string();
        assert_eq!(text, "rank 1: there is no CUDA driver");
    }
}
