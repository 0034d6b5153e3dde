//! Devices: how many there are, their identity, which may access which.

pub mod api;
mod attributes;
mod drain;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use crate::settings::settings;
use crate::status::{Result, Status};
use crate::stream::{Queue, Stream};

/// A `CUdevice`: position among the devices that the process sees.
pub type Ordinal = i32;

/// One device of this process.
pub struct Device {
    /// Position among the devices that the process sees.
    pub ordinal: Ordinal,
    /// Position on the machine, the same in all processes.
    pub physical: usize,
    /// Held while an operation is put into a queue, so that all operations of a device have one order.
    pub submission: Mutex<()>,
    /// Streams that may have work.
    pub streams: Mutex<Vec<Weak<Stream>>>,
    /// Hardware queues that streams share, if the settings ask for them: usual ones, then urgent ones.
    pub channels: Mutex<Vec<Arc<Queue>>>,
    /// Bytes of memory in use by this process.
    used: AtomicU64,
}

static DEVICES: LazyLock<Vec<Arc<Device>>> = LazyLock::new(|| {
    let visible = settings().visible.iter().enumerate();
    visible.map(|(ordinal, &physical)| Arc::new(Device::new(ordinal as Ordinal, physical))).collect()
});

impl Device {
    fn new(ordinal: Ordinal, physical: usize) -> Device {
        Device {
            ordinal,
            physical,
            submission: Mutex::new(()),
            streams: Mutex::new(Vec::new()),
            channels: Mutex::new(Vec::new()),
            used: AtomicU64::new(0),
        }
    }

    /// The uuid: the same in all processes of one boot.
    pub fn uuid(&self) -> [u8; 16] {
        static BOOT: LazyLock<u64> = LazyLock::new(|| {
            let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            boot.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        });
        let mut uuid = [0; 16];
        uuid[..8].copy_from_slice(&BOOT.to_ne_bytes());
        uuid[8..].copy_from_slice(&(self.physical as u64 ^ 0x6463_6461_0000_0000).to_ne_bytes());
        uuid
    }

    /// Whether kernels of this device may access memory of `other`, once access is enabled.
    pub fn can_access(&self, other: &Device) -> bool {
        settings().peers.may_access(self.physical, other.physical)
    }

    /// Bytes that are left.
    pub fn free(&self) -> u64 {
        settings().memory.saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// Takes `bytes` of its memory.
    pub fn take(&self, bytes: u64) -> Result {
        if bytes > self.free() {
            return Err(Status::OUT_OF_MEMORY);
        }
        self.used.fetch_add(bytes, Ordering::Relaxed);
        crate::counts::add(crate::counts::Kind::Bytes, bytes as i64);
        Ok(())
    }

    /// Gives `bytes` back.
    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        crate::counts::add(crate::counts::Kind::Bytes, -(bytes as i64));
    }
}

/// Number of devices that the process sees.
pub fn count() -> usize {
    DEVICES.len()
}

/// The device at `ordinal`.
pub fn get(ordinal: Ordinal) -> Result<&'static Arc<Device>> {
    usize::try_from(ordinal).ok().and_then(|index| DEVICES.get(index)).ok_or(Status::INVALID_DEVICE)
}

/// The device at position `physical` of the machine, if this process sees it.
pub fn by_position(physical: usize) -> Option<&'static Arc<Device>> {
    DEVICES.iter().find(|device| device.physical == physical)
}
