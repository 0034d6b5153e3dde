//! How the variables of one launcher are read.

use crate::base::Result;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::job::variable::Lookup;

/// The rules for the variables of one launcher.
pub(crate) struct Launcher {
    /// Name of the launcher, for messages, `anyccl info` and the log.
    pub name: &'static str,
    /// Whether the launcher started this process.
    pub is_here: fn(Lookup<'_>) -> bool,
    /// This process's seat; `None` when only a connection to the launcher will tell.
    pub seat: fn(Lookup<'_>) -> Result<Option<Seat>>,
    /// Where its ranks meet. Called only for a world of several ranks, and only without `ANYCCL_STORE`.
    pub place: fn(Lookup<'_>) -> Result<StoreAddress>,
}
