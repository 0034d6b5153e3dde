//! Waiting for several operations.
//!
//! Whoever waits for one operation moves on all that share its links. With requests over several sets of links, each
//! must get its turn: another rank may wait for what this one started last.

use std::sync::Arc;

use super::request::Request;
use crate::base::Result;
use crate::progress::wait::{Awaited, wait_for_first};

/// Waits for all; the first error is returned after all have ended.
pub fn wait_all(requests: &mut [&mut Request]) -> Result<()> {
    take_turns(requests);
    let mut outcome = Ok(());
    for request in requests {
        let ended = request.wait();
        outcome = outcome.and(ended);
    }
    outcome
}

/// Until those that are left are of one engine: any wait moves them all on.
fn take_turns(requests: &mut [&mut Request]) {
    loop {
        for request in requests.iter_mut() {
            // An error is told by `wait`, at once then.
            let _ = request.test();
        }
        let running: Vec<Awaited> = requests.iter().filter_map(|request| request.awaited()).collect();
        if running.windows(2).all(|pair| Arc::ptr_eq(&pair[0].driver, &pair[1].driver)) {
            return;
        }
        wait_for_first(&running);
    }
}
