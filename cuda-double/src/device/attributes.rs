//! Attributes of a device (`CUdevice_attribute`): those of a data-centre GPU, without what the double lacks.

use crate::settings::settings;
use crate::status::{Result, Status};

/// Number of attributes that the header knows.
const KNOWN: i32 = 150;

/// The value of `attribute` for the device at position `physical` of the machine.
pub fn value(attribute: i32, physical: usize) -> Result<i32> {
    if !(1..KNOWN).contains(&attribute) {
        return Err(Status::INVALID_VALUE);
    }
    let value = match attribute {
        1..=4 => [1024, 1024, 1024, 64][attribute as usize - 1], // the largest block: all, x, y, z
        5 => i32::MAX,                                           // the largest grid: x, y, z
        6 | 7 => 65_535,
        8 => 48 << 10,             // shared memory of a block
        9 => 64 << 10,             // constant memory
        10 => 32,                  // threads of a warp
        11 => i32::MAX,            // largest pitch
        12 => 65_536,              // registers of a block
        13 => 1_755_000,           // clock rate in kHz
        14 => 512,                 // alignment of textures
        15 | 40 => 3,              // copy engines
        16 => 8,                   // multiprocessors
        19 | 41 => 1,              // maps host memory; unified addresses
        31 => 1,                   // several kernels at once
        33 => physical as i32 + 1, // PCI bus, device, domain
        34 | 50 => 0,
        36 => 1_593_000, // memory clock in kHz
        37 => 5120,      // width of the memory bus
        38 => 32 << 20,  // level 2 cache
        39 => 2048,      // threads of a multiprocessor
        75 => 9,         // compute capability
        76 => 0,
        78 => 1,         // stream priorities
        81 => 228 << 10, // shared memory of a multiprocessor
        82 => 65_536,    // registers of a multiprocessor
        83 => 1,         // managed memory
        84 => 0,         // on a board with several GPUs
        86 => 1,         // native atomics on host memory
        89 => 1,         // managed memory for host and device at once
        91 => 1,         // host pointers of registered memory work on the device
        92..=94 => 1,    // stream memory operations, the older and the newer kind
        95 => 0,         // cooperative launches
        97 => 227 << 10, // shared memory of a block, when asked for
        98 => i32::from(settings().flush),
        99 => 1,        // registers host memory
        102 | 103 => 1, // virtual memory management; descriptors as handles
        104 | 105 => 0, // handles of another system
        106 => 32,      // blocks of a multiprocessor
        115 => 1,       // memory pools
        122 | 123 => 1, // stream memory operations of 64 bits, and with NOR
        125 => 1,       // events between processes
        _ => 0,
    };
    Ok(value)
}

/// The value of a `CUdevice_P2PAttribute` for two devices, of which one may access the other or not.
pub fn between(attribute: i32, may_access: bool) -> Result<i32> {
    match attribute {
        // Performance rank: lower is better.
        1 => Ok(0),
        // Access, native atomics, arrays.
        2 | 3 => Ok(i32::from(may_access)),
        4 => Ok(0),
        _ => Err(Status::INVALID_VALUE),
    }
}
