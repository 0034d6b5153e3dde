//! What one rank asked for: the part of a call that the ranks must agree on.
//!
//! A `Call` is the signature that travels with every message. It fits into 16 bytes, whole, so
//! a rank that receives one it did not expect can name both calls.

use std::fmt;

use super::{Collective, Datatype, Rank, ReduceOp};

/// The kind of a call: a collective, or one side of a point-to-point transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// All ranks of the communicator call it.
    Collective(Collective),
    /// Point to point: `root` of the call is the tag.
    Transfer,
    /// All ranks of the communicator make others out of it.
    Formation(Formation),
}

/// How communicators are made out of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Formation {
    Split = 0,
    Dup = 1,
    FromRanks = 2,
}

impl Formation {
    const ALL: [Formation; 3] = [Formation::Split, Formation::Dup, Formation::FromRanks];

    /// Name as in the C API, without `anyccl_comm_`.
    pub const fn name(self) -> &'static str {
        match self {
            Formation::Split => "split",
            Formation::Dup => "dup",
            Formation::FromRanks => "create_from_ranks",
        }
    }
}

const TRANSFER: u8 = 32;
const FORMATION: u8 = 40;
const NO_OP: u8 = 255;

/// Kind, datatype, operator, root and count of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// What was called.
    pub kind: CallKind,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, where the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, where the collective has one; the tag of a transfer; else 0.
    pub root: Rank,
    /// Elements, in the sense of [`Collective::input_elements`].
    pub count: u64,
}

impl Call {
    /// The 16 bytes that travel.
    #[inline]
    pub fn pack(&self) -> [u64; 2] {
        let kind = match self.kind {
            CallKind::Collective(c) => c as u8,
            CallKind::Transfer => TRANSFER,
            CallKind::Formation(f) => FORMATION + f as u8,
        };
        let op = self.op.map_or(NO_OP, |op| op as u8);
        let head = u64::from(kind)
            | u64::from(self.datatype as u8) << 8
            | u64::from(op) << 16
            | u64::from(self.root) << 32;
        [head, self.count]
    }

    /// Reads what a peer packed. `None` where a field has no meaning: the bytes are foreign.
    pub fn unpack(words: [u64; 2]) -> Option<Call> {
        let [head, count] = words;
        let kind = match (head & 0xff) as u8 {
            TRANSFER => CallKind::Transfer,
            n if n >= FORMATION => CallKind::Formation(*Formation::ALL.get(usize::from(n - FORMATION))?),
            n => CallKind::Collective(*Collective::ALL.get(usize::from(n))?),
        };
        let datatype = Datatype::from_number((head >> 8 & 0xff) as u32)?;
        let op = match (head >> 16 & 0xff) as u8 {
            NO_OP => None,
            n => Some(ReduceOp::from_number(u32::from(n))?),
        };
        Some(Call { kind, datatype, op, root: (head >> 32) as u32, count })
    }
}

/// As in error messages: `all_reduce(float32 sum, count 1024)`.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            CallKind::Collective(Collective::Barrier) => return f.write_str("barrier"),
            CallKind::Collective(c) => write!(f, "{}({}", c.name(), self.datatype.name())?,
            CallKind::Transfer => write!(f, "send/recv({}", self.datatype.name())?,
            CallKind::Formation(formation) => return f.write_str(formation.name()),
        }
        if let Some(op) = self.op {
            write!(f, " {}", op.name())?;
        }
        write!(f, ", count {}", self.count)?;
        match self.kind {
            CallKind::Collective(c) if c.has_root() => write!(f, ", root {}", self.root)?,
            CallKind::Transfer => write!(f, ", tag {}", self.root.cast_signed())?,
            CallKind::Collective(_) | CallKind::Formation(_) => {}
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_survives_packing() {
        let others = Formation::ALL.map(CallKind::Formation).into_iter().chain([CallKind::Transfer]);
        for kind in Collective::ALL.map(CallKind::Collective).into_iter().chain(others) {
            for datatype in Datatype::ALL {
                for op in ReduceOp::ALL.map(Some).into_iter().chain([None]) {
                    let call = Call { kind, datatype, op, root: 0xdead_beef, count: u64::MAX - 7 };
                    assert_eq!(Call::unpack(call.pack()), Some(call));
                }
            }
        }
    }

    #[test]
    fn meaningless_bytes_are_no_call() {
        assert_eq!(Call::unpack([9, 0]), None);
        assert_eq!(Call::unpack([200 << 8, 0]), None);
        assert_eq!(Call::unpack([77 << 16, 0]), None);
    }
}
