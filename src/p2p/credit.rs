//! Credit: the bound on how much a rank must hold for another one because no receive has matched it yet.
//!
//! A sender counts what it sends before the receiver replies. The receiver returns that credit in large
//! portions, as its program receives. A sender without credit only announces its messages, and waits for the
//! clear to send of each.
//!
//! Both sides count with [`cost`], and need to agree on nothing else.

use super::protocol::{Announcement, Protocol};

/// Credit of each rank with each other rank, in one communicator.
pub const LIMIT_BYTES: usize = 8 << 20;
/// Smallest portion in which credit is returned. One reply then serves thousands of small messages.
const PORTION_BYTES: usize = LIMIT_BYTES / 8;
/// Credit that a message costs besides its bytes, because small messages fill memory, too.
const OVERHEAD_BYTES: usize = 128;

/// Credit that a message of `bytes` bytes uses.
#[inline]
pub fn cost(announcement: &Announcement, bytes: usize) -> usize {
    match announcement.protocol {
        // The reference is little more than the announcement.
        Protocol::Rendezvous | Protocol::Reference => 0,
        _ => announcement.eager_bytes(bytes) + OVERHEAD_BYTES,
    }
}

/// Credit that a sender has used with one receiver.
#[derive(Default)]
pub struct Account {
    used: usize,
}

impl Account {
    /// Whether that much credit is left.
    #[inline]
    pub fn allows(&self, cost: usize) -> bool {
        self.used + cost <= LIMIT_BYTES
    }

    /// Uses credit.
    #[inline]
    pub fn use_up(&mut self, cost: usize) {
        self.used += cost;
    }

    /// Adds credit that the receiver has returned. `false`: it is more than was used.
    pub fn give_back(&mut self, bytes: u64) -> bool {
        let left = usize::try_from(bytes).ok().and_then(|bytes| self.used.checked_sub(bytes));
        self.used = left.unwrap_or(0);
        left.is_some()
    }
}

/// Credit that a receiver owes to one sender.
#[derive(Default)]
pub struct Debt {
    owed: usize,
}

impl Debt {
    /// Notes a message that was received. `Some`: credit that must be returned now.
    #[inline]
    pub fn add(&mut self, cost: usize) -> Option<u64> {
        self.owed += cost;
        (self.owed >= PORTION_BYTES).then(|| std::mem::take(&mut self.owed) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "100,000 messages, in safe code")]
    fn used_credit_is_returned_except_for_less_than_a_portion() {
        let (mut account, mut debt) = (Account::default(), Debt::default());
        let mut sent = 0;
        for _ in 0..100_000 {
            while account.allows(OVERHEAD_BYTES + 8) {
                account.use_up(OVERHEAD_BYTES + 8);
                sent += 1;
            }
            if let Some(bytes) = debt.add(OVERHEAD_BYTES + 8) {
                assert!(account.give_back(bytes));
            }
        }
        assert!(sent >= 100_000 && account.used + debt.owed <= LIMIT_BYTES + PORTION_BYTES);
        assert!(!account.give_back(u64::MAX));
    }
}
