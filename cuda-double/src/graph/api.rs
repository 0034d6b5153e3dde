//! The functions `cuGraph*`.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Content, EXECUTABLES, Executable, GRAPHS, Graph, NodeKind, add};
use crate::argument::Out;
use crate::capture;
use crate::counts::{self, Kind};
use crate::entry::call;
use crate::handles::fresh;
use crate::status::{Result, Status, require};
use crate::stream::{both_defaults, of_call};

/// `cuGraphCreate`: a graph without nodes.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphCreate(graph: Out<usize>, flags: u32) -> Status {
    call("cuGraphCreate", || {
        require(!graph.is_null() && flags == 0)?;
        graph.set(add(Graph::new()))
    })
}

/// `cuGraphDestroy`.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDestroy(graph: usize) -> Status {
    call("cuGraphDestroy", || {
        GRAPHS.remove(graph).map_err(|_| Status::INVALID_VALUE)?;
        counts::add(Kind::Graphs, -1);
        Ok(())
    })
}

/// `cuGraphGetNodes`. Without an array, it gives the number of nodes.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphGetNodes(graph: usize, nodes: Out<usize>, count: Out<usize>) -> Status {
    call("cuGraphGetNodes", || {
        let graph = GRAPHS.get(graph).map_err(|_| Status::INVALID_VALUE)?;
        let known = graph.nodes.lock();
        if nodes.is_null() {
            return count.set(known.len());
        }
        let room = count.value()?;
        for at in 0..room {
            nodes.element(at).set(known.get(at).map_or(0, |node| node.handle))?;
        }
        count.set(room.min(known.len()))
    })
}

/// `cuGraphNodeGetType`.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetType(node: usize, kind: Out<u32>) -> Status {
    call("cuGraphNodeGetType", || {
        let kind_in = |graph: &Graph| {
            graph.nodes.lock().iter().find(|known| known.handle == node).map(|known| known.kind as u32)
        };
        let found = GRAPHS.select(|graph| kind_in(graph).is_some());
        kind.set(found.first().and_then(|graph| kind_in(graph)).ok_or(Status::INVALID_VALUE)?)
    })
}

fn instantiate(executable: Out<usize>, graph: usize) -> Result {
    require(!executable.is_null())?;
    let graph = GRAPHS.get(graph).map_err(|_| Status::INVALID_VALUE)?;
    let handle = fresh();
    let content = Mutex::new(Content::of(&graph));
    EXECUTABLES.insert(handle, Arc::new(Executable { content, last: Mutex::default() }));
    counts::add(Kind::Graphs, 1);
    executable.set(handle)
}

/// `cuGraphInstantiateWithFlags`, which programs call as `cuGraphInstantiate`. Of the flags, those for
/// memory that is freed at a launch (1) and for node priorities (8) are known, and have no effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiateWithFlags(executable: Out<usize>, graph: usize, flags: u64) -> Status {
    call("cuGraphInstantiateWithFlags", || {
        require(flags & !9 == 0)?;
        instantiate(executable, graph)
    })
}

/// `cuGraphInstantiate_v2`, of CUDA 11.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiate_v2(
    executable: Out<usize>,
    graph: usize,
    _failed: Out<usize>,
    _text: usize,
    _size: usize,
) -> Status {
    call("cuGraphInstantiate", || instantiate(executable, graph))
}

/// `cuGraphExecDestroy`. Launches that have begun still run.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecDestroy(executable: usize) -> Status {
    call("cuGraphExecDestroy", || {
        EXECUTABLES.remove(executable).map_err(|_| Status::INVALID_VALUE)?;
        counts::add(Kind::Graphs, -1);
        Ok(())
    })
}

both_defaults! {
    /// `cuGraphLaunch`. In a stream that captures, the launch is a node.
    cuGraphLaunch, cuGraphLaunch_ptsz, "cuGraphLaunch", (executable: usize, stream: usize), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        let executable = EXECUTABLES.get(executable).map_err(|_| Status::INVALID_VALUE)?;
        let content = Arc::clone(&executable.content.lock());
        let work: super::Work = Arc::new(move |run| content.run(run));
        if capture::record(&stream, NodeKind::Graph, &work)? {
            return Ok(());
        }
        let mut last = executable.last.lock();
        let before = last.take().into_iter().collect();
        *last = Some(stream.enqueue_after(before, move |run| work(run)));
        Ok(())
    }
}
