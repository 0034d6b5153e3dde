//! What two ranks say to each other over their data connection before they use a fabric: a hello, then a
//! verdict: that it can use the fabric, or why not. Both know the key of the job by then, but what they say
//! is checked all the same.

use super::frame::HEAD_BYTES;
use super::objects::ADDRESS_BYTES;

const MAGIC: [u8; 4] = *b"AOFI";
/// Version of the frames.
const VERSION: u8 = 1;
const HEAD: usize = 22;
/// Most bytes of a provider's name, or of a reason.
const TEXT_BYTES: usize = 255;
/// Most bytes of a buffer that a peer may claim to have.
const MOST_BUFFER: u32 = 1 << 30;

/// Whether a rank can use a fabric; the error is why not.
pub(super) type Verdict = Result<(), String>;

/// A rank's endpoint, or why it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hello {
    Endpoint {
        /// Tag of frames for this rank.
        tag: u64,
        /// Length of the buffers that the frames must fit in.
        buffer_bytes: u32,
        /// Name of the provider, which both sides must have.
        provider: String,
        address: Vec<u8>,
    },
    None(String),
}

impl Hello {
    /// The hello as bytes of the wire: magic, version, kind, tag, bytes of a buffer, lengths, text, address.
    pub fn encode(&self) -> Vec<u8> {
        let (kind, tag, buffer_bytes, text, address): (u8, u64, u32, &str, &[u8]) = match self {
            Hello::Endpoint { tag, buffer_bytes, provider, address } => {
                (1, *tag, *buffer_bytes, provider, address)
            }
            Hello::None(reason) => (0, 0, 0, reason, &[]),
        };
        let text = cut(text);
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, kind]);
        bytes.extend(tag.to_le_bytes());
        bytes.extend(buffer_bytes.to_le_bytes());
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend((address.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(address);
        bytes
    }

    /// Least number of bytes of the hello that begins so.
    pub fn least_bytes(bytes: &[u8]) -> usize {
        let lengths = bytes.get(18..HEAD).map_or([0; 2], |lengths| {
            [0, 2].map(|at| usize::from(u16::from_le_bytes([lengths[at], lengths[at + 1]])))
        });
        HEAD + lengths[0] + lengths[1]
    }

    /// Reads a hello from the beginning of a stream. `Ok(None)`: more bytes are needed. Also returns the
    /// number of its bytes.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Hello, usize)>, String> {
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else { return Ok(None) };
        if head[..4] != MAGIC || head[4] != VERSION || head[5] > 1 {
            return Err("its hello cannot be understood".into());
        }
        let short = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let (text_bytes, address_bytes) = (short(18), short(20));
        let buffer_bytes = u32::from_le_bytes(std::array::from_fn(|i| head[14 + i]));
        if text_bytes > TEXT_BYTES || address_bytes > ADDRESS_BYTES || buffer_bytes > MOST_BUFFER {
            return Err("its hello cannot be true".into());
        }
        let all = text_bytes + address_bytes;
        if rest.len() < all {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&rest[..text_bytes]).into_owned();
        if head[5] == 0 {
            return Ok(Some((Hello::None(text), HEAD + all)));
        }
        if (buffer_bytes as usize) < 2 * HEAD_BYTES || address_bytes == 0 {
            return Err("its hello has no room for a message".into());
        }
        let tag = u64::from_le_bytes(std::array::from_fn(|i| head[6 + i]));
        let address = rest[text_bytes..all].to_vec();
        Ok(Some((Hello::Endpoint { tag, buffer_bytes, provider: text, address }, HEAD + all)))
    }
}

/// The beginning of a text, which may travel.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A verdict as bytes of the wire: the length of the reason, and the reason. Without one, the rank can use
/// the fabric.
pub(super) fn encode_verdict(verdict: &Verdict) -> Vec<u8> {
    let reason = cut(verdict.as_ref().err().map_or("", String::as_str));
    [&[reason.len() as u8], reason.as_bytes()].concat()
}

/// Reads a verdict. `None`: more bytes are needed.
pub(super) fn decode_verdict(bytes: &[u8]) -> Option<Verdict> {
    let (length, rest) = bytes.split_first()?;
    let reason = rest.get(..usize::from(*length))?;
    Some(if reason.is_empty() { Ok(()) } else { Err(String::from_utf8_lossy(reason).into_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> [Hello; 2] {
        let provider = "tcp;ofi_rxm".to_string();
        [
            Hello::Endpoint { tag: 1 << 60 | 7, buffer_bytes: 65536, provider, address: vec![2, 0, 9, 9] },
            Hello::None("there is no libfabric".into()),
        ]
    }

    #[test]
    fn a_hello_is_read_as_written_once_all_of_it_is_there() {
        for hello in samples() {
            let mut bytes = hello.encode();
            for shorter in 0..bytes.len() {
                assert_eq!(Hello::decode(&bytes[..shorter]).unwrap(), None);
                assert!(Hello::least_bytes(&bytes[..shorter]) <= bytes.len());
            }
            bytes.push(1);
            assert_eq!(Hello::decode(&bytes).unwrap(), Some((hello, bytes.len() - 1)));
        }
    }

    #[test]
    fn a_hello_that_makes_no_sense_is_refused() {
        let bytes = samples()[0].encode();
        for (at, value) in [(0, 0), (4, 9), (5, 2), (17, 0xff), (19, 1), (21, 2)] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            assert!(Hello::decode(&bytes).is_err(), "byte {at}");
        }
        let tiny = [&bytes[..14], &[1, 0, 0, 0], &bytes[18..]].concat();
        assert!(Hello::decode(&tiny).is_err());
    }

    #[test]
    fn a_verdict_is_read_as_written_once_all_of_it_is_there() {
        for verdict in [Ok(()), Err("no provider tcp".to_string())] {
            let bytes = encode_verdict(&verdict);
            for shorter in 0..bytes.len() {
                assert_eq!(decode_verdict(&bytes[..shorter]), None);
            }
            assert_eq!(decode_verdict(&bytes), Some(verdict));
        }
        assert_eq!(decode_verdict(&encode_verdict(&Err("ä".repeat(200)))), Some(Err("ä".repeat(127))));
    }

    #[test]
    fn a_long_reason_is_cut_between_letters() {
        let reason = "ä".repeat(200);
        let Some((Hello::None(cut), _)) = Hello::decode(&Hello::None(reason).encode()).unwrap() else {
            panic!("not a reason")
        };
        assert_eq!(cut, "ä".repeat(127));
    }
}
