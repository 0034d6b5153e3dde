//! Timed copies between devices, and between a device and the host.

use std::ffi::c_void;
use std::ptr;
use std::time::Instant;

use super::buffer::DeviceBuffer;
use super::table::Table;
use super::use_device;
use crate::base::Result;
use crate::device::{CudaContext, CudaDriver, CudaStream, Ordinal};

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    /// Pinned memory of the host.
    Host,
    /// Memory of a device.
    Device(Ordinal),
}

/// Buffers in two memories, and a stream of the first device among them.
pub struct CopyBench {
    from: End,
    to: End,
    bytes: usize,
    device: Ordinal,
    stream: CudaStream,
}

enum End {
    Host(PinnedBuffer),
    Device(DeviceBuffer, CudaContext),
}

impl CopyBench {
    /// Allocates the buffers. If a device can access the memory of the other one, it is let.
    pub fn new(from: CopyEnd, to: CopyEnd, bytes: usize) -> Result<CopyBench> {
        let (driver, table) = (CudaDriver::get()?, Table::get()?);
        let device = match (from, to) {
            (CopyEnd::Device(device), _) | (CopyEnd::Host, CopyEnd::Device(device)) => device,
            (CopyEnd::Host, CopyEnd::Host) => 0,
        };
        let ends = [end(driver, from, device, bytes)?, end(driver, to, device, bytes)?];
        if let (CopyEnd::Device(one), CopyEnd::Device(other)) = (from, to)
            && one != other
        {
            for (own, peer) in [(one, other), (other, one)] {
                use_device(own)?;
                // SAFETY: a context of this process that is kept. It is refused if the devices cannot, or if
                // it was let before; the copy then takes the path that there is.
                unsafe { (table.enable_peer)(driver.primary(peer)?, 0) };
            }
        }
        use_device(device)?;
        let stream = driver.create_stream()?;
        let [from, to] = ends;
        Ok(CopyBench { from, to, bytes, device, stream })
    }

    /// Makes copies in a row, and returns the seconds until the last one has ended.
    pub fn run(&mut self, copies: u32) -> Result<f64> {
        use_device(self.device)?;
        let table = Table::get()?;
        let start = Instant::now();
        for _ in 0..copies {
            self.enqueue(table)?;
        }
        // SAFETY: the stream of this value.
        let result = unsafe { (table.stream_synchronize)(self.stream) };
        table.check("cuStreamSynchronize", result)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Copies numbers once, and returns whether they have arrived.
    pub fn is_right(&mut self) -> Result<bool> {
        let sent: Vec<u8> = (0..self.bytes).map(|at| (at % 251) as u8).collect();
        self.from.write(&sent)?;
        self.to.write(&vec![0xff; self.bytes])?;
        self.run(1)?;
        Ok(self.to.read(self.bytes)? == sent)
    }

    fn enqueue(&self, table: &Table) -> Result<()> {
        let (from, to) = (self.from.address(), self.to.address());
        match (&self.from, &self.to) {
            (End::Device(_, source), End::Device(_, target)) if source != target => {
                // SAFETY: buffers of this value, as long as that, in these contexts.
                let result =
                    unsafe { (table.copy_between)(to, *target, from, *source, self.bytes, self.stream) };
                table.check("cuMemcpyPeerAsync", result)
            }
            _ => {
                // SAFETY: buffers of this value, as long as that.
                let result = unsafe { (table.copy)(to, from, self.bytes, self.stream) };
                table.check("cuMemcpyAsync", result)
            }
        }
    }
}

impl Drop for CopyBench {
    fn drop(&mut self) {
        if let (Ok(driver), Ok(())) = (CudaDriver::get(), use_device(self.device)) {
            driver.destroy_stream(self.stream);
        }
    }
}

fn end(driver: &CudaDriver, place: CopyEnd, device: Ordinal, bytes: usize) -> Result<End> {
    match place {
        CopyEnd::Host => {
            use_device(device)?;
            Ok(End::Host(PinnedBuffer::new(bytes)?))
        }
        CopyEnd::Device(device) => {
            Ok(End::Device(DeviceBuffer::new(device, bytes)?, driver.primary(device)?))
        }
    }
}

impl End {
    fn address(&self) -> u64 {
        match self {
            End::Host(pinned) => pinned.start.addr() as u64,
            End::Device(buffer, _) => buffer.address() as u64,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            End::Host(pinned) => {
                pinned.slice().copy_from_slice(bytes);
                Ok(())
            }
            End::Device(buffer, _) => buffer.write(0, bytes),
        }
    }

    fn read(&mut self, bytes: usize) -> Result<Vec<u8>> {
        match self {
            End::Host(pinned) => Ok(pinned.slice().to_vec()),
            End::Device(buffer, _) => {
                let mut found = vec![0; bytes];
                buffer.read(0, &mut found)?;
                Ok(found)
            }
        }
    }
}

/// Pinned memory of the host.
struct PinnedBuffer {
    start: *mut u8,
    bytes: usize,
}

impl PinnedBuffer {
    /// Allocates memory in the current context.
    fn new(bytes: usize) -> Result<PinnedBuffer> {
        const PORTABLE: u32 = 1;
        let table = Table::get()?;
        let mut start: *mut c_void = ptr::null_mut();
        // SAFETY: writes one pointer.
        let result = unsafe { (table.alloc_host)(&mut start, bytes.max(1), PORTABLE) };
        table.check("cuMemHostAlloc", result)?;
        let start = start.cast::<u8>();
        // SAFETY: that many fresh bytes. They are written before anybody reads them.
        unsafe { ptr::write_bytes(start, 0, bytes) };
        Ok(PinnedBuffer { start, bytes })
    }

    fn slice(&mut self) -> &mut [u8] {
        // SAFETY: that many initialised bytes, which only this value has. No copy is in flight: each is
        // waited for.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        if let Ok(table) = Table::get() {
            // SAFETY: memory of `alloc_host`, which nobody uses any more.
            unsafe { (table.free_host)(self.start.cast()) };
        }
    }
}
