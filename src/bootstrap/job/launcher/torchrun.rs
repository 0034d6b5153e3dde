//! torchrun, and programs that set its variables by hand.
//!
//! `MASTER_PORT` is never used: torch's own store listens there.

use super::rules::Launcher;
use crate::base::Result;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::job::variable::{Lookup, invalid, seat_of};

pub(super) const LAUNCHER: Launcher = Launcher { name: "torchrun", is_here, seat, place };

fn is_here(lookup: Lookup<'_>) -> bool {
    lookup("RANK").is_some() || lookup("WORLD_SIZE").is_some()
}

fn seat(lookup: Lookup<'_>) -> Result<Option<Seat>> {
    seat_of(lookup, "RANK", "WORLD_SIZE").map(Some)
}

fn place(lookup: Lookup<'_>) -> Result<StoreAddress> {
    let needed = |name: &'static str| {
        lookup(name).ok_or_else(|| {
            let got = "unset, but RANK and WORLD_SIZE are set as torchrun does; start with torchrun or `anyccl run`, or \
                       set ANYCCL_RANK, ANYCCL_WORLD_SIZE and ANYCCL_STORE";
            invalid(name, got)
        })
    };
    let host = needed("MASTER_ADDR")?;
    let text = needed("MASTER_PORT")?;
    let taken =
        text.trim().parse().map_err(|_| invalid("MASTER_PORT", format!("\"{text}\"; accepted: a port")))?;
    // An agent that restarts its workers keeps port and run id. Leftovers of the earlier workers belong to
    // another job.
    let run = lookup("TORCHELASTIC_RUN_ID").unwrap_or_default();
    let job = match lookup("TORCHELASTIC_RESTART_COUNT") {
        Some(count) if count.trim() != "0" => format!("{run} restart {}", count.trim()),
        _ => run,
    };
    Ok(StoreAddress::Ports { launcher: "torchrun", host, taken, job })
}
