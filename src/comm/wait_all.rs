//! Waiting for several operations.
//!
//! Whoever waits for one operation moves on all that share its links. With requests over several sets of links, each
//! must get its turn: another rank may wait for what this one started last.

use super::request::Request;
use crate::base::Result;
use crate::progress::wait::Idle;

/// Waits for all; the first error is returned after all have ended.
pub fn wait_all(requests: &mut [&mut Request]) -> Result<()> {
    let share_links = requests.windows(2).all(|pair| pair[0].shares_links_with(pair[1]));
    if !share_links {
        take_turns(requests);
    }
    let mut outcome = Ok(());
    for request in requests {
        let ended = request.wait();
        outcome = outcome.and(ended);
    }
    outcome
}

/// Until all have ended.
fn take_turns(requests: &mut [&mut Request]) {
    let mut idle: Vec<Idle> = requests.iter().map(|_| Idle::among_others()).collect();
    while requests.iter().any(|request| !request.has_ended()) {
        for (request, idle) in requests.iter_mut().zip(&mut idle) {
            request.wait_a_moment(idle);
        }
    }
}
