//! Memory of a pretended device. Each buffer ends exactly where its bytes end, so a kernel that reads beyond
//! them faults.

use std::cell::RefCell;
use std::ffi::c_void;

use anyccl_engine::device::kernels::TableArgument;
use cuda_double_kernels::{Fault, Memory, Range, find};

#[derive(Default)]
pub struct Device {
    buffers: RefCell<Vec<(u64, Box<[u8]>)>>,
}

impl Device {
    /// A buffer with these bytes, whose address is `offset` modulo 256.
    pub fn buffer(&self, bytes: &[u8], offset: u64) -> u64 {
        let mut buffers = self.buffers.borrow_mut();
        let free = buffers.last().map_or(0x7f00_0000_0000, |(at, bytes)| at + bytes.len() as u64 + 4096);
        let address = free.next_multiple_of(256) + offset;
        buffers.push((address, bytes.into()));
        address
    }

    /// The bytes of a buffer.
    pub fn bytes(&self, address: u64) -> Vec<u8> {
        let buffers = self.buffers.borrow();
        buffers.iter().find(|(at, _)| *at == address).expect("a buffer").1.to_vec()
    }

    /// A buffer with a structure that a kernel reads.
    pub fn table<T: Copy>(&self, structure: &T) -> u64 {
        let address = self.buffer(&vec![0; size_of::<T>()], 0);
        let place = self.range(address).expect("the buffer").host.cast::<T>();
        // SAFETY: the buffer has room for the structure.
        unsafe { place.write_unaligned(*structure) };
        address
    }

    /// Runs a kernel on this memory, with this table in it.
    pub fn launch_table<T: Copy>(
        &self,
        entry: &str,
        structure: &T,
        grid: [u32; 3],
        block: [u32; 3],
    ) -> Result<(), Fault> {
        self.launch(entry, &TableArgument { table: self.table(structure) }, grid, block)
    }

    /// Runs a kernel on this memory.
    pub fn launch<T>(
        &self,
        entry: &str,
        arguments: &T,
        grid: [u32; 3],
        block: [u32; 3],
    ) -> Result<(), Fault> {
        let kernel = find(entry).unwrap_or_else(|| panic!("there is no {entry}"));
        let place: *const T = arguments;
        // SAFETY: a structure of the engine, which the layout test compares with the kernel's. The buffers
        // are this test's own.
        unsafe { kernel.run(place.cast::<c_void>(), grid, block, self) }
    }
}

impl Memory for Device {
    fn range(&self, address: u64) -> Option<Range> {
        let mut buffers = self.buffers.borrow_mut();
        let (begin, bytes) =
            buffers.iter_mut().find(|(at, bytes)| (*at..at + bytes.len() as u64).contains(&address))?;
        Some(Range { begin: *begin, end: *begin + bytes.len() as u64, host: bytes.as_mut_ptr() })
    }
}
