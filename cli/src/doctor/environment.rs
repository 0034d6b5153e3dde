//! The variables of the environment.

use anyccl_engine::config::{Config, UnknownVariable, unknown_variables};

use super::finding::Finding;

/// Whether all variables that look like anyccl's mean something, with values that it accepts.
pub fn variables() -> Finding {
    judge(Config::from_environment().err().map(|error| error.to_string()), &unknown_variables())
}

fn judge(error: Option<String>, unknown: &[UnknownVariable]) -> Finding {
    const SUBJECT: &str = "variables";
    if let Some(error) = error {
        return Finding::bad(
            SUBJECT,
            error,
            "set an accepted value, or unset the variable; docs/environment.md",
        );
    }
    let Some(first) = unknown.first() else {
        return Finding::good(SUBJECT, "all ANYCCL_ variables that are set mean something");
    };
    let names: Vec<&str> = unknown.iter().map(|variable| variable.name.as_str()).collect();
    let found = format!("without any meaning: {}", names.join(", "));
    let change = match first.meant {
        Some(meant) => format!("unset {}; perhaps {meant} is meant", first.name),
        None => format!("unset {}", first.name),
    };
    Finding::warning(SUBJECT, found, change)
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[test]
    fn wrong_values_and_unknown_names_are_told() {
        assert_eq!(judge(None, &[]).state, State::Good);
        assert_eq!(judge(Some("invalid ANYCCL_TRANSPORT".into()), &[]).state, State::Bad);
        let unknown = [UnknownVariable { name: "ANYCCL_RNAK".into(), meant: Some("ANYCCL_RANK") }];
        assert_eq!(judge(None, &unknown).change.unwrap(), "unset ANYCCL_RNAK; perhaps ANYCCL_RANK is meant");
    }
}
