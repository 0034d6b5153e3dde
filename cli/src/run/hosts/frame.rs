//! The frames between the launcher and the agent of a host, over the agent's standard input and output.
//!
//! ```text
//! kind 1 byte | rank 4 bytes | length 4 bytes | bytes of that length
//! ```
//!
//! Numbers are little-endian. The first frame to an agent is its order. Afterwards it gets signals and input
//! for its ranks; it sends lines, ends, and how much input the ranks have taken. The end of file on either
//! side ends the conversation.

use std::io::{self, Read};
use std::ops::RangeInclusive;

use crate::sys::process::{Ending, Pid};

const HEADER: usize = 9;
/// Upper limit of a frame. It is above any line (1 MiB and a little) and any order.
const LONGEST: usize = 8 << 20;

/// Numbers of signals: the kernel has some 64, and an exit code has room for these.
const SIGNALS: RangeInclusive<i32> = 1..=127;

/// One message between launcher and agent.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// To the agent: the order, as JSON.
    Order(Vec<u8>),
    /// To the agent: a signal for all its ranks.
    Signal(i32),
    /// To the agent: bytes for a rank's standard input. Empty bytes mean its end.
    Input { rank: u32, bytes: Vec<u8> },
    /// All ranks of the agent have been started.
    Started,
    /// A line of a rank's standard output (0) or error (1).
    Line { rank: u32, kind: usize, bytes: Vec<u8> },
    /// A number of bytes of a rank's input was taken.
    Taken { rank: u32, bytes: u32 },
    /// A rank has ended.
    Ended { rank: u32, pid: Pid, ending: Ending },
    /// A rank's report of its NCCL or MPI, and the method that was used, as JSON.
    Usage(Vec<u8>),
    /// A sentence for the user about the ranks of the host.
    Remark(String),
    /// No more lines will follow.
    Quiet,
    /// The exit code and the reason why nothing was started.
    Failed { code: u8, text: String },
}

impl Frame {
    /// The frame in the form in which it travels.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, rank, payload) = match self {
            Frame::Order(json) => (b'o', 0, json.clone()),
            Frame::Signal(number) => (b's', 0, number.to_le_bytes().to_vec()),
            Frame::Input { rank, bytes } => (b'i', *rank, bytes.clone()),
            Frame::Started => (b'r', 0, Vec::new()),
            Frame::Line { rank, kind, bytes } => (if *kind == 0 { b'1' } else { b'2' }, *rank, bytes.clone()),
            Frame::Taken { rank, bytes } => (b't', *rank, bytes.to_le_bytes().to_vec()),
            Frame::Ended { rank, pid, ending } => {
                let (how, number) = match *ending {
                    Ending::Exit(status) => (0, status),
                    Ending::Signal { number, core } => (1 + u8::from(core), number),
                };
                (b'e', *rank, [&pid.to_le_bytes()[..], &[how], &number.to_le_bytes()].concat())
            }
            Frame::Usage(json) => (b'n', 0, json.clone()),
            Frame::Remark(text) => (b'm', 0, text.clone().into_bytes()),
            Frame::Quiet => (b'q', 0, Vec::new()),
            Frame::Failed { code, text } => (b'f', u32::from(*code), text.clone().into_bytes()),
        };
        let mut bytes = vec![kind];
        bytes.extend(u32::to_le_bytes(rank));
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    /// Removes and returns all complete frames of `bytes`.
    pub fn take_all(bytes: &mut Vec<u8>) -> Result<Vec<Frame>, NoFrame> {
        let (mut frames, mut rest) = (Vec::new(), &bytes[..]);
        while let Some(frame) = Frame::take(&mut rest)? {
            frames.push(frame);
        }
        let taken = bytes.len() - rest.len();
        bytes.drain(..taken);
        Ok(frames)
    }

    /// Reads one frame and not a byte more.
    pub fn read(from: &mut impl Read) -> io::Result<Frame> {
        let mut bytes = vec![0; HEADER];
        from.read_exact(&mut bytes)?;
        let length = u32::from_le_bytes([bytes[5], bytes[6], bytes[7], bytes[8]]) as usize;
        if length <= LONGEST {
            // Takes memory for bytes that have arrived, not for bytes that are announced.
            from.take(length as u64).read_to_end(&mut bytes)?;
        }
        let frame = Frame::take(&mut &bytes[..]).ok().flatten();
        frame.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a frame"))
    }

    fn take(bytes: &mut &[u8]) -> Result<Option<Frame>, NoFrame> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
        let [kind, r0, r1, r2, r3, l0, l1, l2, l3] = *header;
        let (rank, length) =
            (u32::from_le_bytes([r0, r1, r2, r3]), u32::from_le_bytes([l0, l1, l2, l3]) as usize);
        if length > LONGEST {
            return Err(NoFrame);
        }
        let Some((payload, rest)) = rest.split_at_checked(length) else { return Ok(None) };
        let frame = Frame::of(kind, rank, payload).ok_or(NoFrame)?;
        *bytes = rest;
        Ok(Some(frame))
    }

    fn of(kind: u8, rank: u32, payload: &[u8]) -> Option<Frame> {
        let bytes = || payload.to_vec();
        Some(match kind {
            b'o' => Frame::Order(bytes()),
            b's' => Frame::Signal(i32::from_le_bytes(payload.try_into().ok()?)),
            b'i' => Frame::Input { rank, bytes: bytes() },
            b'r' => Frame::Started,
            b'1' | b'2' => Frame::Line { rank, kind: usize::from(kind - b'1'), bytes: bytes() },
            b't' => Frame::Taken { rank, bytes: u32::from_le_bytes(payload.try_into().ok()?) },
            b'e' => {
                let (pid, rest) = payload.split_first_chunk()?;
                let (how, number) = rest.split_first()?;
                let number = i32::from_le_bytes(number.try_into().ok()?);
                let ending = match how {
                    0 => Ending::Exit(number),
                    1 | 2 if SIGNALS.contains(&number) => Ending::Signal { number, core: *how > 1 },
                    _ => return None,
                };
                Frame::Ended { rank, pid: Pid::from_le_bytes(*pid), ending }
            }
            b'n' => Frame::Usage(bytes()),
            b'm' => Frame::Remark(String::from_utf8_lossy(payload).into_owned()),
            b'q' => Frame::Quiet,
            b'f' => Frame::Failed {
                code: u8::try_from(rank).ok()?,
                text: String::from_utf8_lossy(payload).into_owned(),
            },
            _ => return None,
        })
    }
}

/// The bytes are not a frame: the other side is not ours, or another program writes to the same stream.
#[derive(Debug)]
pub struct NoFrame;

#[cfg(test)]
mod tests {
    use super::super::foreign_bytes::each_frame;
    use super::*;

    #[test]
    fn frames_are_read_as_written_wherever_they_are_cut() {
        let frames = each_frame();
        let whole: Vec<u8> = frames.iter().flat_map(Frame::to_bytes).collect();
        let (mut bytes, mut read) = (Vec::new(), Vec::new());
        for byte in whole {
            bytes.push(byte);
            read.extend(Frame::take_all(&mut bytes).unwrap());
        }
        assert_eq!(read, frames);
        assert!(bytes.is_empty());
    }

    #[test]
    fn a_signal_that_does_not_exist_ended_no_rank() {
        for number in [-1, 0, 128, i32::MAX] {
            let ending = Ending::Signal { number, core: false };
            let mut bytes = Frame::Ended { rank: 1, pid: 4711, ending }.to_bytes();
            assert!(Frame::take_all(&mut bytes).is_err(), "{number}");
        }
    }

    #[test]
    fn output_of_another_program_is_no_frame() {
        assert!(Frame::take_all(&mut b"Welcome to node1!".to_vec()).is_err());
    }
}
