//! The structure `cudaDeviceProp` in the layouts of CUDA 12 and CUDA 13.
//!
//! Most members are attributes of the device under other names. So a layout is a size, and where each
//! attribute stands. Limits of textures and surfaces stay 0: there are none.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{Error, Result};

/// The members that are at the same place in both layouts: the name, the uuid, the size of the memory.
const NAME_BYTES: usize = 256;
const UUID: usize = 256;
const TOTAL_MEMORY: usize = 288;

/// A layout of the structure.
pub struct Layout {
    /// Bytes of the structure.
    pub size: usize,
    place: fn(&Member) -> Option<usize>,
}

/// The layout of CUDA 12.
pub const CUDA_12: Layout = Layout { size: 1032, place: |member| Some(member.in_12) };

/// The layout of CUDA 13.
pub const CUDA_13: Layout = Layout { size: 1008, place: |member| member.in_13 };

/// A member that is an attribute of the device.
struct Member {
    attribute: c_int,
    /// 4 for an `int`, 8 for a `size_t`.
    width: usize,
    in_12: usize,
    /// `None`: CUDA 13 has no such member.
    in_13: Option<usize>,
}

const fn int(attribute: c_int, in_12: usize, in_13: Option<usize>) -> Member {
    Member { attribute, width: 4, in_12, in_13 }
}

const fn word(attribute: c_int, in_12: usize, in_13: Option<usize>) -> Member {
    Member { attribute, width: 8, in_12, in_13 }
}

impl Layout {
    /// Writes what the driver knows of a device into a structure of zeros.
    pub fn fill(&self, driver: &Driver, device: c_int, bytes: &mut [u8]) -> Result {
        let name = bytes[..NAME_BYTES].as_mut_ptr().cast();
        (driver.cuDeviceGetName)(name, NAME_BYTES as c_int, device).check()?;
        let mut uuid = [0; 16];
        (driver.cuDeviceGetUuid_v2)(&raw mut uuid, device).check()?;
        bytes[UUID..][..16].copy_from_slice(&uuid);
        let mut memory = 0;
        (driver.cuDeviceTotalMem_v2)(&raw mut memory, device).check()?;
        bytes[TOTAL_MEMORY..][..8].copy_from_slice(&memory.to_ne_bytes());
        for member in MEMBERS {
            let Some(place) = (self.place)(member) else { continue };
            let mut value = 0;
            match (driver.cuDeviceGetAttribute)(&raw mut value, member.attribute, device) {
                Error::SUCCESS | Error::INVALID_VALUE => {} // an attribute that the driver does not know is 0
                error => return Err(error),
            }
            let wide = i64::from(value).to_ne_bytes();
            bytes[place..][..member.width].copy_from_slice(&wide[..member.width]);
        }
        Ok(())
    }
}

/// The attributes, with the name of the member and its place in each layout.
const MEMBERS: &[Member] = &[
    word(8, 296, Some(296)),   // sharedMemPerBlock
    int(12, 304, Some(304)),   // regsPerBlock
    int(10, 308, Some(308)),   // warpSize
    word(11, 312, Some(312)),  // memPitch
    int(1, 320, Some(320)),    // maxThreadsPerBlock
    int(2, 324, Some(324)),    // maxThreadsDim[0]
    int(3, 328, Some(328)),    // maxThreadsDim[1]
    int(4, 332, Some(332)),    // maxThreadsDim[2]
    int(5, 336, Some(336)),    // maxGridSize[0]
    int(6, 340, Some(340)),    // maxGridSize[1]
    int(7, 344, Some(344)),    // maxGridSize[2]
    int(13, 348, None),        // clockRate
    word(9, 352, Some(352)),   // totalConstMem
    int(75, 360, Some(360)),   // major
    int(76, 364, Some(364)),   // minor
    word(14, 368, Some(368)),  // textureAlignment
    word(51, 376, Some(376)),  // texturePitchAlignment
    int(15, 384, None),        // deviceOverlap
    int(16, 388, Some(384)),   // multiProcessorCount
    int(17, 392, None),        // kernelExecTimeoutEnabled
    int(18, 396, Some(388)),   // integrated
    int(19, 400, Some(392)),   // canMapHostMemory
    int(20, 404, None),        // computeMode
    word(30, 568, Some(552)),  // surfaceAlignment
    int(31, 576, Some(560)),   // concurrentKernels
    int(32, 580, Some(564)),   // ECCEnabled
    int(33, 584, Some(568)),   // pciBusID
    int(34, 588, Some(572)),   // pciDeviceID
    int(50, 592, Some(576)),   // pciDomainID
    int(35, 596, Some(580)),   // tccDriver
    int(40, 600, Some(584)),   // asyncEngineCount
    int(41, 604, Some(588)),   // unifiedAddressing
    int(36, 608, None),        // memoryClockRate
    int(37, 612, Some(592)),   // memoryBusWidth
    int(38, 616, Some(596)),   // l2CacheSize
    int(108, 620, Some(600)),  // persistingL2CacheMaxSize
    int(39, 624, Some(604)),   // maxThreadsPerMultiProcessor
    int(78, 628, Some(608)),   // streamPrioritiesSupported
    int(79, 632, Some(612)),   // globalL1CacheSupported
    int(80, 636, Some(616)),   // localL1CacheSupported
    word(81, 640, Some(624)),  // sharedMemPerMultiprocessor
    int(82, 648, Some(632)),   // regsPerMultiprocessor
    int(83, 652, Some(636)),   // managedMemory
    int(84, 656, Some(640)),   // isMultiGpuBoard
    int(85, 660, Some(644)),   // multiGpuBoardGroupID
    int(86, 664, Some(648)),   // hostNativeAtomicSupported
    int(87, 668, None),        // singleToDoublePrecisionPerfRatio
    int(88, 672, Some(652)),   // pageableMemoryAccess
    int(89, 676, Some(656)),   // concurrentManagedAccess
    int(90, 680, Some(660)),   // computePreemptionSupported
    int(91, 684, Some(664)),   // canUseHostPointerForRegisteredMem
    int(95, 688, Some(668)),   // cooperativeLaunch
    int(96, 692, None),        // cooperativeMultiDeviceLaunch
    word(97, 696, Some(672)),  // sharedMemPerBlockOptin
    int(100, 704, Some(680)),  // pageableMemoryAccessUsesHostPageTables
    int(101, 708, Some(684)),  // directManagedMemAccessFromHost
    int(106, 712, Some(688)),  // maxBlocksPerMultiProcessor
    int(109, 716, Some(692)),  // accessPolicyMaxWindowSize
    word(111, 720, Some(696)), // reservedSharedMemPerBlock
    int(99, 728, Some(704)),   // hostRegisterSupported
    int(112, 732, Some(708)),  // sparseCudaArraySupported
    int(113, 736, Some(712)),  // hostRegisterReadOnlySupported
    int(114, 740, Some(716)),  // timelineSemaphoreInteropSupported
    int(115, 744, Some(720)),  // memoryPoolsSupported
    int(116, 748, Some(724)),  // gpuDirectRDMASupported
    int(117, 752, Some(728)),  // gpuDirectRDMAFlushWritesOptions
    int(118, 756, Some(732)),  // gpuDirectRDMAWritesOrdering
    int(119, 760, Some(736)),  // memoryPoolSupportedHandleTypes
    int(121, 764, Some(740)),  // deferredMappingCudaArraySupported
    int(125, 768, Some(744)),  // ipcEventSupported
    int(120, 772, Some(748)),  // clusterLaunch
    int(129, 776, Some(752)),  // unifiedFunctionPointers
];
