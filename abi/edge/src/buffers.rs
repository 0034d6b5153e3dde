//! How many bytes a call touches, and which overlaps are allowed.
//!
//! This is checked before anything is sent, because a wrong size or a partial overlap would corrupt memory on
//! this rank and results on others. In place has the meaning that the engine gives it: each rank decides for
//! itself.

use anyccl_engine::base::{Call, CallKind, Collective, Error, Rank, Result, exceeds_memory};

use crate::check::invalid;

/// Checks the two buffers of a collective as `rank` of `size` passes them.
///
/// Takes addresses, not pointers: nothing is read. A buffer that the call does not touch may have any
/// address.
#[inline]
pub fn check(call: &Call, rank: Rank, size: u32, send: usize, recv: usize) -> Result<()> {
    if are_apart(call, size, send, recv) {
        return Ok(());
    }
    check_closely(call, rank, size, send, recv)
}

/// Whether no check in detail is needed: the call touches nothing, or the buffers are too far apart for even
/// the largest buffers of any collective to meet. True for most calls, and quick to find out.
#[inline]
fn are_apart(call: &Call, size: u32, send: usize, recv: usize) -> bool {
    let largest = (call.count as usize)
        .checked_mul(call.datatype.bytes())
        .and_then(|part| part.checked_mul(size as usize))
        .filter(|whole| *whole <= isize::MAX as usize);
    let Some(largest) = largest else { return false };
    let is_whole = |start: usize| start != 0 && start.checked_add(largest).is_some();
    largest == 0 || send.abs_diff(recv) >= largest && is_whole(send) && is_whole(recv)
}

fn check_closely(call: &Call, rank: Rank, size: u32, send: usize, recv: usize) -> Result<()> {
    let CallKind::Collective(collective) = call.kind else {
        return Err(Error::Internal("a transfer has one buffer".into()));
    };
    let whole = bytes(call, size)?;
    let part = whole / size as usize;
    let count = part / call.datatype.bytes();
    let element = call.datatype.bytes();
    let read = collective.input_elements(size as usize, rank, call.root, count) * element;
    let written = collective.output_elements(size as usize, rank, call.root, count) * element;
    present(send, read, "send")?;
    present(recv, written, "recv")?;
    if !overlap(send, read, recv, written) || is_in_place(collective, rank, part, send, recv) {
        return Ok(());
    }
    let how = in_place_rule(collective);
    let got =
        format!("{read} bytes at {send:#x} overlap recv, {written} bytes at {recv:#x}; in place means {how}");
    invalid("send", got)
}

/// Checks the one buffer of a transfer, which C calls `what`.
pub fn check_transfer(call: &Call, buffer: usize, what: &'static str) -> Result<()> {
    present(buffer, bytes(call, 1)?, what)
}

/// Bytes of `count` elements for each of `size` ranks. No buffer of any collective is longer.
fn bytes(call: &Call, size: u32) -> Result<usize> {
    let bytes = usize::try_from(call.count)
        .ok()
        .and_then(|count| count.checked_mul(call.datatype.bytes()))
        .and_then(|part| part.checked_mul(size as usize))
        .filter(|whole| isize::try_from(*whole).is_ok());
    let Some(bytes) = bytes else {
        let what = format!("elements of {} for {size} ranks", call.datatype.name());
        return invalid("count", exceeds_memory(call.count, &what));
    };
    Ok(bytes)
}

fn present(address: usize, bytes: usize, what: &'static str) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    if address == 0 {
        return invalid(what, format!("NULL, but {bytes} bytes are used"));
    }
    if address.checked_add(bytes).is_none() {
        return invalid(what, format!("{bytes} bytes at {address:#x} go round the end of the address space"));
    }
    Ok(())
}

/// Whether two ranges overlap. Both end inside the address space, which `present` has checked.
fn overlap(a: usize, a_bytes: usize, b: usize, b_bytes: usize) -> bool {
    a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes
}

/// Whether the buffers coincide as documented. `part` is the length in bytes of one rank's share. Called only
/// if both buffers are used.
fn is_in_place(collective: Collective, rank: Rank, part: usize, send: usize, recv: usize) -> bool {
    use Collective::*;
    let mine = rank as usize * part;
    match collective {
        AllReduce | AllToAll | Reduce | Broadcast | Scan | Exscan => send == recv,
        AllGather | Gather => send == recv.wrapping_add(mine),
        ReduceScatter | Scatter => recv == send.wrapping_add(mine),
        // The engine looks at their blocks one by one.
        _ => false,
    }
}

fn in_place_rule(collective: Collective) -> &'static str {
    use Collective::*;
    match collective {
        AllReduce | AllToAll | Scan | Exscan => "send == recv",
        Reduce | Broadcast => "send == recv at the root",
        AllGather => "send == recv + rank * count elements",
        Gather => "send == recv + root * count elements at the root",
        ReduceScatter => "recv == send + rank * count elements",
        Scatter => "recv == send + root * count elements at the root",
        Barrier => "nothing: it has no buffers",
        _ => "that blocks are identical",
    }
}

#[cfg(test)]
mod tests {
    use anyccl_engine::base::Datatype;

    use super::*;

    const SEND: usize = 0x10_0000;
    const SIZE: u32 = 4;

    fn call(collective: Collective, count: u64) -> Call {
        let kind = CallKind::Collective(collective);
        Call { kind, datatype: Datatype::Int32, op: None, root: 1, count }
    }

    #[test]
    fn an_overlap_is_accepted_exactly_where_the_documentation_says_in_place() {
        let part = 3 * 4;
        for collective in Collective::UNIFORM {
            let call = call(collective, 3);
            for rank in 0..SIZE {
                let read = collective.input_elements(4, rank, 1, 3) * 4;
                let written = collective.output_elements(4, rank, 1, 3) * 4;
                for recv in SEND - 100..SEND + 100 {
                    let apart = read == 0 || written == 0 || recv + written <= SEND || SEND + read <= recv;
                    let mine = rank as usize * part;
                    let in_place = match collective {
                        Collective::AllGather | Collective::Gather => recv + mine == SEND,
                        Collective::ReduceScatter | Collective::Scatter => recv == SEND + mine,
                        _ => recv == SEND,
                    };
                    let accepted = check(&call, rank, SIZE, SEND, recv).is_ok();
                    assert_eq!(accepted, apart || in_place, "{collective:?} rank {rank} recv {recv:#x}");
                }
            }
        }
    }

    #[test]
    fn counts_that_do_not_fit_the_address_space_are_refused() {
        let largest = isize::MAX as u64 / 4 / u64::from(SIZE);
        for count in [largest + 1, u64::MAX / 4 + 1, u64::MAX / 16 + 1, u64::MAX] {
            let outcome = check(&call(Collective::AllGather, count), 0, SIZE, SEND, SEND);
            assert!(matches!(outcome, Err(Error::InvalidArgument { what: "count", .. })), "{count}");
        }
        assert_eq!(bytes(&call(Collective::AllGather, largest), SIZE).unwrap(), largest as usize * 16);
    }

    #[test]
    fn null_is_refused_where_bytes_are_used_and_only_there() {
        let error = |outcome: Result<()>| match outcome {
            Err(Error::InvalidArgument { what, .. }) => what,
            _ => "",
        };
        assert_eq!(error(check(&call(Collective::AllReduce, 3), 0, SIZE, 0, SEND)), "send");
        assert_eq!(error(check(&call(Collective::AllReduce, 3), 0, SIZE, SEND, 0)), "recv");
        assert_eq!(error(check(&call(Collective::Reduce, 3), 0, SIZE, SEND, 0)), "");
        assert_eq!(error(check(&call(Collective::Scatter, 3), 0, SIZE, 0, SEND)), "");
        assert_eq!(error(check(&call(Collective::Broadcast, 3), 0, SIZE, 0, SEND)), "");
        assert_eq!(error(check(&call(Collective::AllToAll, 0), 0, SIZE, 0, 0)), "");
    }

    #[test]
    fn a_range_beyond_the_last_address_is_refused() {
        let outcome = check(&call(Collective::AllReduce, 8), 0, SIZE, usize::MAX - 8, SEND);
        assert!(matches!(outcome, Err(Error::InvalidArgument { what: "send", .. })));
    }
}
