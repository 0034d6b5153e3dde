//! Graphs of processes: neighbours as lists.

use crate::error::{Class, Error, Result};

/// A graph that every process knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The end of each process's neighbours in `edges`.
    index: Vec<i32>,
    edges: Vec<i32>,
}

impl Graph {
    /// A graph in the form of `MPI_Graph_create`.
    pub fn new(index: Vec<i32>, edges: Vec<i32>) -> Result<Graph> {
        if !index.is_sorted() || index.first().is_some_and(|first| *first < 0) {
            return Err(Error::new(Class::ARG, "index counts neighbours: it never falls, from 0 on"));
        }
        let nodes = index.len() as i32;
        if let Some(edge) = edges.iter().find(|edge| !(0..nodes).contains(*edge)) {
            return Err(Error::new(Class::ARG, format!("an edge to {edge}; the graph has {nodes} nodes")));
        }
        Ok(Graph { index, edges })
    }

    /// Number of processes.
    pub fn nodes(&self) -> u32 {
        self.index.len() as u32
    }

    /// The `index` of [`Graph::new`].
    pub fn index(&self) -> &[i32] {
        &self.index
    }

    /// The `edges` of [`Graph::new`].
    pub fn edges(&self) -> &[i32] {
        &self.edges
    }

    /// Neighbours of a rank below the number of processes.
    pub fn neighbors(&self, rank: u32) -> &[i32] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.index[rank - 1] };
        &self.edges[start as usize..self.index[rank] as usize]
    }
}

/// The edges of one process in a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistGraph {
    /// Processes from which it receives.
    pub sources: Vec<i32>,
    /// Processes to which it sends.
    pub destinations: Vec<i32>,
    /// Weights of both, if the edges have weights.
    pub weights: Option<[Vec<i32>; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_lie_between_the_ends() {
        let graph = Graph::new(vec![2, 2, 4], vec![1, 2, 0, 0]).unwrap();
        assert_eq!(graph.neighbors(0), [1, 2]);
        assert_eq!(graph.neighbors(1), []);
        assert_eq!(graph.neighbors(2), [0, 0]);
    }

    #[test]
    fn edges_to_nowhere_and_falling_ends_are_refused() {
        for (index, edges) in
            [(vec![1], vec![1]), (vec![1, 0], vec![0]), (vec![-1], vec![]), (vec![1], vec![-1])]
        {
            assert_eq!(Graph::new(index, edges).unwrap_err().class, Class::ARG);
        }
    }
}
