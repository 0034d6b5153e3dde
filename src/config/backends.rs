//! Engines by kind of memory, as the user names them.
//!
//! ```text
//! choice  = part { "," part }
//! part    = [ memory ":" ] engine { "|" engine }      one memory: tried in that order
//! memory  = "cpu" | "cuda"
//! engine  = "auto" | "builtin" | "nccl" | "mpi" | "oneccl"
//! ```
//!
//! A part without a memory applies to each memory that its engine can serve and that no other part names. A
//! memory that no part names has `auto`.

use std::fmt;

use crate::base::{Error, Result};

/// Kinds of memory in which the buffers of a call lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Memory of the processor.
    Cpu,
    /// Memory of a CUDA device.
    Cuda,
}

impl MemoryKind {
    /// Every kind.
    pub const ALL: [MemoryKind; 2] = [MemoryKind::Cpu, MemoryKind::Cuda];

    /// Name as in `ANYCCL_BACKEND`.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryKind::Cpu => "cpu",
            MemoryKind::Cuda => "cuda",
        }
    }
}

/// An engine that can be chosen. The discriminants travel between ranks.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackendName {
    /// This library's own engine, which is always there.
    Builtin = 1,
    /// NVIDIA's NCCL.
    Nccl = 2,
    /// The MPI that the machine has.
    Mpi = 3,
    /// Intel's oneCCL.
    Oneccl = 4,
}

impl BackendName {
    /// Every engine.
    pub const ALL: [BackendName; 4] =
        [BackendName::Builtin, BackendName::Nccl, BackendName::Mpi, BackendName::Oneccl];

    /// Name as in `ANYCCL_BACKEND`.
    pub const fn name(self) -> &'static str {
        match self {
            BackendName::Builtin => "builtin",
            BackendName::Nccl => "nccl",
            BackendName::Mpi => "mpi",
            BackendName::Oneccl => "oneccl",
        }
    }

    /// Whether the engine can work on memory of this kind.
    pub const fn serves(self, memory: MemoryKind) -> bool {
        match self {
            BackendName::Builtin => true,
            BackendName::Mpi | BackendName::Oneccl => matches!(memory, MemoryKind::Cpu),
            BackendName::Nccl => matches!(memory, MemoryKind::Cuda),
        }
    }
}

/// Upper limit of the engines named for one memory.
pub const MOST_BACKENDS: usize = BackendName::ALL.len();

/// The engines to try for one memory, in order. Empty means `auto`.
type Order = [Option<BackendName>; MOST_BACKENDS];

/// The engines that the user has named; a memory without any has `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackendChoice {
    orders: [Order; MemoryKind::ALL.len()],
}

impl BackendChoice {
    /// Length of a choice in bytes when it travels to other ranks.
    pub const BYTES: usize = MemoryKind::ALL.len() * MOST_BACKENDS;

    /// Parses a text. `what` is the variable or the member of a struct that it comes from.
    pub fn parse(what: &'static str, text: &str) -> Result<BackendChoice> {
        let refuse = |why: String| {
            let got = format!(
                "\"{text}\": {why}; accepted: auto, builtin, nccl, mpi or oneccl, several in order with |, for one memory \
                 by cpu: or cuda:, as in cpu:mpi|builtin,cuda:nccl"
            );
            Err(Error::InvalidArgument { what, got })
        };
        let mut orders: [Option<Order>; MemoryKind::ALL.len()] = [None; MemoryKind::ALL.len()];
        let mut bare: Option<Order> = None;
        for part in text.split(',').map(str::trim) {
            let (memory, names) = match part.split_once(':') {
                None => (None, part),
                Some((memory, names)) => {
                    let known = MemoryKind::ALL.into_iter().find(|kind| kind.name() == memory.trim());
                    if known.is_none() {
                        return refuse(format!("there is no memory \"{memory}\""));
                    }
                    (known, names)
                }
            };
            let order = match order(names) {
                Ok(order) => order,
                Err(why) => return refuse(why),
            };
            let engines = || order.iter().flatten();
            if let Some((memory, engine)) =
                memory.and_then(|memory| Some((memory, engines().find(|engine| !engine.serves(memory))?)))
            {
                return refuse(format!("{} does not serve {} memory", engine.name(), memory.name()));
            }
            let place = memory.map_or(&mut bare, |memory| &mut orders[memory as usize]);
            if place.replace(order).is_some() {
                return refuse("it says twice what holds for one memory".into());
            }
        }
        let mut choice = BackendChoice::default();
        for memory in MemoryKind::ALL {
            choice.orders[memory as usize] = orders[memory as usize].unwrap_or_else(|| {
                let all = bare.iter().flatten().flatten().copied();
                packed(all.filter(|engine| engine.serves(memory)))
            });
        }
        Ok(choice)
    }

    /// The engines to try for memory of this kind, in order. `None` means `auto`.
    pub fn named(&self, memory: MemoryKind) -> Option<impl Iterator<Item = BackendName> + use<>> {
        let order = self.orders[memory as usize];
        order[0].is_some().then(|| order.into_iter().flatten())
    }

    /// This choice, with `engine` for memory that no part has named.
    pub fn or(mut self, memory: MemoryKind, engine: BackendName) -> BackendChoice {
        let order = &mut self.orders[memory as usize];
        if order[0].is_none() {
            *order = packed(std::iter::once(engine));
        }
        self
    }

    /// The choice in the form in which it travels.
    pub fn to_bytes(self) -> [u8; BackendChoice::BYTES] {
        let mut bytes = [0; BackendChoice::BYTES];
        let engines = self.orders.iter().flatten();
        bytes.iter_mut().zip(engines).for_each(|(byte, engine)| *byte = engine.map_or(0, |name| name as u8));
        bytes
    }

    /// Reads the form in which a choice travels. Unknown numbers are ignored.
    pub fn from_bytes(bytes: [u8; BackendChoice::BYTES]) -> BackendChoice {
        let name = |byte: u8| BackendName::ALL.into_iter().find(|name| *name as u8 == byte);
        let mut choice = BackendChoice::default();
        for (order, bytes) in choice.orders.iter_mut().zip(bytes.chunks_exact(MOST_BACKENDS)) {
            *order = packed(bytes.iter().copied().filter_map(name));
        }
        choice
    }
}

/// The form of `ANYCCL_BACKEND`.
impl fmt::Display for BackendChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for memory in MemoryKind::ALL {
            let names: Option<Vec<&str>> =
                self.named(memory).map(|names| names.map(BackendName::name).collect());
            let names = names.map_or_else(|| "auto".to_string(), |names| names.join("|"));
            write!(f, "{}{}:{names}", if memory == MemoryKind::Cpu { "" } else { "," }, memory.name())?;
        }
        Ok(())
    }
}

/// Parses "auto", or engines separated by bars.
fn order(text: &str) -> std::result::Result<Order, String> {
    if text.trim() == "auto" {
        return Ok(Order::default());
    }
    let mut names = Vec::new();
    for word in text.split('|').map(str::trim) {
        let Some(name) = BackendName::ALL.into_iter().find(|name| name.name() == word) else {
            return Err(format!("there is no engine \"{word}\""));
        };
        if names.contains(&name) {
            return Err(format!("{word} is there twice"));
        }
        names.push(name);
    }
    Ok(packed(names.into_iter()))
}

fn packed(names: impl Iterator<Item = BackendName>) -> Order {
    let mut order = Order::default();
    order.iter_mut().zip(names).for_each(|(place, name)| *place = Some(name));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        BackendChoice::parse("ANYCCL_BACKEND", text).unwrap().to_string()
    }

    #[test]
    fn a_choice_says_what_holds_for_each_memory() {
        for (text, means) in [
            ("auto", "cpu:auto,cuda:auto"),
            ("builtin", "cpu:builtin,cuda:builtin"),
            ("mpi", "cpu:mpi,cuda:auto"),
            ("nccl", "cpu:auto,cuda:nccl"),
            ("cpu:builtin,cuda:nccl", "cpu:builtin,cuda:nccl"),
            ("cpu:oneccl|mpi|builtin", "cpu:oneccl|mpi|builtin,cuda:auto"),
            ("nccl|mpi", "cpu:mpi,cuda:nccl"),
            ("nccl|builtin", "cpu:builtin,cuda:nccl|builtin"),
            ("cuda:auto, mpi | builtin", "cpu:mpi|builtin,cuda:auto"),
        ] {
            assert_eq!(parsed(text), means, "{text}");
        }
    }

    #[test]
    fn unknown_engines_and_memories_are_refused_by_name() {
        for (text, why) in [
            ("gloo", "no engine \"gloo\""),
            ("gpu:nccl", "no memory \"gpu\""),
            ("cpu:nccl", "nccl does not serve cpu memory"),
            ("mpi,builtin", "twice"),
            ("cpu:mpi|mpi", "mpi is there twice"),
            ("", "no engine \"\""),
        ] {
            let error = BackendChoice::parse("ANYCCL_BACKEND", text).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("ANYCCL_BACKEND"), "{text}: {error}");
        }
    }

    #[test]
    fn a_choice_survives_the_way_and_can_be_read_again() {
        for text in ["auto", "mpi", "cpu:oneccl|mpi|builtin,cuda:nccl"] {
            let choice = BackendChoice::parse("ANYCCL_BACKEND", text).unwrap();
            assert_eq!(BackendChoice::from_bytes(choice.to_bytes()), choice);
            assert_eq!(parsed(&choice.to_string()), choice.to_string());
        }
    }
}
