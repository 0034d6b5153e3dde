//! Graphs: work that was recorded, and can run many times.
//!
//! The nodes of a launched graph run one after the other, in a random order that their edges allow. All of
//! them run after the earlier work of the stream, and before its later work. Launches of one executable graph
//! run one after the other, whatever streams they are in.

pub mod api;
pub mod objects;
pub mod update;
pub mod user_object;

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::counts::{self, Kind};
use crate::handles::{Table, fresh};
use crate::status::Result;
use crate::stream::{Marker, Run};
use user_object::References;

/// What a node does, each time.
pub type Work = Arc<dyn Fn(&mut Run) -> Result + Send + Sync>;

/// A `CUgraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NodeKind {
    /// A launch of a kernel.
    Kernel = 0,
    /// A copy.
    Copy = 1,
    /// A fill.
    Fill = 2,
    /// A host function.
    Host = 3,
    /// A launch of another graph.
    Graph = 4,
    /// Waits for values and writes of them.
    Values = 12,
}

/// One piece of work in a graph.
#[derive(Clone)]
pub struct Node {
    /// The `CUgraphNode`.
    pub handle: usize,
    /// What it is.
    pub kind: NodeKind,
    /// What it does.
    pub work: Work,
    /// The nodes that it runs after, all of them earlier ones.
    pub after: Vec<usize>,
}

/// A graph. Nodes are only added.
pub struct Graph {
    /// The `CUgraph`.
    pub handle: usize,
    nodes: Mutex<Vec<Node>>,
    objects: Mutex<References>,
}

/// A graph that can be launched.
pub struct Executable {
    /// What the next launch runs.
    content: Mutex<Arc<Content>>,
    /// The end of its last launch.
    last: Mutex<Option<Marker>>,
}

/// What a launch runs. It lives until the launch has ended, even if the executable graph is updated.
struct Content {
    nodes: Vec<Node>,
    _objects: References,
}

static GRAPHS: Table<Graph> = Table::empty();
static EXECUTABLES: Table<Executable> = Table::empty();

/// Gives a graph to the program; its handle.
pub fn add(graph: Arc<Graph>) -> usize {
    let handle = graph.handle;
    GRAPHS.insert(handle, graph);
    counts::add(Kind::Graphs, 1);
    handle
}

impl Graph {
    /// A graph without nodes. The program does not know it yet.
    pub fn new() -> Arc<Graph> {
        Arc::new(Graph { handle: fresh(), nodes: Mutex::default(), objects: Mutex::default() })
    }

    /// Adds a node; its position.
    pub fn add(&self, node: Node) -> usize {
        let mut nodes = self.nodes.lock();
        nodes.push(node);
        nodes.len() - 1
    }

    /// The handles of the nodes at these positions.
    pub fn handles(&self, positions: &[usize]) -> Box<[usize]> {
        let nodes = self.nodes.lock();
        positions.iter().map(|position| nodes[*position].handle).collect()
    }

    /// The nodes at these positions, and all that they run after.
    pub fn before(&self, positions: &[usize]) -> HashSet<usize> {
        let nodes = self.nodes.lock();
        let (mut found, mut next) = (HashSet::new(), positions.to_vec());
        while let Some(position) = next.pop() {
            if found.insert(position) {
                next.extend(&nodes[position].after);
            }
        }
        found
    }
}

impl Content {
    /// What a graph has now.
    fn of(graph: &Graph) -> Arc<Content> {
        let nodes = graph.nodes.lock().clone();
        Arc::new(Content { nodes, _objects: graph.objects.lock().clone() })
    }

    /// Runs all nodes.
    fn run(&self, run: &mut Run) -> Result {
        let mut left: Vec<usize> = (0..self.nodes.len()).collect();
        while !left.is_empty() {
            let may_run = |node: &usize| self.nodes[*node].after.iter().all(|before| !left.contains(before));
            let ready: Vec<usize> = left.iter().copied().filter(may_run).collect();
            let node = ready[run.random.below(ready.len() as u64) as usize];
            left.retain(|other| *other != node);
            run.random.pause();
            (self.nodes[node].work)(run)?;
        }
        Ok(())
    }
}
