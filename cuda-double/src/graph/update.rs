//! `cuGraphExecUpdate`: an executable graph takes over what another graph of the same shape does.
//!
//! CUDA pairs the nodes of both graphs. Here they are paired in the order in which they were added, as for
//! graphs that were captured by the same calls. All parameters of all kinds of nodes may change. The user
//! objects of the new graph replace those of the executable graph. Launches that were made before go on as
//! they were.

use std::sync::Arc;

use super::{Content, EXECUTABLES, GRAPHS};
use crate::argument::Out;
use crate::entry::call;
use crate::status::{Status, require};

/// A `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateResult {
    /// A `CUgraphExecUpdateResult`.
    pub result: u32,
    /// The node that keeps the graphs from being paired.
    pub node: usize,
    /// A node that it depends on, if an edge keeps them from it.
    pub from: usize,
}

const SUCCESS: u32 = 0;
const TOPOLOGY_CHANGED: u32 = 2;
const NODE_TYPE_CHANGED: u32 = 3;

impl Content {
    /// Whether it can replace `old`.
    fn compare(&self, old: &Content) -> UpdateResult {
        let refusal = |result, node: usize| {
            let handle = self.nodes.get(node).map_or(0, |node| node.handle);
            UpdateResult { result, node: handle, from: 0 }
        };
        for (at, (new, old)) in self.nodes.iter().zip(&old.nodes).enumerate() {
            if new.after != old.after {
                return refusal(TOPOLOGY_CHANGED, at);
            }
            if new.kind != old.kind {
                return refusal(NODE_TYPE_CHANGED, at);
            }
        }
        if self.nodes.len() != old.nodes.len() {
            return refusal(TOPOLOGY_CHANGED, old.nodes.len());
        }
        UpdateResult { result: SUCCESS, ..UpdateResult::default() }
    }
}

/// `cuGraphExecUpdate_v2`. After a refusal the executable graph is as it was.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecUpdate_v2(executable: usize, graph: usize, result: Out<UpdateResult>) -> Status {
    call("cuGraphExecUpdate", || {
        require(!result.is_null())?;
        let executable = EXECUTABLES.get(executable).map_err(|_| Status::INVALID_VALUE)?;
        let graph = GRAPHS.get(graph).map_err(|_| Status::INVALID_VALUE)?;
        let new = Content::of(&graph);
        let mut content = executable.content.lock();
        let compared = new.compare(&content);
        result.set(compared)?;
        if compared.result != SUCCESS {
            return Err(Status::GRAPH_EXEC_UPDATE_FAILURE);
        }
        let old = std::mem::replace(&mut *content, new);
        drop(content);
        drop::<Arc<Content>>(old);
        Ok(())
    })
}
