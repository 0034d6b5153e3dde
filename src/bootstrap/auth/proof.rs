//! How a connection proves that it knows the job key.
//!
//! Both sides send a fresh random nonce. The connector proves first, so a stranger that connects receives
//! nothing made with the key. Then the acceptor proves. A proof is HMAC-SHA256 over both nonces, the purpose
//! of the connection, and the side that proves. So no proof can be replayed (fresh nonces), reflected (side),
//! or used on another kind of connection (purpose).
//!
//! On Unix sockets the connector knows the acceptor's nonce beforehand ([`super::handshake`]), which does not
//! change. A proof for such a nonce is none for a nonce that an acceptor has sent, or the other way round.
//!
//! What this leaves out: an attacker who can change packets on their way can take over the connection after
//! it was proved. See docs/adr/0003-bootstrap-authentication.md.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::bootstrap::job::key::JobKey;

/// Bytes of a nonce and of a proof.
pub(crate) const NONCE_BYTES: usize = 32;

/// A fresh random challenge.
pub(crate) type Nonce = [u8; NONCE_BYTES];

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Purpose {
    /// A rank asks the store.
    Store = 1,
    /// The lasting connection of two ranks.
    Control = 2,
    /// Bulk data between two ranks.
    Data = 3,
    /// The lower of two ranks asks the higher one to connect with it.
    Request = 4,
}

impl Purpose {
    /// The purpose with this number.
    pub fn from_number(number: u8) -> Option<Purpose> {
        let all = [Purpose::Store, Purpose::Control, Purpose::Data, Purpose::Request];
        all.into_iter().find(|p| *p as u8 == number)
    }
}

/// The side that proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Side {
    /// The one that connected.
    Connector = 1,
    /// The one that listened.
    Acceptor = 2,
}

/// The nonces of both sides of one connection.
#[derive(Clone, Copy)]
pub(crate) struct Nonces {
    /// Nonce of the connector.
    pub connector: Nonce,
    /// Nonce of the acceptor.
    pub acceptor: Nonce,
    /// Whether the connector knew the acceptor's nonce before it connected.
    pub is_known: bool,
}

/// What `side` sends to prove that it knows `key`.
pub(crate) fn proof(key: &JobKey, purpose: Purpose, side: Side, nonces: &Nonces) -> [u8; NONCE_BYTES] {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.0).expect("HMAC takes keys of any length");
    mac.update(if nonces.is_known { b"anyccl known nonce v1\0" } else { b"anyccl connection v1\0" });
    mac.update(&[purpose as u8, side as u8]);
    mac.update(&nonces.connector);
    mac.update(&nonces.acceptor);
    mac.finalize().into_bytes().into()
}

/// Whether `given` is the proof of `side`. Takes the same time for every wrong proof.
pub(crate) fn proves(given: &[u8], key: &JobKey, purpose: Purpose, side: Side, nonces: &Nonces) -> bool {
    proof(key, purpose, side, nonces).ct_eq(given).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCES: Nonces = Nonces { connector: [1; 32], acceptor: [2; 32], is_known: false };

    #[test]
    fn a_proof_holds_for_its_key_purpose_side_and_nonces_only() {
        let key = JobKey([3; 32]);
        let given = proof(&key, Purpose::Control, Side::Connector, &NONCES);
        assert!(proves(&given, &key, Purpose::Control, Side::Connector, &NONCES));

        assert!(!proves(&given, &JobKey([4; 32]), Purpose::Control, Side::Connector, &NONCES));
        assert!(!proves(&given, &key, Purpose::Data, Side::Connector, &NONCES));
        assert!(!proves(&given, &key, Purpose::Control, Side::Acceptor, &NONCES), "reflected");
        let known = Nonces { is_known: true, ..NONCES };
        assert!(!proves(&given, &key, Purpose::Control, Side::Connector, &known), "carried to a known nonce");
        let swapped = Nonces { connector: [2; 32], acceptor: [1; 32], is_known: false };
        assert!(!proves(&given, &key, Purpose::Control, Side::Connector, &swapped));
        assert!(!proves(&given[..31], &key, Purpose::Control, Side::Connector, &NONCES));
        assert!(!proves(&[], &key, Purpose::Control, Side::Connector, &NONCES));
    }
}
