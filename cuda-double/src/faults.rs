//! Calls that fail, and ordering calls that do nothing, on the order of a test.
//!
//! `CUDA_DOUBLE_FAIL` lists calls that return an error: `NAME:n` is the n-th call of a function, `n` the n-th
//! call at all; both count from 1. `CUDA_DOUBLE_FAIL_STICKY=1` makes everything after it fail, too.
//!
//! `CUDA_DOUBLE_IGNORE` lists ordering calls that succeed and do nothing: `NAME` is every call, `NAME:k` the
//! k-th call only, `NAME:k/p` every call whose number, divided by p, leaves k. The prefix `cu` may be left
//! out. An entry of `cuStreamBatchMemOp` counts as a call of the function that does the same.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::settings::settings;
use crate::status::Status;
use crate::{exported, loud};

/// Functions that only order work; the only ones that can be ignored.
const ORDERING: [&str; 12] = [
    "cuStreamWaitValue32",
    "cuStreamWaitValue64",
    "cuStreamWriteValue32",
    "cuStreamWriteValue64",
    "cuStreamBatchMemOp",
    "cuStreamWaitEvent",
    "cuStreamSynchronize",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventQuery",
    "cuStreamQuery",
    "cuCtxSynchronize",
];

/// What a call is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its work.
    Run,
    /// Nothing; it succeeds.
    Ignore,
    /// Nothing; it returns this error.
    Fail(Status),
}

/// One entry of the lists.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    /// Function; none for all functions.
    name: Option<String>,
    /// The number of the call, from 1; none for every call.
    number: Option<u64>,
    /// Only the rest of the division by this counts.
    period: Option<u64>,
}

impl Rule {
    fn parse(text: &str) -> Option<Rule> {
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return Some(Rule { name: None, number: Some(number), period: None });
        }
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let name = if name.starts_with("cu") { name.to_string() } else { format!("cu{name}") };
        let (number, period) = match rest.map(|rest| rest.split_once('/').unwrap_or((rest, ""))) {
            None => (None, None),
            Some((number, "")) => (Some(number.parse().ok()?), None),
            Some((number, period)) => {
                (Some(number.parse().ok()?), Some(period.parse().ok().filter(|period| *period > 0)?))
            }
        };
        Some(Rule { name: Some(name), number, period })
    }

    fn fits(&self, name: &str, of_function: u64, of_all: u64) -> bool {
        let call = match &self.name {
            Some(wanted) if wanted == name => of_function,
            Some(_) => return false,
            None => of_all,
        };
        match (self.number, self.period) {
            (None, _) => true,
            (Some(number), None) => call == number,
            (Some(number), Some(period)) => call % period == number % period,
        }
    }
}

/// The lists, and how often each function has been called.
#[derive(Debug)]
struct Faults {
    fail: Vec<Rule>,
    ignore: Vec<Rule>,
    sticky: bool,
    failures: u64,
    calls: u64,
    calls_of: HashMap<&'static str, u64>,
}

impl Faults {
    fn new(fail: &str, sticky: bool, ignore: &str) -> Faults {
        Faults {
            fail: rules("CUDA_DOUBLE_FAIL", fail),
            ignore: rules("CUDA_DOUBLE_IGNORE", ignore),
            sticky,
            failures: 0,
            calls: 0,
            calls_of: HashMap::new(),
        }
    }

    /// Counts an entry of a batch as a call of `name`; whether it is to be ignored.
    fn ignores_entry(&mut self, name: &'static str) -> bool {
        let of_function = self.calls_of.entry(name).or_insert(0);
        *of_function += 1;
        let (of_function, of_all) = (*of_function, self.calls);
        self.ignore.iter().any(|rule| rule.fits(name, of_function, of_all))
    }

    fn judge(&mut self, name: &'static str) -> Verdict {
        self.calls += 1;
        let of_function = self.calls_of.entry(name).or_insert(0);
        *of_function += 1;
        let (of_function, of_all) = (*of_function, self.calls);
        let fits = |rule: &Rule| rule.fits(name, of_function, of_all);
        if self.failures > 0 && self.sticky || self.fail.iter().any(fits) {
            self.failures += 1;
            return Verdict::Fail(error_of(name));
        }
        if self.ignore.iter().any(fits) { Verdict::Ignore } else { Verdict::Run }
    }
}

/// The error that fits a function.
fn error_of(name: &str) -> Status {
    let allocates = ["Alloc", "MemCreate", "Register", "StreamCreate", "EventCreate", "CtxCreate", "Retain"];
    if allocates.iter().any(|word| name.contains(word)) { Status::OUT_OF_MEMORY } else { Status::UNKNOWN }
}

/// Parses a list. A wrong entry aborts the process: a test that ignores nothing would prove nothing.
fn rules(variable: &str, list: &str) -> Vec<Rule> {
    let entries = list.split(',').filter(|text| !text.trim().is_empty());
    entries
        .map(|text| match Rule::parse(text) {
            Some(rule) if is_sensible(variable, &rule) => rule,
            _ => loud::stop(&format!(
                "{variable}: \"{text}\" names no call; README.md says what may stand here"
            )),
        })
        .collect()
}

fn is_sensible(variable: &str, rule: &Rule) -> bool {
    match &rule.name {
        None => variable == "CUDA_DOUBLE_FAIL",
        Some(name) if variable == "CUDA_DOUBLE_IGNORE" => ORDERING.contains(&name.as_str()),
        Some(name) => rule.number.is_some() && exported::exists(name),
    }
}

static FAULTS: Mutex<Option<Faults>> = Mutex::new(None);

fn with_faults<T>(act: impl FnOnce(&mut Faults) -> T) -> T {
    let settings = settings();
    let mut faults = FAULTS.lock();
    act(faults.get_or_insert_with(|| Faults::new(&settings.fail, settings.sticky, &settings.ignore)))
}

/// Counts a call of `name` and says what it is to do.
pub fn judge(name: &'static str) -> Verdict {
    with_faults(|faults| faults.judge(name))
}

/// Counts an entry of a batch as a call of `name`, the function that does the same; whether it is to be
/// ignored.
pub fn ignores_entry(name: &'static str) -> bool {
    with_faults(|faults| faults.ignores_entry(name))
}

/// How many calls there were, and how many of them were made to fail.
pub fn counts() -> (u64, u64) {
    with_faults(|faults| (faults.calls, faults.failures))
}

/// Replaces the lists and counts from zero again.
pub fn replace(fail: &str, sticky: bool, ignore: &str) {
    *FAULTS.lock() = Some(Faults::new(fail, sticky, ignore));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_call_of_a_function_fails_with_an_error_that_fits() {
        let mut faults = Faults::new("cuMemAlloc:2,4", false, "");
        assert_eq!(faults.judge("cuMemAlloc"), Verdict::Run);
        assert_eq!(faults.judge("cuEventRecord"), Verdict::Run);
        assert_eq!(faults.judge("cuMemAlloc"), Verdict::Fail(Status::OUT_OF_MEMORY));
        assert_eq!(faults.judge("cuEventRecord"), Verdict::Fail(Status::UNKNOWN));
        assert_eq!(faults.judge("cuMemAlloc"), Verdict::Run);
    }

    #[test]
    fn a_sticky_failure_stays() {
        let mut faults = Faults::new("2", true, "");
        assert_eq!(faults.judge("cuMemFree"), Verdict::Run);
        assert_eq!(faults.judge("cuMemFree"), Verdict::Fail(Status::UNKNOWN));
        assert_eq!(faults.judge("cuEventCreate"), Verdict::Fail(Status::OUT_OF_MEMORY));
    }

    #[test]
    fn an_ordering_call_is_ignored_always_once_or_by_period() {
        let pattern = |list: &str| {
            let mut faults = Faults::new("", false, list);
            (0..6).map(|_| faults.judge("cuStreamWaitEvent") == Verdict::Ignore).collect::<Vec<_>>()
        };
        assert_eq!(pattern("StreamWaitEvent"), [true; 6]);
        assert_eq!(pattern("cuStreamWaitEvent:2"), [false, true, false, false, false, false]);
        assert_eq!(pattern("cuStreamWaitEvent:1/3"), [true, false, false, true, false, false]);
        assert_eq!(pattern("cuEventRecord"), [false; 6]);
    }

    #[test]
    fn only_functions_that_exist_can_fail_and_only_ordering_calls_can_be_ignored() {
        let rule = |text| Rule::parse(text).unwrap();
        assert!(is_sensible("CUDA_DOUBLE_FAIL", &rule("MemAlloc:3")));
        assert!(!is_sensible("CUDA_DOUBLE_FAIL", &rule("MemAllok:3")));
        assert!(!is_sensible("CUDA_DOUBLE_FAIL", &rule("MemAlloc")));
        assert!(is_sensible("CUDA_DOUBLE_IGNORE", &rule("EventRecord")));
        assert!(!is_sensible("CUDA_DOUBLE_IGNORE", &rule("MemAlloc")));
        assert_eq!(Rule::parse("cuEventRecord:x"), None);
    }
}
