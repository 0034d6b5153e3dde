//! The instructions that the kernels may use, detected once per process.

use std::sync::OnceLock;

/// A set of instructions of this CPU. Values come only from the two functions below, so holding one proves
/// that its kernels may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstructionSet {
    /// AVX-512 F, BW, VL and DQ, and all of [`InstructionSet::Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 and F16C.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The instructions of every CPU of the target: SSE2 on x86-64, NEON on aarch64.
    Portable,
}

impl InstructionSet {
    /// The best set of this CPU.
    pub(super) fn of_this_cpu() -> InstructionSet {
        static BEST: OnceLock<InstructionSet> = OnceLock::new();
        *BEST.get_or_init(|| InstructionSet::available()[0])
    }

    /// All sets of this CPU, best first; never empty.
    pub(super) fn available() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            if avx2 && avx512 {
                sets.push(InstructionSet::Avx512);
            }
            if avx2 {
                sets.push(InstructionSet::Avx2);
            }
        }
        sets.push(InstructionSet::Portable);
        sets
    }

    /// Name as shown to users.
    pub(super) fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Portable => "portable",
        }
    }
}
