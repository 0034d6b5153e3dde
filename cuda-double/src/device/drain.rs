//! Calls that synchronise the device implicitly, such as `cuMemAlloc`.
//!
//! On a GPU they may wait until all streams of the device are idle; here they always do. If a value wait is
//! pending in one of these streams meanwhile, nobody may be left to satisfy it: that is the hang that the
//! engine must not cause. After `CUDA_DOUBLE_HANG_MS` the process is aborted with the name of the call.

use std::time::{Duration, Instant};

use super::Device;
use crate::loud;
use crate::settings::settings;
use crate::stream::Marker;

impl Device {
    /// Waits until all work that is queued on this device is done, unless the settings are lenient. `call` is
    /// the function that asks: one that allocates, registers, opens or loads.
    pub fn drain(&self, call: &str) {
        if !settings().lenient {
            self.drain_always(call);
        }
    }

    /// Waits until all work that is queued on this device is done. `call` is the function that asks: one that
    /// takes away what work may use.
    pub fn drain_always(&self, call: &str) {
        let hang = settings().hang;
        let start = Instant::now();
        for marker in self.queued_work() {
            while !marker.wait_for(Duration::from_millis(20)) {
                if start.elapsed() > hang
                    && let Some((stream, what)) = self.pending_value_wait(hang)
                {
                    loud::stop(&format!(
                        "{call} synchronises device {} implicitly, and {what} has been pending in stream \
                         {stream:#x} of this process for more than {} ms: on a GPU this can hang for ever. \
                         Call {call} before the wait is enqueued.",
                        self.ordinal,
                        hang.as_millis()
                    ));
                }
            }
        }
    }

    /// The end of what each stream has been given.
    fn queued_work(&self) -> Vec<Marker> {
        let _submission = self.submission.lock();
        let mut streams = self.streams.lock();
        streams.retain(|stream| stream.strong_count() > 0);
        streams.iter().filter_map(|stream| stream.upgrade()).map(|stream| stream.end()).collect()
    }

    /// A value wait that has been pending for `long`: its stream, and what it waits for.
    fn pending_value_wait(&self, long: Duration) -> Option<(usize, String)> {
        let streams: Vec<_> = self.streams.lock().iter().filter_map(|stream| stream.upgrade()).collect();
        streams.iter().find_map(|stream| {
            let (since, what) = stream.pending_value_wait()?;
            (since.elapsed() > long).then_some((stream.handle, what))
        })
    }
}
