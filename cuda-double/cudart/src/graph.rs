//! Graphs (`cudaGraph*`).

use crate::entry::forward;

forward! {
    /// `cudaGraphCreate`.
    cudaGraphCreate(graph: *mut usize, flags: u32) => cuGraphCreate(graph, flags);

    /// `cudaGraphDestroy`.
    cudaGraphDestroy(graph: usize) => cuGraphDestroy(graph);

    /// `cudaGraphGetNodes`.
    cudaGraphGetNodes(graph: usize, nodes: *mut usize, count: *mut usize) =>
        cuGraphGetNodes(graph, nodes, count);

    /// `cudaGraphInstantiate`, as CUDA 12 declares it.
    cudaGraphInstantiate(executable: *mut usize, graph: usize, flags: u64) =>
        cuGraphInstantiateWithFlags(executable, graph, flags);

    /// `cudaGraphInstantiateWithFlags`.
    cudaGraphInstantiateWithFlags(executable: *mut usize, graph: usize, flags: u64) =>
        cuGraphInstantiateWithFlags(executable, graph, flags);

    /// `cudaGraphExecDestroy`.
    cudaGraphExecDestroy(executable: usize) => cuGraphExecDestroy(executable);

    /// `cudaGraphExecUpdate`, as CUDA 12 declares it.
    cudaGraphExecUpdate(executable: usize, graph: usize, result: usize) =>
        cuGraphExecUpdate_v2(executable, graph, result);

    /// `cudaUserObjectCreate`.
    cudaUserObjectCreate(object: *mut usize, data: usize, destructor: usize, count: u32, flags: u32) =>
        cuUserObjectCreate(object, data, destructor, count, flags);

    /// `cudaUserObjectRetain`.
    cudaUserObjectRetain(object: usize, count: u32) => cuUserObjectRetain(object, count);

    /// `cudaUserObjectRelease`.
    cudaUserObjectRelease(object: usize, count: u32) => cuUserObjectRelease(object, count);

    /// `cudaGraphRetainUserObject`.
    cudaGraphRetainUserObject(graph: usize, object: usize, count: u32, flags: u32) =>
        cuGraphRetainUserObject(graph, object, count, flags);

    /// `cudaGraphReleaseUserObject`.
    cudaGraphReleaseUserObject(graph: usize, object: usize, count: u32) =>
        cuGraphReleaseUserObject(graph, object, count);

    /// `cudaGraphLaunch`.
    cudaGraphLaunch(executable: usize, stream: usize) => cuGraphLaunch(executable, stream);
}
