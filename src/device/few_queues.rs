//! A warning about ranks that share the few queues of a device.
//!
//! A device works on the streams of a process by a few queues. Kernels have 8 and copies 4, unless
//! `CUDA_DEVICE_MAX_CONNECTIONS` gives both more (measured, docs/gpu.md). Streams that share a queue wait
//! for each other. If two ranks are threads of one process, the call of one may so hold up what it waits
//! for.

use std::sync::Once;
use std::thread::ThreadId;

use super::handles::{CudaContext, CudaStream};
use crate::config::raw;
use crate::log_line;

/// The most queues that the driver gives.
const MOST: u32 = 32;
const VARIABLE: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// A call for which a stream waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub thread: ThreadId,
    pub context: CudaContext,
    pub stream: CudaStream,
}

/// Warns once in a process if `new` waits on the same device as a call of another thread, on another stream.
pub(super) fn warn_if_shared(new: &Waiting, others: &[Waiting]) {
    static WARNING: Once = Once::new();
    let shares = |other: &Waiting| {
        other.context == new.context && other.thread != new.thread && other.stream != new.stream
    };
    if !WARNING.is_completed() && others.iter().any(shares) {
        WARNING.call_once(|| {
            if !is_enough(raw(VARIABLE).as_deref()) {
                log_line!(
                    Warn,
                    "several threads of this process have calls on streams of one GPU, which works on them by a few queues: \
                     if calls hang, set {VARIABLE}={MOST} before the process starts (docs/gpu.md)"
                );
            }
        });
    }
}

fn is_enough(value: Option<&str>) -> bool {
    value.and_then(|text| text.trim().parse::<u32>().ok()).is_some_and(|queues| queues >= MOST)
}

#[cfg(test)]
mod tests {
    use super::is_enough;

    #[test]
    fn only_the_most_queues_are_enough() {
        assert!(is_enough(Some("32")) && is_enough(Some(" 32 ")) && is_enough(Some("64")));
        assert!(
            !is_enough(None) && !is_enough(Some("8")) && !is_enough(Some("")) && !is_enough(Some("many"))
        );
    }
}
