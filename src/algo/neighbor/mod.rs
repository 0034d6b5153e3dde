//! neighbor_all_gather_v and neighbor_all_to_all_v: along the edges of a graph, given by each rank's sources
//! and destinations.

pub(super) mod direct;
