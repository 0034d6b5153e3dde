//! Keys with values, in the order in which the keys were first set.

use crate::constants::{MAX_INFO_KEY, MAX_INFO_VAL};
use crate::error::{Class, Error, Result};

/// Keys with values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(its, _)| its == key).map(|(_, value)| value.as_str())
    }

    /// Sets a key. Refuses a key or a value that is too long.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if key.is_empty() || key.len() >= MAX_INFO_KEY {
            let text = format!("a key of {} bytes; 1 to {} are possible", key.len(), MAX_INFO_KEY - 1);
            return Err(Error::new(Class::INFO_KEY, text));
        }
        if value.len() > MAX_INFO_VAL {
            let text = format!("a value of {} bytes; at most {MAX_INFO_VAL} are possible", value.len());
            return Err(Error::new(Class::INFO_VALUE, text));
        }
        match self.0.iter_mut().find(|(its, _)| its == key) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((key.into(), value.into())),
        }
        Ok(())
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) -> Result<()> {
        let at = self.0.iter().position(|(its, _)| its == key);
        let at = at.ok_or_else(|| Error::new(Class::INFO_NOKEY, format!("there is no key \"{key}\"")))?;
        self.0.remove(at);
        Ok(())
    }

    /// All pairs, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}
