//! Values of Python in pickle's second protocol, as far as PyTorch's analyser needs them.

/// A value.
#[derive(Clone)]
pub enum Value {
    None,
    Bool(bool),
    Int(u64),
    Text(String),
    List(Vec<Value>),
    Dict(Vec<(&'static str, Value)>),
    /// A dictionary whose keys are not known beforehand.
    Table(Vec<(String, Value)>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

/// The bytes that `pickle.load` reads.
pub fn pickled(value: &Value) -> Vec<u8> {
    let mut bytes = vec![0x80, 2];
    write(value, &mut bytes);
    bytes.push(b'.');
    bytes
}

fn write(value: &Value, to: &mut Vec<u8>) {
    match value {
        Value::None => to.push(b'N'),
        Value::Bool(is_true) => to.push(if *is_true { 0x88 } else { 0x89 }),
        Value::Int(number) => {
            // LONG1: little-endian with a sign, so a ninth byte keeps it positive.
            to.extend([0x8a, 9]);
            to.extend(number.to_le_bytes());
            to.push(0);
        }
        Value::Text(text) => {
            to.push(b'X');
            to.extend((text.len() as u32).to_le_bytes());
            to.extend(text.as_bytes());
        }
        Value::List(items) => {
            to.extend(b"](");
            items.iter().for_each(|item| write(item, to));
            to.push(b'e');
        }
        Value::Dict(entries) => write_entries(entries.iter().map(|(key, value)| (*key, value)), to),
        Value::Table(entries) => write_entries(entries.iter().map(|(key, value)| (key.as_str(), value)), to),
    }
}

fn write_entries<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>, to: &mut Vec<u8>) {
    to.extend(b"}(");
    for (key, value) in entries {
        write(&key.into(), to);
        write(value, to);
    }
    to.push(b'u');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_protocol_says() {
        let value =
            Value::Dict(vec![("a", Value::List(vec![Value::Int(258), Value::None, Value::Bool(true)]))]);
        let expected = b"\x80\x02}(X\x01\x00\x00\x00a](\x8a\x09\x02\x01\0\0\0\0\0\0\0N\x88eu.";
        assert_eq!(pickled(&value), expected);
    }
}
