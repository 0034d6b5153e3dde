//! Communicators that are made from others: splits, and what all such communicators share.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::check::{invalid, not_null};
use anyccl_engine::base::Result;
use anyccl_engine::comm::{CommConfig, Communicator};

use crate::call::Progress;
use crate::communicator::{Bar, Comm, Formed, Traits};
use crate::pending_comm::{CallerGets, PendingComm};
use crate::types::{ncclComm_t, ncclConfig_t};
use crate::{config, group};

/// The color of a rank that gets no communicator from ncclCommSplit.
const NCCL_SPLIT_NOCOLOR: c_int = -1;

/// Properties of the new communicator; those that are not set are the parent's.
pub struct Child {
    pub traits: Traits,
    pub own: CommConfig,
}

impl Child {
    /// # Safety
    /// See [`config::read`].
    pub unsafe fn of(parent: &Comm, config: *const ncclConfig_t) -> Result<Child> {
        // SAFETY: passed on from our caller.
        let settings = unsafe { config::read(config) }?;
        let is_blocking = settings.is_blocking.unwrap_or(parent.traits.is_blocking);
        let traits = Traits { is_blocking, device: parent.traits.device };
        let own = CommConfig { name: settings.name, for_devices: true, ..CommConfig::default() };
        Ok(Child { traits, own })
    }
}

/// A communicator that was made from another one. It leaves alone.
pub fn derived(engine: Communicator) -> Formed {
    Formed { engine: engine.shared(), member: None }
}

/// ncclCommSplit. Of a revoked communicator, the surviving ranks are split.
pub unsafe fn split(
    comm: ncclComm_t,
    color: c_int,
    key: c_int,
    newcomm: *mut ncclComm_t,
    config: *mut ncclConfig_t,
) -> Result<Progress> {
    not_null(newcomm, "newcomm")?;
    let color = match color {
        NCCL_SPLIT_NOCOLOR => None,
        color => match u32::try_from(color) {
            Ok(color) => Some(color),
            Err(_) => return invalid("color", format!("{color}; accepted: 0 and more, NCCL_SPLIT_NOCOLOR")),
        },
    };
    let (parent, engine) = parent_of(comm)?;
    // SAFETY: passed on from our caller.
    let Child { traits, own } = unsafe { Child::of(&parent, config) }?;
    let is_revoked = parent.bar() == Bar::Revoked;
    let part = move || {
        let part = match is_revoked {
            true => engine.shrink(&CommConfig::default())?.split(color, key, &own)?,
            false => engine.split(color, key, &own)?,
        };
        Ok(part.map(derived))
    };
    let outcome = if color.is_some() { CallerGets::Handle } else { CallerGets::Nothing };
    // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
    group::form(unsafe { PendingComm::new(newcomm, traits, Some(parent), outcome, part) })
}

/// The parent of a new communicator, which may be revoked.
pub fn parent_of(comm: ncclComm_t) -> Result<(Arc<Comm>, Arc<Communicator>)> {
    let found = Comm::from_handle(comm)?;
    let engine = if found.bar() == Bar::Revoked { found.any_engine()? } else { found.engine()? };
    let engine = Arc::clone(engine);
    Ok((found.share(), engine))
}
