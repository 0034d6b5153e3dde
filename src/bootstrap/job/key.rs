//! The job's secret.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::base::{Error, Result};

/// Bytes of a [`KeyName`].
pub(crate) const KEY_NAME_BYTES: usize = 16;
/// The name of a key: the first bytes of a hash of it.
pub(crate) type KeyName = [u8; KEY_NAME_BYTES];

/// Secret of a job. Every connection proves that it knows it.
#[derive(Clone, PartialEq, Eq)]
pub struct JobKey(pub [u8; 32]);

impl JobKey {
    /// A new secret from the kernel's random source.
    pub fn random() -> Result<JobKey> {
        random_bytes().map(JobKey)
    }

    /// Reads 64 hexadecimal digits, as in `ANYCCL_JOB_KEY`.
    pub fn from_hex(text: &str) -> Option<JobKey> {
        unhex(text.as_bytes())?.try_into().ok().map(JobKey)
    }

    /// The name by which a connector refers to the key, so that an acceptor with many keys knows which is
    /// meant. It reveals nothing about a random key, and about a derived one no more than a proof does.
    pub(crate) fn name(&self) -> KeyName {
        let hash = Sha256::new_with_prefix(b"anyccl key name v1\0").chain_update(self.0).finalize();
        *hash.first_chunk().expect("a hash is longer than a name")
    }

    /// The 64 hexadecimal digits that [`JobKey::from_hex`] reads.
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// Derives a key from what the ranks know in common. It is as secret as `parts` are. Where a launcher
    /// gives no secret, the key keeps jobs apart and chance strangers out, but not an attacker who can guess
    /// the parts.
    pub fn derived(domain: &str, parts: &[&[u8]]) -> JobKey {
        let mut hash = Sha256::new();
        hash.update(b"anyccl job key v1\0");
        for part in [domain.as_bytes()].iter().chain(parts) {
            // The length first, so that no two lists of parts give the same bytes.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        JobKey(hash.finalize().into())
    }
}

/// Never prints the secret.
impl fmt::Debug for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobKey(..)")
    }
}

/// Two hexadecimal digits per byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes two hexadecimal digits per byte. `None`: other characters, or an odd number of digits.
pub(crate) fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}

/// `N` bytes from the kernel's random source.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| Error::Bootstrap(format!("no random bytes to be had: {e}")))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_anything_else_is_refused() {
        let key = JobKey::random().unwrap();
        assert_eq!(JobKey::from_hex(&key.to_hex()), Some(key.clone()));
        assert_eq!(JobKey::from_hex(&key.to_hex().to_uppercase()), Some(key.clone()));
        assert_eq!(JobKey::from_hex(&key.to_hex()[1..]), None);
        assert_eq!(JobKey::from_hex(&"g".repeat(64)), None);
        assert_eq!(JobKey::from_hex(&"é".repeat(32)), None);
    }

    #[test]
    fn derived_keys_depend_on_the_domain_and_on_where_a_part_ends() {
        let ab_c = JobKey::derived("tcp", &[b"ab", b"c"]);
        assert_eq!(ab_c, JobKey::derived("tcp", &[b"ab", b"c"]));
        assert_ne!(ab_c, JobKey::derived("tcp", &[b"a", b"bc"]));
        assert_ne!(ab_c, JobKey::derived("file", &[b"ab", b"c"]));
    }

    #[test]
    fn debug_output_hides_the_secret() {
        assert_eq!(format!("{:?}", JobKey([7; 32])), "JobKey(..)");
    }
}
