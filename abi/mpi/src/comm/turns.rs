//! Turns: the order of the calls on an intercommunicator.
//!
//! The engine matches collectives of a communicator by their order, so all ranks must begin them in the same
//! order. A call in several stages begins a later stage when the earlier one is complete, which happens at
//! different times on different ranks. A call that was made after it must not get in between. So a stage
//! begins only when all earlier calls have begun their last stages.

use std::collections::{HashMap, VecDeque};
use std::sync::LazyLock;
use std::time::Duration;

use anyccl_engine::sys::clock;
use parking_lot::Mutex;

use crate::{request, state};

/// The calls that still have stages to begin, in the order in which they were made.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<u64>,
    next: u64,
}

/// Queues by number of the communicator. Communicators without waiting calls have none.
static QUEUES: LazyLock<Mutex<HashMap<u32, Queue>>> = LazyLock::new(Mutex::default);

/// The turn of a call, which ends when it is dropped.
pub struct Turn {
    comm: u32,
    number: u64,
}

impl Turn {
    /// Takes a turn for a call that is made now.
    pub fn take(comm: u32) -> Turn {
        let mut queues = QUEUES.lock();
        let queue = queues.entry(comm).or_default();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push_back(number);
        Turn { comm, number }
    }

    /// Takes a turn and waits for it. The calls before it go on meanwhile. If the time limit passes, the turn
    /// has not come; the caller's own call then fails for the same reason.
    pub fn wait(comm: u32) -> Turn {
        const PAUSE: Duration = Duration::from_micros(50);
        let (turn, start, limit) = (Turn::take(comm), clock::now(), state::time_limit());
        while !turn.has_come() && limit.is_none_or(|limit| clock::since(start) < limit) {
            if !request::progress_staged() {
                std::thread::sleep(PAUSE);
            }
        }
        turn
    }

    /// Whether all earlier calls have begun their last stages.
    pub fn has_come(&self) -> bool {
        let queues = QUEUES.lock();
        queues.get(&self.comm).is_none_or(|queue| queue.waiting.front() == Some(&self.number))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = QUEUES.lock();
        let Some(queue) = queues.get_mut(&self.comm) else { return };
        queue.waiting.retain(|number| *number != self.number);
        if queue.waiting.is_empty() {
            queues.remove(&self.comm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_comes_when_those_before_have_ended_in_any_order() {
        let [first, second, third] = [1, 2, 3].map(|_| Turn::take(0xfff));
        let other = Turn::take(0xffe);
        assert!(first.has_come() && other.has_come() && !second.has_come());
        drop(second);
        assert!(!third.has_come());
        drop(first);
        assert!(third.has_come());
        drop((third, other));
        assert!(!QUEUES.lock().contains_key(&0xfff));
    }
}
