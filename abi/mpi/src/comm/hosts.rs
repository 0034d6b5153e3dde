//! Which ranks of a communicator reach each other's memory.

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Communicator;

use super::agreement::gather;
use crate::error::Result;

/// Transport to ranks whose memory is within reach.
const NEAR: &str = "shm";

/// For each rank, the first one of those that share memory with it. All ranks get the same list. Collective.
pub fn leaders(engine: &Communicator) -> Result<Vec<Rank>> {
    let own = engine.rank();
    let shares = |rank: &Rank| *rank == own || engine.transport(*rank) == NEAR;
    let first = (0..engine.size()).find(shares).unwrap_or(own);
    let said = gather(engine, [u64::from(first)])?;
    let mut leaders: Vec<Rank> = Vec::with_capacity(said.len());
    for (rank, [first]) in (0..).zip(&said) {
        // A rank that others follow may itself follow one that came before.
        let first = Rank::try_from(*first).ok().filter(|first| *first < rank);
        leaders.push(first.map_or(rank, |first| leaders[first as usize]));
    }
    Ok(leaders)
}
