//! The process manager's key-value space, in which rank 0 publishes its beacon.
//!
//! A value that was put can be got after the next barrier. Every rank passes the barrier once, the writer and
//! the readers. A value longer than the process manager takes is cut into pieces; the first one says how many
//! there are.

use std::time::Instant;

use super::message::PmiMessage;
use super::session::Kept;
use crate::base::{Error, Result};
use crate::bootstrap::store::beacon::BeaconChannel;

/// Upper limit of pieces: no beacon needs more at any sensible value length.
const MOST_PIECES: usize = 64;

/// The key-value space of this job.
pub(crate) struct KeyValueSpace {
    connection: Kept,
    deadline: Instant,
    name: String,
    /// Longest piece, in bytes.
    value_bytes: usize,
    /// Whether this rank has passed the barrier.
    passed: bool,
}

impl KeyValueSpace {
    /// Greets the process manager and asks for its limits.
    pub fn open(connection: Kept, deadline: Instant) -> Result<KeyValueSpace> {
        let mut space =
            KeyValueSpace { connection, deadline, name: String::new(), value_bytes: 0, passed: false };
        space.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")?;
        let maxes = space.ask("cmd=get_maxes", "maxes")?;
        let named = space.ask("cmd=get_my_kvsname", "my_kvsname")?;
        // Leaves room for the count before the first piece, and for servers that count a final zero byte.
        let value_bytes = maxes.number::<usize>("vallen_max").and_then(|most| most.checked_sub(8));
        match (named.get("kvsname"), value_bytes) {
            (Some(name), Some(value_bytes)) if value_bytes > 0 => {
                space.name = name.to_owned();
                space.value_bytes = value_bytes;
                Ok(space)
            }
            _ => Err(Error::Bootstrap("the process manager (PMI) names no space for keys and values".into())),
        }
    }

    fn ask(&self, question: &str, answer: &str) -> Result<PmiMessage> {
        self.connection.with(|connection| connection.ask(question, answer, self.deadline))
    }

    fn barrier(&mut self) -> Result<()> {
        if !self.passed {
            self.ask("cmd=barrier_in", "barrier_out")?;
            self.passed = true;
        }
        Ok(())
    }

    fn get(&self, piece: usize) -> Result<String> {
        let (name, key) = (&self.name, key(piece));
        let answer = self.ask(&format!("cmd=get kvsname={name} key={key}"), "get_result")?;
        answer.get("value").map(str::to_owned).ok_or_else(no_beacon)
    }
}

impl BeaconChannel for KeyValueSpace {
    fn publish(&mut self, text: &str) -> Result<()> {
        let name = &self.name;
        for (at, value) in pieces(text, self.value_bytes).iter().enumerate() {
            self.ask(&format!("cmd=put kvsname={name} key={} value={value}", key(at)), "put_result")?;
        }
        self.barrier()
    }

    fn read(&mut self) -> Result<Vec<u8>> {
        self.barrier()?;
        let first = self.get(0)?;
        let (count, text) = first.split_once(':').ok_or_else(no_beacon)?;
        let count: usize = count.parse().map_err(|_| no_beacon())?;
        let mut text = text.to_owned();
        for piece in 1..count.min(MOST_PIECES) {
            text += &self.get(piece)?;
        }
        Ok(text.into_bytes())
    }

    fn name(&self) -> String {
        "the key-value space of mpiexec (PMI)".into()
    }
}

fn key(piece: usize) -> String {
    format!("anyccl-beacon-{piece}")
}

/// Cuts a text into pieces such as `3:abc`, `def`, `g`.
fn pieces(text: &str, bytes: usize) -> Vec<String> {
    // The beacon is ASCII.
    let chunks: Vec<_> = text.as_bytes().chunks(bytes).map(String::from_utf8_lossy).collect();
    let count = chunks.len();
    let with_count = |(at, chunk): (usize, &std::borrow::Cow<'_, str>)| match at {
        0 => format!("{count}:{chunk}"),
        _ => chunk.clone().into_owned(),
    };
    chunks.iter().enumerate().map(with_count).collect()
}

fn no_beacon() -> Error {
    Error::Bootstrap("rank 0 has put no address into the key-value space of mpiexec (PMI)".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_goes_in_pieces_and_says_in_how_many() {
        assert_eq!(pieces("abcdefg", 3), ["3:abc", "def", "g"]);
        assert_eq!(pieces("abc", 3), ["1:abc"]);
    }
}
