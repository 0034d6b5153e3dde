//! The processor, and the part of it that this process may use.

use std::fs;

use serde::Serialize;

use crate::cgroup;
use crate::sys::cpus::CpuSet;

/// The processor.
#[derive(Serialize)]
pub struct Processor {
    /// Name, as its vendor sells it; the architecture where the kernel knows no name.
    pub name: String,
    /// Architecture, as Rust names it.
    pub architecture: &'static str,
    /// The vector extensions of this processor that the kernels can use.
    pub features: Vec<&'static str>,
    /// Instruction set that the reduction kernels of this process use.
    pub reduction_kernels: &'static str,
    /// Cores that this process may run on.
    pub usable_cores: Vec<usize>,
    /// Time that the control group allows, in cores; `None` if it sets no limit.
    pub quota_cores: Option<f64>,
}

/// Asks the processor and the kernel.
pub fn processor() -> Processor {
    Processor {
        name: processor_name(),
        architecture: std::env::consts::ARCH,
        features: features(),
        reduction_kernels: super::engine::reduction_kernels(),
        usable_cores: CpuSet::of_this_process().map(|set| set.cores()).unwrap_or_default(),
        quota_cores: quota(),
    }
}

/// Name of the processor, as its vendor sells it; the architecture where the kernel knows no name.
pub fn processor_name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    name_in(&text).unwrap_or(std::env::consts::ARCH).to_string()
}

/// The first name in the text of /proc/cpuinfo.
fn name_in(text: &str) -> Option<&str> {
    let rest = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    rest.split_once(':').map(|(_, name)| name.trim()).filter(|name| !name.is_empty())
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let known = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("f16c", is_x86_feature_detected!("f16c")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512vl", is_x86_feature_detected!("avx512vl")),
        ("avx512bf16", is_x86_feature_detected!("avx512bf16")),
        ("avx512fp16", is_x86_feature_detected!("avx512fp16")),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected;
    let known = [
        ("neon", is_aarch64_feature_detected!("neon")),
        ("fp16", is_aarch64_feature_detected!("fp16")),
        ("bf16", is_aarch64_feature_detected!("bf16")),
        ("sve", is_aarch64_feature_detected!("sve")),
        ("sve2", is_aarch64_feature_detected!("sve2")),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

/// The tightest `cpu.max` from this process's control group (version 2) up to the root.
pub fn quota() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = cgroup::paths(&groups, "cpu.max").into_iter();
    limits.filter_map(|path| cores_of_quota(&fs::read_to_string(path).ok()?)).reduce(f64::min)
}

/// `cpu.max` holds "QUOTA PERIOD" in microseconds, or "max PERIOD".
fn cores_of_quota(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period) = (quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?);
    (period > 0.0).then_some(quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_first_core() {
        let text = "processor\t: 0\nmodel name\t: Zilog Z80 @ 4 MHz\nmodel name\t: other\n";
        assert_eq!(name_in(text), Some("Zilog Z80 @ 4 MHz"));
        assert_eq!(name_in("CPU implementer\t: 0x41\n"), None);
    }

    #[test]
    fn a_quota_is_read_as_cores_and_max_as_no_limit() {
        assert_eq!(cores_of_quota("150000 100000\n"), Some(1.5));
        assert_eq!(cores_of_quota("max 100000\n"), None);
        assert_eq!(cores_of_quota(""), None);
    }
}
