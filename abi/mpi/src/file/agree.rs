//! How the processes of a file or a window agree on the outcome of a collective call: all succeed, or all get
//! one error.

use anyccl_engine::comm::Communicator;

use crate::comm::agreement::{broadcast, gather};
use crate::error::{Class, Error, Result};

/// Longest sentence that is passed on, in bytes.
const LONGEST: usize = 4096;

/// The own value, if every rank has one; otherwise the error of the first rank that has none. Collective.
pub fn agree<T>(engine: &Communicator, own: Result<T>) -> Result<T> {
    let (class, text) = match &own {
        Ok(_) => (Class::SUCCESS, ""),
        Err(error) => (error.class, &*error.text),
    };
    let text = &text.as_bytes()[..text.len().min(LONGEST)];
    let all = gather(engine, [u64::from(class.0.cast_unsigned()), text.len() as u64])?;
    let Some((rank, [class, len])) = (0..).zip(&all).find(|(_, [class, _])| *class != 0) else { return own };
    let (class, len) = (*class as u32, *len as usize);
    if class == 0 || len > LONGEST {
        return Err(Error::new(Class::INTERN, format!("rank {rank} has sent an error that is none")));
    }
    let mut words = vec![0u64; len.div_ceil(8)];
    if engine.rank() == rank {
        for (word, bytes) in words.iter_mut().zip(text.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(whole);
        }
    }
    broadcast(engine, rank, &mut words)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).take(len).collect();
    let text = String::from_utf8_lossy(&bytes);
    Err(Error::new(Class(class.cast_signed()), format!("on rank {rank}: {text}")))
}

/// Refuses a value that differs between ranks. Collective.
pub fn agree_on(engine: &Communicator, what: &str, own: i64) -> Result<()> {
    let all = gather(engine, [own.cast_unsigned()])?;
    if let Some(rank) = all.iter().position(|[its]| *its != all[0][0]) {
        let (first, other) = (all[0][0].cast_signed(), all[rank][0].cast_signed());
        let text = format!("{what} is {first} on rank 0 and {other} on rank {rank}");
        return Err(Error::new(Class::NOT_SAME, text));
    }
    Ok(())
}
