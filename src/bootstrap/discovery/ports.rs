//! Ports that a job may use when its launcher names a host and a job, but no port for anyccl.
//!
//! torchrun's `MASTER_PORT` belongs to torch's own store, and Slurm gives no port. Every rank therefore
//! computes the same sequence of ports from what the launcher told all of them. Rank 0 serves at the first
//! free one; the others try them in turn until one proves the job key.

use sha2::{Digest, Sha256};

/// Length of the sequence. A job fails only if other programs hold all of these ports.
pub(crate) const CANDIDATES: usize = 32;

/// First port: above those of well-known services, below those that kernels hand out.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// The ports to try, in order. Distinct, and never `taken`.
pub(crate) fn candidate_ports(host: &str, taken: u16, job: &str) -> Vec<u16> {
    let mut ports = Vec::with_capacity(CANDIDATES);
    for round in 0u32.. {
        let mut hash = Sha256::new();
        hash.update(b"anyccl ports v1\0");
        hash.update(round.to_le_bytes());
        hash.update(taken.to_le_bytes());
        hash.update((host.len() as u64).to_le_bytes());
        hash.update(host);
        hash.update(job);
        for pair in hash.finalize().chunks_exact(2) {
            let port = FIRST + u16::from_le_bytes([pair[0], pair[1]]) % COUNT;
            if port != taken && !ports.contains(&port) {
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
    fn all_ranks_compute_the_same_distinct_ports_without_the_one_that_is_taken() {
        let ports = candidate_ports("10.0.0.1", 29_500, "run");
        assert_eq!(ports, candidate_ports("10.0.0.1", 29_500, "run"));
        assert_eq!(ports.len(), CANDIDATES);
        for (at, port) in ports.iter().enumerate() {
            assert!((FIRST..FIRST + COUNT).contains(port) && !ports[..at].contains(port));
        }
        for taken in &ports {
            assert!(!candidate_ports("10.0.0.1", *taken, "run").contains(taken));
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
