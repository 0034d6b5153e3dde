//! The handles of ncclCommRegister on one communicator. Nothing is registered: they serve to refuse a wrong
//! deregistration.

use std::collections::HashSet;

/// Handles of registrations that have not been removed.
#[derive(Default)]
pub struct Registrations {
    last_handle: usize,
    live: HashSet<usize>,
}

impl Registrations {
    /// Adds a registration and returns its handle.
    pub fn add(&mut self) -> usize {
        self.last_handle += 1;
        self.live.insert(self.last_handle);
        self.last_handle
    }

    /// Removes a registration. `false`: there is none with this handle.
    pub fn remove(&mut self, handle: usize) -> bool {
        self.live.remove(&handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registration_is_given_back_once() {
        let mut registrations = Registrations::default();
        let (first, second) = (registrations.add(), registrations.add());
        assert!(first != 0 && first != second);
        assert!(registrations.remove(first) && !registrations.remove(first));
        assert!(registrations.remove(second));
    }
}
