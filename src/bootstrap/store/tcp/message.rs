//! Requests and responses on the wire.

use super::limits::Limits;

pub(super) const REQUEST_HEADER: usize = 16;
pub(super) const RESPONSE_HEADER: usize = 8;

const JOIN: u8 = 1;
const SET: u8 = 2;
const GET: u8 = 3;
const LEAVE: u8 = 4;
const CHECK: u8 = 5;
const FAIL: u8 = 6;

/// Longest reason of a failure, in bytes; the rest is cut off.
pub(super) const REASON_BYTES: usize = 4096;

/// A request of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Counts the rank in. The rank and its world size are those of the hello.
    Join,
    /// Sets a key.
    Set { key: String, value: Vec<u8> },
    /// Waits for a key, at most for this time.
    Get { key: String, timeout_ms: u64 },
    /// Says that the rank has all it needs.
    Leave,
    /// Asks whether the job has failed.
    Check,
    /// Says that the rank cannot go on, and why. Has no response.
    Fail { why: String },
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Status {
    /// Success; the value, if any, is attached.
    Ok = 0,
    /// The key was not set in time; the text says who has not come.
    Timeout = 1,
    /// The job cannot go on; the text says why.
    Failed = 2,
    /// The ranks were told different things; the text names both.
    Disagreement = 3,
}

/// Result of reading a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// More bytes are needed.
    Incomplete,
    /// A request, and how many bytes it took.
    Whole(Request, usize),
    /// Not a request, or one beyond the limits.
    Malformed,
}

impl Request {
    /// The request as bytes of the wire.
    pub fn encode(&self) -> Vec<u8> {
        let (op, key, value, timeout_ms): (u8, &str, &[u8], u64) = match self {
            Request::Join => (JOIN, "", &[], 0),
            Request::Set { key, value } => (SET, key, value, 0),
            Request::Get { key, timeout_ms } => (GET, key, &[], *timeout_ms),
            Request::Leave => (LEAVE, "", &[], 0),
            Request::Check => (CHECK, "", &[], 0),
            Request::Fail { why } => (FAIL, "", why.as_bytes(), 0),
        };
        let mut bytes = Vec::with_capacity(REQUEST_HEADER + key.len() + value.len());
        bytes.extend([op, 0]);
        bytes.extend((key.len() as u16).to_le_bytes());
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(timeout_ms.to_le_bytes());
        bytes.extend(key.as_bytes());
        bytes.extend(value);
        bytes
    }

    /// Reads a request from the front of `bytes`.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Parsed {
        let Some((header, rest)) = bytes.split_first_chunk::<REQUEST_HEADER>() else {
            return Parsed::Incomplete;
        };
        let [op, zero, k0, k1, v0, v1, v2, v3, timeout @ ..] = *header;
        let key_bytes = usize::from(u16::from_le_bytes([k0, k1]));
        let value_bytes = u32::from_le_bytes([v0, v1, v2, v3]) as usize;
        let keyed = op == SET || op == GET;
        if zero != 0
            || key_bytes > limits.key_bytes
            || value_bytes > limits.value_bytes
            || (key_bytes != 0) != keyed
            || (value_bytes != 0 && op != SET && op != FAIL)
            || (op == FAIL && value_bytes > REASON_BYTES)
        {
            return Parsed::Malformed;
        }
        if rest.len() < key_bytes + value_bytes {
            return Parsed::Incomplete;
        }
        let (key, rest) = rest.split_at(key_bytes);
        let Ok(key) = std::str::from_utf8(key).map(str::to_owned) else { return Parsed::Malformed };
        let request = match op {
            JOIN => Request::Join,
            SET => Request::Set { key, value: rest[..value_bytes].to_vec() },
            GET => Request::Get { key, timeout_ms: u64::from_le_bytes(timeout) },
            LEAVE => Request::Leave,
            CHECK => Request::Check,
            FAIL => Request::Fail { why: String::from_utf8_lossy(&rest[..value_bytes]).into_owned() },
            _ => return Parsed::Malformed,
        };
        Parsed::Whole(request, REQUEST_HEADER + key_bytes + value_bytes)
    }
}

/// The header of a response with `bytes` attached.
pub(super) fn response_header(status: Status, bytes: usize) -> [u8; RESPONSE_HEADER] {
    let [a, b, c, d] = (bytes as u32).to_le_bytes();
    [status as u8, 0, 0, 0, a, b, c, d]
}

/// Status and attached bytes of a response; `None`: not a response, or one beyond the limits.
pub(super) fn parse_response_header(
    header: &[u8; RESPONSE_HEADER],
    limits: &Limits,
) -> Option<(Status, usize)> {
    let [status, 0, 0, 0, length @ ..] = *header else { return None };
    let all = [Status::Ok, Status::Timeout, Status::Failed, Status::Disagreement];
    let bytes = u32::from_le_bytes(length) as usize;
    (bytes <= limits.value_bytes).then_some((*all.get(usize::from(status))?, bytes))
}

#[cfg(test)]
mod tests {
    use super::super::limits::LIMITS;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_request_is_read_as_written_and_waits_for_its_last_byte() {
        let key = || "record/7".to_owned();
        for request in [
            Request::Join,
            Request::Set { key: key(), value: vec![1, 2, 3] },
            Request::Get { key: key(), timeout_ms: 1 << 40 },
            Request::Leave,
            Request::Check,
            Request::Fail { why: "no memory".into() },
        ] {
            let mut bytes = request.encode();
            let length = bytes.len();
            for shorter in 0..length {
                assert_eq!(Request::parse(&bytes[..shorter], &LIMITS), Parsed::Incomplete);
            }
            bytes.extend([9; 20]);
            assert_eq!(Request::parse(&bytes, &LIMITS), Parsed::Whole(request, length));
        }
    }

    #[test]
    fn a_length_beyond_the_limits_is_refused_before_its_bytes_have_come() {
        let limits = Limits { key_bytes: 8, value_bytes: 16, total_bytes: 64, keys: 2, answers: 2 };
        let long_key = Request::Get { key: "123456789".into(), timeout_ms: 0 }.encode();
        assert_eq!(Request::parse(&long_key[..REQUEST_HEADER], &limits), Parsed::Malformed);
        let long_value = Request::Set { key: "k".into(), value: vec![0; 17] }.encode();
        assert_eq!(Request::parse(&long_value[..REQUEST_HEADER], &limits), Parsed::Malformed);
        let header = response_header(Status::Ok, 17);
        assert_eq!(parse_response_header(&header, &limits), None);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Request::parse(&bytes, &LIMITS);
            if let Some(header) = bytes.first_chunk() {
                let _ = parse_response_header(header, &LIMITS);
            }
        }
    }
}
