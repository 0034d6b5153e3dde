//! Which ports a job under torchrun may use.
//!
//! `MASTER_PORT` belongs to torch's own store. What is left to agree on without talking: a sequence
//! of ports that every rank computes from what torchrun told all of them. Rank 0 serves at the
//! first that is free; the others try them in turn until one proves the job key.

use sha2::{Digest, Sha256};

/// Length of the sequence: so many ports would have to be taken by others for a job to fail.
pub(crate) const CANDIDATES: usize = 32;

/// Above the ports of well-known services, below those that kernels hand out.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// The ports to try, in order. Distinct, and never `master_port`.
pub(crate) fn candidate_ports(host: &str, master_port: u16, run_id: &str) -> Vec<u16> {
    let mut ports = Vec::with_capacity(CANDIDATES);
    for round in 0u32.. {
        let mut hash = Sha256::new();
        hash.update(b"anyccl ports v1\0");
        hash.update(round.to_le_bytes());
        hash.update(master_port.to_le_bytes());
        hash.update((host.len() as u64).to_le_bytes());
        hash.update(host);
        hash.update(run_id);
        for pair in hash.finalize().chunks_exact(2) {
            let port = FIRST + u16::from_le_bytes([pair[0], pair[1]]) % COUNT;
            if port != master_port && !ports.contains(&port) {
                ports.push(port);
            }
            if ports.len() == CANDIDATES {
                return ports;
            }
        }
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranks_compute_the_same_distinct_ports_without_torchs_own() {
        let ports = candidate_ports("10.0.0.1", 29_500, "run");
        assert_eq!(ports, candidate_ports("10.0.0.1", 29_500, "run"));
        assert_eq!(ports.len(), CANDIDATES);
        for (at, port) in ports.iter().enumerate() {
            assert!((FIRST..FIRST + COUNT).contains(port) && !ports[..at].contains(port));
        }
        for master_port in &ports {
            assert!(!candidate_ports("10.0.0.1", *master_port, "run").contains(master_port));
        }
    }

    #[test]
    fn jobs_that_differ_in_anything_use_other_ports() {
        let ports = candidate_ports("10.0.0.1", 29_500, "run");
        assert_ne!(ports, candidate_ports("10.0.0.2", 29_500, "run"));
        assert_ne!(ports, candidate_ports("10.0.0.1", 29_501, "run"));
        assert_ne!(ports, candidate_ports("10.0.0.1", 29_500, "run2"));
    }
}
