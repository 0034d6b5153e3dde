//! One PMI-1 message: a line of `key=value` fields, separated by blanks. The first key is `cmd`.

/// Limit of a line in either direction; Hydra's own limit is 2048.
pub(crate) const LINE_BYTES: usize = 4096;

/// A message from the process manager.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PmiMessage {
    fields: Vec<(String, String)>,
}

impl PmiMessage {
    /// Reads a line without its newline. `None`: the line does not belong to this protocol.
    pub fn parse(line: &[u8]) -> Option<PmiMessage> {
        let line = std::str::from_utf8(line).ok()?;
        let field = |word: &str| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        // A sentence (msg=...) may have words without "=": they belong to no field that matters.
        let fields: Vec<_> = line.split(' ').filter_map(field).collect();
        fields.iter().any(|(key, _)| key == "cmd").then_some(PmiMessage { fields })
    }

    /// The value of a field.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The value of a field that is a number.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key).and_then(|value| value.parse().ok())
    }

    /// Whether the message is the answer `cmd` and reports success. Some servers leave the result code out
    /// where nothing can go wrong.
    pub fn is_good(&self, cmd: &str) -> bool {
        self.get("cmd") == Some(cmd) && self.get("rc").is_none_or(|rc| rc == "0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_any_order_and_unknown_ones_do_not_matter() {
        for line in [
            "cmd=get_result rc=0 msg=success value=00ff",
            "cmd=get_result value=00ff rc=0",
            "rc=0 cmd=get_result tag=7 msg=not a word value=00ff",
        ] {
            let message = PmiMessage::parse(line.as_bytes()).unwrap();
            assert!(message.is_good("get_result"), "{line}");
            assert_eq!(message.get("value"), Some("00ff"), "{line}");
        }
        assert!(PmiMessage::parse(b"cmd=barrier_out").unwrap().is_good("barrier_out"));
    }

    #[test]
    fn a_refusal_another_answer_and_nonsense_are_told_apart() {
        assert!(!PmiMessage::parse(b"cmd=get_result rc=-1 value=unknown").unwrap().is_good("get_result"));
        assert!(!PmiMessage::parse(b"cmd=put_result rc=0").unwrap().is_good("get_result"));
        assert_eq!(PmiMessage::parse(b"hello"), None);
        assert_eq!(PmiMessage::parse(b"cmd=\xff"), None);
    }
}
