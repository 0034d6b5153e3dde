//! neighbor_all_gather_v and neighbor_all_to_all_v: each rank exchanges blocks along the edges of a graph,
//! which are its sources and destinations.

pub(super) mod direct;
