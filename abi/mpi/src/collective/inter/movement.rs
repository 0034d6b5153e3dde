//! Collectives that move blocks to the other side.

use super::{NOTHING_READ, NOTHING_WRITTEN, Root, Side, add_exchange, only, script_on};
use crate::arguments::{DatatypeHandle, RecvAddress, SendAddress};
use crate::collective::script::Script;
use crate::collective::typed::Elements;
use crate::collective::uniform::{whole, whole_send};
use crate::comm::{Comm, Inter};
use crate::error::Result;
use crate::types;

/// Elements as the program describes them. Ignored where they are not significant.
pub struct Argument<A> {
    pub address: A,
    pub count: i64,
    pub datatype: DatatypeHandle,
}

impl Argument<SendAddress> {
    /// The one block that is sent, in `script`.
    fn block(&self, script: &mut Script) -> Result<Side<*const u8>> {
        let datatype = types::committed(self.datatype)?;
        let sent = Elements::read(whole_send(self.address, "sendbuf")?, self.count, &datatype);
        script.input_blocks(&[sent], "sendbuf")
    }
}

impl Argument<RecvAddress> {
    /// The one block that is received, in `script`.
    fn block(&self, script: &mut Script) -> Result<Side<*mut u8>> {
        let datatype = types::committed(self.datatype)?;
        let received = Elements::written(whole(self.address, "recvbuf")?, self.count, &datatype);
        script.output_blocks(&[received], "recvbuf")
    }
}

/// An exchange in which every rank sends to and receives from all ranks of the other side.
pub fn exchange(comm: &Comm, inter: &Inter, sends: &[Elements], recvs: &[Elements]) -> Result<Script> {
    let mut script = script_on(comm);
    let input = script.input_blocks(sends, "sendbuf")?;
    let output = script.output_blocks(recvs, "recvbuf")?;
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

/// An exchange in which every rank sends one block to all ranks of the other side, and receives theirs.
pub fn allgather(
    comm: &Comm,
    inter: &Inter,
    send: &Argument<SendAddress>,
    recvs: &[Elements],
) -> Result<Script> {
    let mut script = script_on(comm);
    let (start, blocks) = send.block(&mut script)?;
    let input = (start, vec![blocks[0]; inter.remote.size() as usize]);
    let output = script.output_blocks(recvs, "recvbuf")?;
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

/// An exchange in which the root sends the same elements to all ranks of the other side.
pub fn bcast(comm: &Comm, inter: &Inter, elements: Elements, root: i32) -> Result<Script> {
    let sent = |script: &mut Script, ranks: u32| {
        let (send, blocks) = script.input_blocks(&[elements], "buffer")?;
        Ok((send, vec![blocks[0]; ranks as usize]))
    };
    let received = |script: &mut Script| script.output_blocks(&[elements], "buffer");
    from_root(comm, inter, root, sent, received)
}

/// An exchange in which the root sends a block to every rank of the other side. `sends` makes the blocks of
/// the root, for that number of ranks.
pub fn scatter(
    comm: &Comm,
    inter: &Inter,
    recv: &Argument<RecvAddress>,
    root: i32,
    sends: impl FnOnce(&mut Script, u32) -> Result<Side<*const u8>>,
) -> Result<Script> {
    from_root(comm, inter, root, sends, |script| recv.block(script))
}

/// An exchange in which the root sends, and every rank of the other side receives its first block.
fn from_root(
    comm: &Comm,
    inter: &Inter,
    root: i32,
    sends: impl FnOnce(&mut Script, u32) -> Result<Side<*const u8>>,
    receives: impl FnOnce(&mut Script) -> Result<Side<*mut u8>>,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Me => input = sends(&mut script, inter.remote.size())?,
        Root::Remote(root) => {
            let (start, blocks) = receives(&mut script)?;
            output = (start, only(root, blocks[0]));
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

/// An exchange in which every rank of the other side sends a block to the root. `recvs` makes the blocks of
/// the root, for that number of ranks.
pub fn gather(
    comm: &Comm,
    inter: &Inter,
    send: &Argument<SendAddress>,
    root: i32,
    recvs: impl FnOnce(&mut Script, u32) -> Result<Side<*mut u8>>,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Me => output = recvs(&mut script, inter.remote.size())?,
        Root::Remote(root) => {
            let (start, blocks) = send.block(&mut script)?;
            input = (start, only(root, blocks[0]));
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}
