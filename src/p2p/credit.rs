//! How much of what nobody has received yet a rank must hold for another one: a bounded amount.
//!
//! A sender counts what leaves before the receiver's word, the receiver gives it back, in large portions, as its
//! program receives. A sender without credit only announces its messages and waits for the word of each.
//!
//! Both sides count with [`cost`]; nothing else must agree.

use super::protocol::{Announcement, Protocol};

/// Credit of each rank with each other, in one communicator.
pub const LIMIT_BYTES: usize = 8 << 20;
/// Given back in portions of at least this: one small message for thousands.
const PORTION_BYTES: usize = LIMIT_BYTES / 8;
/// What a message costs beside its bytes: small ones fill memory, too.
const OVERHEAD_BYTES: usize = 128;

/// Credit that a message of `bytes` bytes uses.
#[inline]
pub fn cost(announcement: &Announcement, bytes: usize) -> usize {
    match announcement.protocol {
        Protocol::Rendezvous => 0,
        _ => announcement.eager_bytes(bytes) + OVERHEAD_BYTES,
    }
}

/// The sender's account.
#[derive(Default)]
pub struct Account {
    used: usize,
}

impl Account {
    /// Whether so much is left.
    #[inline]
    pub fn allows(&self, cost: usize) -> bool {
        self.used + cost <= LIMIT_BYTES
    }

    /// Uses it.
    #[inline]
    pub fn use_up(&mut self, cost: usize) {
        self.used += cost;
    }

    /// The receiver gives back. `false`: more than it has.
    pub fn give_back(&mut self, bytes: u64) -> bool {
        let left = usize::try_from(bytes).ok().and_then(|bytes| self.used.checked_sub(bytes));
        self.used = left.unwrap_or(0);
        left.is_some()
    }
}

/// The receiver's debt.
#[derive(Default)]
pub struct Debt {
    owed: usize,
}

impl Debt {
    /// A message was received; `Some`: so much is to be given back now.
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
    fn what_is_used_comes_back_but_for_less_than_a_portion() {
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
