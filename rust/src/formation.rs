//! Communicators made from others: some or all of their ranks, on the same connections.

use anyccl_engine::base::Result as EngineResult;
use anyccl_engine::comm::{CommConfig, Communicator as Engine};

use crate::communicator::Communicator;
use crate::config::Config;
use crate::error::Result;

impl Communicator {
    /// Splits the communicator: the ranks with the same color form a new one, in the order of their keys.
    /// Equal keys keep the order of this communicator. A rank without a color gets `None`.
    ///
    /// Collective. The new communicator may outlive this one.
    ///
    /// ```
    /// anyccl::threads(4, |comm| {
    ///     let half = comm.split(Some(comm.rank() as u32 % 2), 0)?.expect("each rank has a color");
    ///     assert_eq!((half.size(), half.rank()), (2, comm.rank() / 2));
    ///     half.barrier()
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    pub fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Communicator>> {
        self.split_with(color, key, &Config::new())
    }

    /// Splits the communicator, with settings of the new one.
    pub fn split_with(&self, color: Option<u32>, key: i32, config: &Config) -> Result<Option<Communicator>> {
        self.form("split", config, |engine, own| engine.split(color, key, own))
    }

    /// Splits the communicator by host: the ranks that share memory with each other form a new one.
    /// Collective.
    pub fn split_by_host(&self) -> Result<Communicator> {
        self.form_of_all("split_by_host", &Config::new(), Engine::split_by_host)
    }

    /// Makes a communicator of the same ranks whose calls and messages are separate from those of this one.
    /// Collective. ([`clone`](Clone::clone) makes another handle of the same communicator.)
    pub fn duplicate(&self) -> Result<Communicator> {
        self.duplicate_with(&Config::new())
    }

    /// Makes a communicator of the same ranks, with settings.
    pub fn duplicate_with(&self, config: &Config) -> Result<Communicator> {
        self.form_of_all("duplicate", config, Engine::dup)
    }

    /// Makes a communicator of some ranks. The first of `ranks` becomes rank 0, and so on. A rank that is not
    /// among them gets `None`. Collective over all ranks, which pass the same list.
    pub fn create_from_ranks(&self, ranks: &[usize]) -> Result<Option<Communicator>> {
        // A number that does not fit is no rank, and neither is the one in its place.
        let ranks: Vec<u32> = ranks.iter().map(|rank| u32::try_from(*rank).unwrap_or(u32::MAX)).collect();
        self.form("create_from_ranks", &Config::new(), |engine, own| engine.create_from_ranks(&ranks, own))
    }

    /// Makes a communicator of the ranks that are still alive, to go on after a failure. Collective over
    /// them: all get the same ranks, in the order of this communicator, even if more die during the call.
    /// Operations that were under way are not continued.
    pub fn shrink(&self) -> Result<Communicator> {
        self.form_of_all("shrink", &Config::new(), Engine::shrink)
    }

    fn form(
        &self,
        call: &str,
        config: &Config,
        how: impl FnOnce(&Engine, &CommConfig) -> EngineResult<Option<Engine>>,
    ) -> Result<Option<Communicator>> {
        let made = self.enter(call, |engine| how(engine, &config.own()))?;
        Ok(made.map(|engine| Communicator::of(engine.shared(), false)))
    }

    fn form_of_all(
        &self,
        call: &str,
        config: &Config,
        how: impl FnOnce(&Engine, &CommConfig) -> EngineResult<Engine>,
    ) -> Result<Communicator> {
        let engine = self.enter(call, |engine| how(engine, &config.own()))?;
        Ok(Communicator::of(engine.shared(), false))
    }
}
