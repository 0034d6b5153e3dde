//! The communicators of a recording, formed anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyccl_engine::base::Result;
use anyccl_engine::comm::{CommConfig, Communicator};

use crate::perf::ranks::{Form, Ranks, receive, send};
use crate::perf::region::{Incoming, Outgoing};
use crate::replay::program::Program;

/// The communicators, by the contexts that they had.
pub struct Comms {
    by_context: BTreeMap<u32, Arc<Communicator>>,
    world: Arc<Communicator>,
}

impl Comms {
    /// The communicator that had this context.
    pub fn get(&self, context: u32) -> &Communicator {
        self.by_context.get(&context).unwrap_or(&self.world)
    }

    /// The communicators that were formed for the replay.
    pub fn formed(&self) -> impl Iterator<Item = &Communicator> {
        self.by_context.values().filter(|comm| !Arc::ptr_eq(comm, &self.world)).map(|comm| &**comm)
    }
}

/// Forms the communicators of this rank. Collective over the world.
///
/// The first member chooses the context and tells the others. All ranks go through their communicators in the
/// order of the recorded contexts and groups, so that none waits in a circle.
pub fn form(ranks: &Ranks, program: &Program) -> Result<Comms> {
    let mut comms = Comms { by_context: BTreeMap::new(), world: Arc::clone(&ranks.world) };
    let mut recorded: Vec<_> = program.comms.values().collect();
    recorded.sort_by_key(|comm| (comm.context, &comm.group));
    let all: Vec<u32> = (0..ranks.size()).collect();
    let mut has_world = false;
    for comm in recorded {
        if comm.ranks == all && !has_world {
            has_world = true;
            comms.by_context.insert(comm.context, Arc::clone(&ranks.world));
            continue;
        }
        let mut context = [0; 4];
        if comm.ranks[0] == ranks.rank() {
            context = ranks.world.new_context()?.to_ne_bytes();
            for other in &comm.ranks[1..] {
                send(&ranks.world, Outgoing::from(&context[..]), *other, Form::Blocking)?;
            }
        } else {
            receive(&ranks.world, Incoming::from(&mut context[..]), comm.ranks[0], Form::Blocking)?;
        }
        let own = CommConfig { name: Some(format!("replayed {}", comm.context)), ..CommConfig::default() };
        let formed = ranks.world.form_with_context(u32::from_ne_bytes(context), &comm.ranks, &own)?;
        comms.by_context.insert(comm.context, formed.shared());
    }
    Ok(comms)
}
