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

    /// `cudaGraphLaunch`.
    cudaGraphLaunch(executable: usize, stream: usize) => cuGraphLaunch(executable, stream);
}
