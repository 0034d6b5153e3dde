//! The engine's communicator of an MPI communicator. A non-blocking duplicate gets it later than its handle.
//!
//! A duplicate that cannot be formed gets a communicator that has failed. A program that uses the handle then
//! gets an error with the reason, and does not wait.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::sys::clock;

use crate::error::Class;
use crate::{ending, request, state};

/// The engine's communicator, once it is formed.
#[derive(Default)]
pub struct Formed(OnceLock<Arc<Communicator>>);

impl Formed {
    /// Sets it. Called once.
    pub(super) fn set(&self, engine: Communicator) {
        let is_first = self.0.set(engine.shared()).is_ok();
        debug_assert!(is_first);
    }

    /// Makes every use fail for this reason, unless the communicator is formed. `world` has all processes.
    pub(super) fn fail(&self, world: &Communicator, reason: &str) {
        if self.0.get().is_some() {
            return;
        }
        let own = CommConfig { name: Some("a duplicate that failed".into()), ..CommConfig::default() };
        let made = world.new_context().and_then(|it| world.form_with_context(it, &[world.rank()], &own));
        // An error means that the world has failed. `wait` notices that.
        if let Ok(made) = made {
            made.abort(reason);
            let _ = self.0.set(made.shared());
        }
    }

    /// Waits for the communicator. A program that gets here communicates before the request of the duplicate
    /// is complete, which MPI does not allow. It must not hang or crash, so operations under way go on until
    /// the communicator is formed. If the world fails, or the time limit passes, the job ends.
    #[cold]
    fn wait(&self) -> &Arc<Communicator> {
        let start = clock::now();
        let limit = state::time_limit();
        loop {
            request::progress_staged();
            if let Some(engine) = self.0.get() {
                return engine;
            }
            ending::exit_if_told();
            let world = state::world();
            let has_failed = world.as_ref().map_or(true, |world| world.failure().is_some());
            if has_failed || limit.is_some_and(|limit| clock::since(start) > limit) {
                let why = "a duplicate is used before its request is complete, and rank 0 does not form it";
                ending::end_job(why, Class::OTHER);
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

impl From<Communicator> for Formed {
    fn from(engine: Communicator) -> Formed {
        Formed(OnceLock::from(engine.shared()))
    }
}

impl Deref for Formed {
    type Target = Arc<Communicator>;

    #[inline]
    fn deref(&self) -> &Arc<Communicator> {
        match self.0.get() {
            Some(engine) => engine,
            None => self.wait(),
        }
    }
}

#[cfg(test)]
mod tests {
    use anyccl_engine::bootstrap::UniqueId;
    use anyccl_engine::config::Config;

    use super::*;

    #[test]
    fn a_duplicate_that_cannot_be_formed_fails_whoever_uses_it() {
        let config = Config::default();
        let id = UniqueId::create(&config).unwrap();
        let world = Communicator::create(&id, 1, 0, &config, &CommConfig::default()).unwrap();
        let formed = Formed::default();
        formed.fail(&world, "rank 0 has no number left");
        let error = formed.dup(&CommConfig::default()).err().expect("it has failed");
        assert!(error.to_string().contains("rank 0 has no number left"), "{error}");
        // The world has not.
        world.dup(&CommConfig::default()).unwrap();
        world.finalize().unwrap();
    }

    #[test]
    fn a_formed_duplicate_does_not_fail_later() {
        let config = Config::default();
        let id = UniqueId::create(&config).unwrap();
        let world = Communicator::create(&id, 1, 0, &config, &CommConfig::default()).unwrap();
        let formed = Formed::from(world.dup(&CommConfig::default()).unwrap());
        formed.fail(&world, "too late");
        formed.dup(&CommConfig::default()).unwrap();
        world.finalize().unwrap();
    }
}
