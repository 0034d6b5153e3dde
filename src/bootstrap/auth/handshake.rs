//! The handshake as a state machine, so that one thread can carry many at a time.
//!
//! ```text
//! connector                                   acceptor
//!    nonce (32)              ─────────▶
//!                            ◀─────────       nonce (32)
//!    proof (32)              ─────────▶       checked before anything is parsed
//!                            ◀─────────       proof (32), hello (32)
//!    both checked; hello     ─────────▶       checked
//!                            ◀─────────       welcome (1)
//! ```
//!
//! A rank publishes the random name of its Unix socket to all ranks before they connect. So a connector knows
//! the acceptor's nonce ([`nonce_of`]) before it connects there, and needs one answer:
//!
//! ```text
//! connector                                   acceptor
//!    nonce, proof, hello (96) ─────────▶      proof checked before the hello is parsed
//!                             ◀─────────      proof (32), hello (32), welcome (1)
//! ```
//!
//! The acceptor's nonce is the same for all connections there, so its proof is fresh and the connector's need
//! not be. Who has got hold of one, by listening at the same name in another network namespace, can use it
//! again. At other places both nonces are fresh for each connection.
//!
//! The nonce of a connector to a store begins with the name of its key ([`JobKey::name`]), because one
//! acceptor may serve many keys. The rest of the nonce is random.
//!
//! After the welcome the stream belongs to the caller; no byte beyond the welcome has been read. An acceptor
//! that refuses what it sees closes without an answer, so that strangers learn nothing.

use std::io;

use sha2::{Digest, Sha256};

use super::absence::Absence;
use super::hello::{HELLO_BYTES, Hello, Objection};
use super::proof::{self, NONCE_BYTES, Nonce, Nonces, Purpose, Side};
use crate::base::Result;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::key::{KEY_NAME_BYTES, random_bytes};
use crate::sys::poll::Interest;
use crate::sys::socket::Socket;

const WELCOME: u8 = 0x5a;
/// Nonce, proof and hello are equally long.
const _: () = assert!(HELLO_BYTES == NONCE_BYTES);
/// A proof with a hello.
const PROOF_AND_HELLO: usize = NONCE_BYTES + HELLO_BYTES;
/// The longest message: all that a connector sends that knows the acceptor's nonce.
const LONGEST: usize = NONCE_BYTES + PROOF_AND_HELLO;

/// How far a handshake has come.
#[derive(Debug)]
pub(crate) enum Step {
    /// The handshake goes on when the socket is ready for this.
    Wait(Interest),
    /// The handshake is complete; the other side belongs to the job and has said this.
    Done(Hello),
}

/// Why a handshake failed.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The connection failed.
    Io(io::Error),
    /// The other side closed: it takes us for strangers, or it has ended.
    Closed,
    /// The other side does not know the key.
    Stranger,
    /// The other side knows the key, but objects to something else.
    Objection(Objection),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HandshakeState {
    AwaitNonce,
    /// State of the acceptor only: nonce, proof and hello, where the connector knows the acceptor's nonce.
    AwaitAll,
    /// State of the acceptor only.
    AwaitProof,
    /// State of the connector only.
    AwaitProofAndHello,
    /// State of the acceptor only.
    AwaitHello,
    /// State of the connector only.
    AwaitWelcome,
    Finished,
}

/// One side of one handshake.
pub(crate) struct Handshake {
    key: JobKey,
    side: Side,
    /// What the connection may be for; a connector has one purpose, an acceptor may allow several.
    purposes: &'static [Purpose],
    own: Hello,
    nonces: Nonces,
    state: HandshakeState,
    /// Whether the hello is sent, or is in the output.
    has_greeted: bool,
    peer: Option<Hello>,
    objection: Option<Objection>,
    input: [u8; LONGEST],
    filled: usize,
    output: Vec<u8>,
}

impl Handshake {
    /// The connecting side, for `own.purpose`.
    pub fn connector(key: &JobKey, own: Hello) -> Result<Handshake> {
        Handshake::new(key, Side::Connector, &[], own)
    }

    /// The accepting side, for any of `purposes`; `own.purpose` follows the connector's.
    pub fn acceptor(key: &JobKey, purposes: &'static [Purpose], own: Hello) -> Result<Handshake> {
        Handshake::new(key, Side::Acceptor, purposes, own)
    }

    /// The connecting side, which knows the acceptor's nonce.
    pub fn connector_knowing(acceptor: Nonce, key: &JobKey, own: Hello) -> Result<Handshake> {
        let mut handshake = Handshake::connector(key, own)?;
        handshake.nonces = Nonces { acceptor, is_known: true, ..handshake.nonces };
        handshake.output.extend(handshake.proof());
        handshake.output.extend(own.encode());
        handshake.has_greeted = true;
        handshake.state = HandshakeState::AwaitProofAndHello;
        Ok(handshake)
    }

    /// The accepting side, for connectors that know its nonce.
    pub fn acceptor_known_by(
        nonce: Nonce,
        key: &JobKey,
        purposes: &'static [Purpose],
        own: Hello,
    ) -> Handshake {
        let mut handshake = Handshake::with_nonce(nonce, key, Side::Acceptor, purposes, own);
        handshake.nonces.is_known = true;
        handshake.output.clear();
        handshake.state = HandshakeState::AwaitAll;
        handshake
    }

    /// The accepting side, where the connector's nonce has been read already.
    pub fn acceptor_of(
        nonce: &Nonce,
        key: &JobKey,
        purposes: &'static [Purpose],
        own: Hello,
    ) -> Result<Handshake> {
        let mut handshake = Handshake::acceptor(key, purposes, own)?;
        handshake.input[..NONCE_BYTES].copy_from_slice(nonce);
        handshake.filled = NONCE_BYTES;
        Ok(handshake)
    }

    fn new(key: &JobKey, side: Side, purposes: &'static [Purpose], own: Hello) -> Result<Handshake> {
        let mut mine: Nonce = random_bytes()?;
        if side == Side::Connector && own.purpose == Purpose::Store {
            mine[..KEY_NAME_BYTES].copy_from_slice(&key.name());
        }
        Ok(Handshake::with_nonce(mine, key, side, purposes, own))
    }

    fn with_nonce(
        mine: Nonce,
        key: &JobKey,
        side: Side,
        purposes: &'static [Purpose],
        own: Hello,
    ) -> Handshake {
        Handshake {
            key: key.clone(),
            side,
            purposes,
            own,
            nonces: Nonces { connector: mine, acceptor: mine, is_known: false },
            state: HandshakeState::AwaitNonce,
            has_greeted: false,
            peer: None,
            objection: None,
            input: [0; LONGEST],
            filled: 0,
            output: mine.to_vec(),
        }
    }

    /// Whether the connector has sent its hello, or is about to: from here on the acceptor may count on this
    /// connection, so it must not be given up for want of patience.
    pub fn committed(&self) -> bool {
        self.has_greeted || self.state == HandshakeState::Finished
    }

    /// What a connector whose handshake failed concludes about the other side.
    pub fn absence(&self, refusal: &Refusal) -> Absence {
        let is_connecting = self.state == HandshakeState::AwaitNonce && !self.output.is_empty();
        let is_late = matches!(refusal, Refusal::Io(error) if error.kind() == io::ErrorKind::TimedOut);
        match (self.state, refusal) {
            (_, Refusal::Io(error)) if is_connecting => Absence::NoAnswer(match error.kind() {
                io::ErrorKind::TimedOut => "no answer".into(),
                kind => kind.to_string(),
            }),
            (HandshakeState::AwaitNonce, _) if self.filled > 0 => Absence::OtherProgram,
            (HandshakeState::AwaitNonce, _) if is_late => Absence::Silent,
            (HandshakeState::AwaitNonce, _) => Absence::HangsUp,
            // Random bytes are never all text; the greeting of another service is.
            (HandshakeState::AwaitProofAndHello, _) if self.nonces.acceptor.iter().all(is_text) => {
                Absence::OtherProgram
            }
            (HandshakeState::AwaitProofAndHello, Refusal::Stranger) => Absence::OtherProgram,
            (HandshakeState::AwaitProofAndHello, _) if is_late => Absence::Silent,
            (HandshakeState::AwaitProofAndHello, Refusal::Closed | Refusal::Io(_)) => Absence::WrongKey,
            _ => Absence::Ending,
        }
    }

    /// Advances as far as the socket allows without waiting.
    pub fn advance(&mut self, socket: &Socket) -> std::result::Result<Step, Refusal> {
        loop {
            while !self.output.is_empty() {
                match socket.write(&self.output) {
                    Ok(None) => return Ok(Step::Wait(Interest::Write)),
                    Ok(Some(written)) => drop(self.output.drain(..written)),
                    // What the other side has said counts more than that it has ended.
                    Err(error) => {
                        return Err(self.objection.take().map_or(Refusal::Io(error), Refusal::Objection));
                    }
                }
            }
            let wanted = match self.state {
                HandshakeState::AwaitNonce | HandshakeState::AwaitProof => NONCE_BYTES,
                HandshakeState::AwaitHello => HELLO_BYTES,
                HandshakeState::AwaitProofAndHello => PROOF_AND_HELLO,
                HandshakeState::AwaitAll => LONGEST,
                HandshakeState::AwaitWelcome => 1,
                HandshakeState::Finished => return self.outcome(),
            };
            while self.filled < wanted {
                match socket.read(&mut self.input[self.filled..wanted]).map_err(Refusal::Io)? {
                    None => return Ok(Step::Wait(Interest::Read)),
                    Some(0) => return Err(Refusal::Closed),
                    Some(read) => self.filled += read,
                }
            }
            self.filled = 0;
            self.take_message()?;
        }
    }

    /// Handles the whole message in `input`.
    fn take_message(&mut self) -> std::result::Result<(), Refusal> {
        let (input, _) = self.input.as_chunks::<NONCE_BYTES>();
        let [first, second, third] = [input[0], input[1], input[2]];
        match (self.state, self.side) {
            (HandshakeState::AwaitNonce, Side::Connector) => {
                self.nonces.acceptor = first;
                self.output = self.proof().to_vec();
                self.state = HandshakeState::AwaitProofAndHello;
            }
            (HandshakeState::AwaitNonce, Side::Acceptor) => {
                self.nonces.connector = first;
                self.state = HandshakeState::AwaitProof;
            }
            (HandshakeState::AwaitProof, _) => {
                self.own.purpose = self.proved_purpose(&first)?;
                self.output = self.proof_and_hello();
                self.state = HandshakeState::AwaitHello;
            }
            (HandshakeState::AwaitAll, _) => {
                self.nonces.connector = first;
                self.own.purpose = self.proved_purpose(&second)?;
                self.output = self.proof_and_hello();
                if self.agrees(&third)? {
                    self.output.push(WELCOME);
                }
                self.state = HandshakeState::Finished;
            }
            (HandshakeState::AwaitProofAndHello, _) => {
                if !proof::proves(&first, &self.key, self.own.purpose, Side::Acceptor, &self.nonces) {
                    return Err(Refusal::Stranger);
                }
                let agrees = self.agrees(&second)?;
                self.state = if agrees { HandshakeState::AwaitWelcome } else { HandshakeState::Finished };
                if !std::mem::replace(&mut self.has_greeted, true) {
                    self.output = self.own.encode().to_vec();
                }
            }
            (HandshakeState::AwaitHello, _) => {
                self.peer = Some(Hello::check(&first, &self.own).map_err(Refusal::Objection)?);
                self.output = vec![WELCOME];
                self.state = HandshakeState::Finished;
            }
            (HandshakeState::AwaitWelcome, _) if first[0] == WELCOME => self.state = HandshakeState::Finished,
            (HandshakeState::AwaitWelcome | HandshakeState::Finished, _) => return Err(Refusal::Stranger),
        }
        Ok(())
    }

    /// Takes the other side's hello. Returns whether the two agree. If not, the other side should learn of it
    /// too: it gets our hello before this one closes.
    fn agrees(&mut self, hello: &[u8; HELLO_BYTES]) -> std::result::Result<bool, Refusal> {
        match Hello::check(hello, &self.own) {
            Ok(peer) => self.peer = Some(peer),
            Err(disagreement @ Objection::Disagreement(_)) => self.objection = Some(disagreement),
            Err(misdirected) => return Err(Refusal::Objection(misdirected)),
        }
        Ok(self.peer.is_some())
    }

    fn outcome(&mut self) -> std::result::Result<Step, Refusal> {
        match (self.peer, self.objection.take()) {
            (Some(peer), None) => Ok(Step::Done(peer)),
            (_, Some(objection)) => Err(Refusal::Objection(objection)),
            (None, None) => Err(Refusal::Stranger),
        }
    }

    /// The purpose that the connector's proof is for.
    fn proved_purpose(&self, given: &[u8; NONCE_BYTES]) -> std::result::Result<Purpose, Refusal> {
        let proved = |p: &&Purpose| proof::proves(given, &self.key, **p, Side::Connector, &self.nonces);
        self.purposes.iter().find(proved).copied().ok_or(Refusal::Stranger)
    }

    fn proof_and_hello(&self) -> Vec<u8> {
        [self.proof(), self.own.encode()].concat()
    }

    fn proof(&self) -> [u8; NONCE_BYTES] {
        proof::proof(&self.key, self.own.purpose, self.side, &self.nonces)
    }
}

/// The nonce of the rank that listens at the Unix socket with this name, which is random.
pub(crate) fn nonce_of(unix_name: &[u8]) -> Nonce {
    Sha256::digest(unix_name).into()
}

fn is_text(byte: &u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Io(error) => error.fmt(f),
            Refusal::Closed => f.write_str("the other side closed during the handshake"),
            Refusal::Stranger => f.write_str("the other side does not know the job key"),
            Refusal::Objection(Objection::Disagreement(text)) => f.write_str(text),
            Refusal::Objection(Objection::Misdirected) => f.write_str("another rank answered"),
        }
    }
}
