//! One call of a recording, with arguments that have been checked.

use anyccl_engine::base::{Collective, Datatype, Formation, ReduceOp};

use crate::trace::read::{Arguments, CallBar, Comm};

/// Most bytes of a buffer: no machine has more.
const MOST_BYTES: u64 = 1 << 46;

/// A call that can be made again.
#[derive(Clone, Debug)]
pub struct ReplayCall {
    /// Name of its class.
    pub name: String,
    /// The whole call.
    pub title: String,
    /// Context of its communicator.
    pub comm: u32,
    /// Nanoseconds from its begin until the program knew of its end.
    pub recorded: i64,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Collective(CollectiveAction),
    Send(Message),
    Receive(Message),
    Probe(Message),
}

/// A collective.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveAction {
    pub collective: Collective,
    pub datatype: Datatype,
    pub op: Option<ReduceOp>,
    pub root: u32,
    /// Number of elements. With a layout, `lengths` has them.
    pub count: u64,
    pub in_place: bool,
    pub lengths: Lengths,
}

/// Lengths of the blocks of a layout, and the graph if there is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lengths {
    pub input: Vec<u64>,
    pub output: Vec<u64>,
    pub sources: Vec<u32>,
    pub destinations: Vec<u32>,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// The other side, as a rank of the communicator.
    pub peer: u32,
    pub tag: i32,
    pub datatype: Datatype,
    pub count: u64,
    pub is_synchronous: bool,
}

impl Message {
    pub fn bytes(&self) -> u64 {
        self.count * self.datatype.bytes() as u64
    }
}

impl ReplayCall {
    /// Checks a call. An error says what is wrong with it.
    pub fn of(call: &CallBar, comm: &Comm) -> Result<ReplayCall, String> {
        let refused = |why: String| format!("{}: {why}", call.about.call);
        let action =
            Action::of(&call.name, &call.about.arguments, comm.ranks.len() as u64).map_err(refused)?;
        let taken = call.about.taken.filter(|_| !call.about.blocking);
        Ok(ReplayCall {
            name: call.name.clone(),
            title: call.about.call.clone(),
            comm: call.about.communicator,
            recorded: taken.map_or(call.bar.length(), after),
            action,
        })
    }
}

/// Nanoseconds of a time in microseconds, which may be anything.
pub fn after(microseconds: f64) -> i64 {
    (microseconds * 1e3).clamp(0.0, 1e18) as i64
}

impl Action {
    fn of(name: &str, arguments: &Arguments, size: u64) -> Result<Action, String> {
        if arguments.on_device {
            return Err("calls that a GPU carries out cannot be repeated".into());
        }
        let (is_formation, is_goodbye) =
            (Formation::ALL.iter().any(|one| one.name() == name), name == "finalize");
        match name {
            "send" => message(arguments, arguments.to, size).map(Action::Send),
            "receive" => message(arguments, arguments.from, size).map(Action::Receive),
            "probe" => message(arguments, arguments.from, size).map(Action::Probe),
            // In a formation, each rank tells all others what it wants.
            _ if is_formation => CollectiveAction::of(Collective::AllGather, arguments, size),
            _ if is_goodbye => CollectiveAction::of(Collective::Barrier, arguments, size),
            _ => match Collective::from_name(name) {
                Some(collective) => CollectiveAction::of(collective, arguments, size),
                None => Err("no such call is known".into()),
            },
        }
    }
}

impl CollectiveAction {
    fn of(collective: Collective, arguments: &Arguments, size: u64) -> Result<Action, String> {
        let datatype = datatype(&arguments.datatype)?;
        let lengths = Lengths {
            input: arguments.input.clone(),
            output: arguments.output.clone(),
            sources: arguments.sources.clone(),
            destinations: arguments.destinations.clone(),
        };
        let count = match collective {
            Collective::Barrier => 0,
            _ if collective.has_layout() => 0,
            _ => arguments.count.ok_or("it has no count")?,
        };
        let elements = [&lengths.input, &lengths.output].into_iter().flatten().chain([&count]);
        let most = elements.copied().max().unwrap_or(0);
        let blocks = size.max(lengths.input.len().max(lengths.output.len()) as u64);
        fits(most, blocks, datatype)?;
        let graph = [&lengths.sources, &lengths.destinations].into_iter().flatten();
        if let Some(rank) = graph.chain([&arguments.root]).find(|rank| u64::from(**rank) >= size) {
            return Err(format!("rank {rank} of a communicator of {size}"));
        }
        let (datatype, op) = operator(collective, datatype, arguments.op.as_deref());
        let (root, in_place) = (arguments.root, arguments.in_place);
        Ok(Action::Collective(CollectiveAction { collective, datatype, op, root, count, in_place, lengths }))
    }

    /// Mean length of the blocks of a layout, or the count.
    pub fn mean_count(&self) -> u64 {
        let Lengths { input, output, .. } = &self.lengths;
        if !self.collective.has_layout() {
            return self.count;
        }
        let blocks = if input.len() > output.len() { input } else { output };
        let sum = blocks.iter().fold(0u64, |sum, len| sum.saturating_add(*len));
        sum.div_ceil(blocks.len().max(1) as u64)
    }
}

fn fits(count: u64, blocks: u64, datatype: Datatype) -> Result<(), String> {
    let bytes = count.checked_mul(blocks.max(1)).and_then(|all| all.checked_mul(datatype.bytes() as u64));
    match bytes.is_some_and(|bytes| bytes <= MOST_BYTES) {
        true => Ok(()),
        false => Err(format!("{count} elements in {blocks} blocks exceed memory")),
    }
}

fn message(arguments: &Arguments, peer: Option<u32>, size: u64) -> Result<Message, String> {
    let (datatype, count) = (datatype(&arguments.datatype)?, arguments.count.ok_or("it has no count")?);
    fits(count, 1, datatype)?;
    let peer = peer.filter(|peer| u64::from(*peer) < size).ok_or("its other side is no rank")?;
    Ok(Message { peer, tag: arguments.tag, datatype, count, is_synchronous: arguments.synchronous })
}

fn datatype(name: &str) -> Result<Datatype, String> {
    let found = Datatype::ALL.into_iter().find(|one| one.name() == name);
    found.ok_or_else(|| "its datatype is unknown".into())
}

/// Datatype and operator of the repeated call. Operators of the program become sums of the same bytes.
fn operator(collective: Collective, datatype: Datatype, name: Option<&str>) -> (Datatype, Option<ReduceOp>) {
    if !collective.reduces() {
        return (datatype, None);
    }
    let same_bytes = match datatype.bytes() {
        1 => Datatype::Uint8,
        2 => Datatype::Uint16,
        4 => Datatype::Uint32,
        8 => Datatype::Uint64,
        _ => Datatype::Complex128,
    };
    let known = ReduceOp::ALL.into_iter().find(|op| Some(op.name()) == name);
    let op = known.unwrap_or(ReduceOp::Sum);
    if op.accepts(datatype) { (datatype, Some(op)) } else { (same_bytes, Some(ReduceOp::Sum)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Arguments {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn calls_that_make_no_sense_are_refused_with_the_reason() {
        let cases = [
            ("all_reduce", r#"{"datatype":"float32","op":"sum"}"#, "no count"),
            ("all_reduce", r#"{"datatype":"float31","count":1}"#, "datatype"),
            ("all_gather", r#"{"datatype":"float32","count":18446744073709551615}"#, "exceed memory"),
            ("broadcast", r#"{"datatype":"int8","count":1,"root":4}"#, "rank 4"),
            ("send", r#"{"datatype":"int8","count":1,"to":9}"#, "no rank"),
            ("receive", r#"{"datatype":"int8","count":1}"#, "no rank"),
            ("all_to_all_v", r#"{"datatype":"int8","input":[1,9223372036854775807]}"#, "exceed memory"),
            ("all_reduce", r#"{"datatype":"int8","count":1,"on_device":true}"#, "GPU"),
            ("dance", r#"{"datatype":"int8","count":1}"#, "no such call"),
        ];
        for (name, text, why) in cases {
            let refused = Action::of(name, &arguments(text), 4).unwrap_err();
            assert!(refused.contains(why), "{name}: {refused}");
        }
    }

    #[test]
    fn operators_of_programs_become_sums_of_as_many_bytes() {
        let text = r#"{"datatype":"byte","op":"commutative callback","count":24}"#;
        let Ok(Action::Collective(made)) = Action::of("all_reduce", &arguments(text), 4) else { panic!() };
        assert_eq!((made.datatype, made.op, made.count), (Datatype::Uint8, Some(ReduceOp::Sum), 24));
    }
}
