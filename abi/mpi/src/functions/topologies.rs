//! Topologies: chapter 8.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! topologies {
    ($door:ident) => {
        $crate::export! { $door TOPOLOGIES
            1 "1.0" MPI_Cart_coords PMPI_Cart_coords (comm: CommHandle, rank: Int, maxdims: Int, coords: OutArray<Int>) on
                comm = topology::cart_calls::coords;
            1 "1.0" MPI_Cart_create PMPI_Cart_create (comm_old: CommHandle, ndims: Int, dims: Array<Int>, periods:
                Array<Int>, reorder: Int, comm_cart: Made<CommHandle>) on comm_old = topology::cart_calls::create;
            1 "1.0" MPI_Cart_get PMPI_Cart_get (comm: CommHandle, maxdims: Int, dims: OutArray<Int>, periods: OutArray<Int>,
                coords: OutArray<Int>) on comm = topology::cart_calls::get;
            2 "1.0" MPI_Cart_map PMPI_Cart_map (comm: CommHandle, ndims: Int, dims: Array<Int>, periods: Array<Int>,
                newrank: Out<Rank>) on comm = topology::cart_calls::map;
            1 "1.0" MPI_Cart_rank PMPI_Cart_rank (comm: CommHandle, coords: Array<Int>, rank: Out<Rank>) on comm = topology::cart_calls::rank;
            1 "1.0" MPI_Cart_shift PMPI_Cart_shift (comm: CommHandle, direction: Int, disp: Int, rank_source: Out<Rank>,
                rank_dest: Out<Rank>) on comm = topology::cart_calls::shift;
            2 "1.0" MPI_Cart_sub PMPI_Cart_sub (comm: CommHandle, remain_dims: Array<Int>, newcomm: Made<CommHandle>) on comm
                = topology::cart_calls::sub;
            2 "1.0" MPI_Cartdim_get PMPI_Cartdim_get (comm: CommHandle, ndims: Out<Int>) on comm = topology::cart_calls::dim_get;
            1 "1.0" MPI_Dims_create PMPI_Dims_create (nnodes: Int, ndims: Int, dims: InOutArray<Int>) = topology::dims::create;
            2 "2.2" MPI_Dist_graph_create PMPI_Dist_graph_create (comm_old: CommHandle, n: Int, sources: Array<Int>,
                degrees: Array<Int>, destinations: Array<Int>, weights: Weights, info: InfoHandle, reorder: Int,
                comm_dist_graph: Made<CommHandle>) on comm_old = topology::dist_graph_calls::create;
            2 "2.2" MPI_Dist_graph_create_adjacent PMPI_Dist_graph_create_adjacent (comm_old: CommHandle, indegree: Int,
                sources: Array<Int>, sourceweights: Weights, outdegree: Int, destinations: Array<Int>, destweights: Weights,
                info: InfoHandle, reorder: Int, comm_dist_graph: Made<CommHandle>) on comm_old = topology::dist_graph_calls::create_adjacent;
            2 "2.2" MPI_Dist_graph_neighbors PMPI_Dist_graph_neighbors (comm: CommHandle, maxindegree: Int, sources:
                OutArray<Int>, sourceweights: OutWeights, maxoutdegree: Int, destinations: OutArray<Int>, destweights:
                OutWeights) on comm = topology::dist_graph_calls::neighbors;
            2 "2.2" MPI_Dist_graph_neighbors_count PMPI_Dist_graph_neighbors_count (comm: CommHandle, indegree: Out<Int>,
                outdegree: Out<Int>, weighted: Out<Int>) on comm = topology::dist_graph_calls::neighbors_count;
            2 "1.0" MPI_Graph_create PMPI_Graph_create (comm_old: CommHandle, nnodes: Int, indx: Array<Int>, edges:
                Array<Int>, reorder: Int, comm_graph: Made<CommHandle>) on comm_old = topology::graph_calls::create;
            2 "1.0" MPI_Graph_get PMPI_Graph_get (comm: CommHandle, maxindex: Int, maxedges: Int, indx: OutArray<Int>,
                edges: OutArray<Int>) on comm = topology::graph_calls::get;
            2 "1.0" MPI_Graph_map PMPI_Graph_map (comm: CommHandle, nnodes: Int, indx: Array<Int>, edges: Array<Int>,
                newrank: Out<Rank>) on comm = topology::graph_calls::map;
            2 "1.0" MPI_Graph_neighbors PMPI_Graph_neighbors (comm: CommHandle, rank: Int, maxneighbors: Int, neighbors:
                OutArray<Int>) on comm = topology::graph_calls::neighbors;
            2 "1.0" MPI_Graph_neighbors_count PMPI_Graph_neighbors_count (comm: CommHandle, rank: Int, nneighbors: Out<Int>)
                on comm = topology::graph_calls::neighbors_count;
            2 "1.0" MPI_Graphdims_get PMPI_Graphdims_get (comm: CommHandle, nnodes: Out<Int>, nedges: Out<Int>) on comm = topology::graph_calls::dims_get;
            2 "1.0" MPI_Topo_test PMPI_Topo_test (comm: CommHandle, status: Out<Topology>) on comm = topology::test;
        }
    };
}
