//! Control messages as bytes: one byte of type, then a body. The type gives the length of the body; texts and
//! lists carry their own length. Numbers are little endian.

use std::io;

use super::super::garbage;
use super::message::{CallRecord, ControlMessage};

const DOORBELL_TYPE: u8 = 1;
const STALL: u8 = 2;
pub(super) const NOTICE: u8 = 3;
const BYE: u8 = 4;
const LEFT: u8 = 5;
const AGREE: u8 = 6;
const QUIT: u8 = 7;
const HOLD: u8 = 8;
const RELEASE: u8 = 9;
const UNFORMED: u8 = 10;
const ENDED: u8 = 11;

/// The bytes of a doorbell, which has no body.
pub(super) const DOORBELL: &[u8] = &[DOORBELL_TYPE];

/// Bytes of the body of a stall note: context, sequence and call.
const STALL_BYTES: usize = 24;
/// Bytes of a notice before its text: kind, three numbers and the length of the text.
const NOTICE_HEAD: usize = 15;
/// Bytes of a quit before its reason: context, calls, position and the length of the text.
const QUIT_HEAD: usize = 18;
/// Bytes of an agreement before its list: six numbers.
const AGREE_HEAD: usize = 24;
/// Bytes of a farewell before its calls: context, position, and the number of calls that follow or
/// [`FAILED`].
const LEFT_HEAD: usize = 13;
/// Number of calls in the farewell of a rank whose communicator has failed. No record follows.
const FAILED: u8 = u8::MAX;
/// Bytes of a record before its calls: the number of the next call, and the digest.
const RECORD_HEAD: usize = 12;
/// Bytes of the body of a hold, and of a call that makes no communicator: context and call.
const HOLD_BYTES: usize = 8;
/// Bytes of the body of a call that has ended: context, number and position.
const ENDED_BYTES: usize = 16;
/// Bytes of the body of a release: context.
const RELEASE_BYTES: usize = 4;
/// Longest list of ranks: one bit for each of half a million ranks.
const LOST_BYTES: usize = 64 << 10;
/// Longest text of a notice.
const TEXT_BYTES: usize = 4096;

/// A message and the bytes of its body. `None`: the body is not complete yet.
type Decoded = io::Result<Option<(ControlMessage, usize)>>;

/// Appends the bytes of a message.
pub(super) fn encode(message: &ControlMessage, to: &mut Vec<u8>) {
    match message {
        ControlMessage::Doorbell => to.extend(DOORBELL),
        ControlMessage::Stall { context, sequence, call } => {
            to.push(STALL);
            put32(to, &[*context, *sequence]);
            put64(to, call);
        }
        ControlMessage::Notice { context, kind, origin, subject, text } => {
            to.extend([NOTICE, *kind]);
            put32(to, &[*context, *origin, *subject]);
            put_text(to, text);
        }
        ControlMessage::Left { context, sent, calls } => {
            to.push(LEFT);
            put32(to, &[*context]);
            put64(to, &[*sent]);
            match calls {
                Some(calls) => put_record(to, calls),
                None => to.push(FAILED),
            }
        }
        ControlMessage::Quit { context, sent, calls, reason } => {
            to.push(QUIT);
            put32(to, &[*context, *calls]);
            put64(to, &[*sent]);
            put_text(to, reason);
        }
        ControlMessage::Agree { context, numbers, lost } => {
            to.push(AGREE);
            put32(to, &[*context]);
            put32(to, numbers);
            put32(to, &[lost.len() as u32]);
            to.extend(lost);
        }
        ControlMessage::Hold { context, from } => {
            to.push(HOLD);
            put32(to, &[*context, *from]);
        }
        ControlMessage::Unformed { context, call } => {
            to.push(UNFORMED);
            put32(to, &[*context, *call]);
        }
        ControlMessage::Ended { context, sequence, sent } => {
            to.push(ENDED);
            put32(to, &[*context, *sequence]);
            put64(to, &[*sent]);
        }
        ControlMessage::Release { context } => {
            to.push(RELEASE);
            put32(to, &[*context]);
        }
        ControlMessage::Bye => to.push(BYE),
    }
}

/// Reads the message at the front of `bytes`: the message, and how many bytes it took. `None`: the message is
/// not complete yet. A run of doorbells counts as one.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let doorbells = bytes.iter().take_while(|byte| **byte == DOORBELL_TYPE).count();
    if doorbells > 0 {
        return Ok(Some((ControlMessage::Doorbell, doorbells)));
    }
    let Some((&kind, body)) = bytes.split_first() else { return Ok(None) };
    let decoded = match kind {
        STALL => Ok(decode_stall(body)),
        NOTICE => decode_notice(body),
        LEFT => decode_left(body),
        QUIT => decode_quit(body),
        AGREE => decode_agree(body),
        HOLD => Ok(decode_hold(body)),
        UNFORMED => Ok(decode_unformed(body)),
        ENDED => Ok(decode_ended(body)),
        RELEASE => Ok(decode_release(body)),
        BYE => Ok(Some((ControlMessage::Bye, 0))),
        _ => Err(garbage("an unknown control message")),
    };
    Ok(decoded?.map(|(message, body_bytes)| (message, 1 + body_bytes)))
}

fn decode_stall(body: &[u8]) -> Option<(ControlMessage, usize)> {
    let body = body.first_chunk::<STALL_BYTES>()?;
    let call = [word64(body, 8), word64(body, 16)];
    Some((ControlMessage::Stall { context: word32(body, 0), sequence: word32(body, 4), call }, STALL_BYTES))
}

fn decode_notice(body: &[u8]) -> Decoded {
    let Some(head) = body.first_chunk::<NOTICE_HEAD>() else { return Ok(None) };
    let Some(text) = text_behind(body, NOTICE_HEAD, "an endless failure notice")? else { return Ok(None) };
    let bytes = NOTICE_HEAD + text.len();
    let text = String::from_utf8_lossy(text).into_owned();
    let (context, origin, subject) = (word32(head, 1), word32(head, 5), word32(head, 9));
    Ok(Some((ControlMessage::Notice { context, kind: head[0], origin, subject, text }, bytes)))
}

fn decode_left(body: &[u8]) -> Decoded {
    let Some((head, body)) = body.split_first_chunk::<LEFT_HEAD>() else { return Ok(None) };
    let (context, sent, count) = (word32(head, 0), word64(head, 4), head[LEFT_HEAD - 1]);
    let (calls, bytes) = match usize::from(count) {
        _ if count == FAILED => (None, 0),
        count if count > CallRecord::LATEST => return Err(garbage("an endless list of calls")),
        count => {
            let bytes = RECORD_HEAD + 16 * count;
            let Some(record) = body.get(..bytes) else { return Ok(None) };
            (Some(decode_record(record)), bytes)
        }
    };
    Ok(Some((ControlMessage::Left { context, sent, calls }, LEFT_HEAD + bytes)))
}

fn decode_quit(body: &[u8]) -> Decoded {
    let Some(head) = body.first_chunk::<QUIT_HEAD>() else { return Ok(None) };
    let Some(text) = text_behind(body, QUIT_HEAD, "an endless reason")? else { return Ok(None) };
    let bytes = QUIT_HEAD + text.len();
    let reason = String::from_utf8_lossy(text).into_owned();
    let (context, calls, sent) = (word32(head, 0), word32(head, 4), word64(head, 8));
    Ok(Some((ControlMessage::Quit { context, sent, calls, reason }, bytes)))
}

fn decode_agree(body: &[u8]) -> Decoded {
    let Some(head) = body.first_chunk::<AGREE_HEAD>() else { return Ok(None) };
    let [context, numbers @ .., len] = [0, 4, 8, 12, 16, 20].map(|at| word32(head, at));
    let len = len as usize;
    if len > LOST_BYTES {
        return Err(garbage("an endless list of ranks"));
    }
    let Some(lost) = body.get(AGREE_HEAD..AGREE_HEAD + len) else { return Ok(None) };
    Ok(Some((ControlMessage::Agree { context, numbers, lost: lost.to_vec() }, AGREE_HEAD + len)))
}

fn decode_hold(body: &[u8]) -> Option<(ControlMessage, usize)> {
    let body = body.first_chunk::<HOLD_BYTES>()?;
    Some((ControlMessage::Hold { context: word32(body, 0), from: word32(body, 4) }, HOLD_BYTES))
}

fn decode_unformed(body: &[u8]) -> Option<(ControlMessage, usize)> {
    let body = body.first_chunk::<HOLD_BYTES>()?;
    Some((ControlMessage::Unformed { context: word32(body, 0), call: word32(body, 4) }, HOLD_BYTES))
}

fn decode_ended(body: &[u8]) -> Option<(ControlMessage, usize)> {
    let body = body.first_chunk::<ENDED_BYTES>()?;
    let (context, sequence, sent) = (word32(body, 0), word32(body, 4), word64(body, 8));
    Some((ControlMessage::Ended { context, sequence, sent }, ENDED_BYTES))
}

fn decode_release(body: &[u8]) -> Option<(ControlMessage, usize)> {
    let body = body.first_chunk::<RELEASE_BYTES>()?;
    Some((ControlMessage::Release { context: word32(body, 0) }, RELEASE_BYTES))
}

/// Appends a record: the number of its latest calls, then the record itself.
fn put_record(to: &mut Vec<u8>, record: &CallRecord) {
    let latest = &record.latest[record.latest.len().saturating_sub(CallRecord::LATEST)..];
    to.push(latest.len() as u8);
    put32(to, &[record.next]);
    put64(to, &[record.digest]);
    latest.iter().for_each(|call| put64(to, call));
}

/// Reads a whole record. `bytes` begins behind the number of its calls.
fn decode_record(bytes: &[u8]) -> CallRecord {
    let calls = (RECORD_HEAD..bytes.len()).step_by(16).map(|at| [word64(bytes, at), word64(bytes, at + 8)]);
    CallRecord { next: word32(bytes, 0), digest: word64(bytes, 4), latest: calls.collect() }
}

/// Appends a text behind its length, cut to [`TEXT_BYTES`].
fn put_text(to: &mut Vec<u8>, text: &str) {
    let text = &text.as_bytes()[..text.floor_char_boundary(TEXT_BYTES)];
    to.extend((text.len() as u16).to_le_bytes());
    to.extend(text);
}

/// The text behind a head of `head` bytes, whose last two bytes are the length of the text. `None`: the text
/// is not complete yet. A text over [`TEXT_BYTES`] is an error that names `what`.
fn text_behind<'a>(body: &'a [u8], head: usize, what: &str) -> io::Result<Option<&'a [u8]>> {
    let bytes = usize::from(u16::from_le_bytes([body[head - 2], body[head - 1]]));
    if bytes > TEXT_BYTES {
        return Err(garbage(what));
    }
    Ok(body.get(head..head + bytes))
}

fn put32(to: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| to.extend(word.to_le_bytes()));
}

fn put64(to: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|word| to.extend(word.to_le_bytes()));
}

fn word32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn word64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}
