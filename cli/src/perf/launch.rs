//! `-n`: starts this command again as every rank of a job, through `anyccl run`.

use std::ffi::OsString;
use std::time::Duration;

use super::arguments::PerfArguments;
use crate::failure::Failure;
use crate::output::refuse_closed_output;
use crate::run::{self, Bind, RunArguments};

/// Runs the benchmark on `ranks` ranks of this machine.
pub fn launch(ranks: u32, arguments: &PerfArguments) -> Result<u8, Failure> {
    // Before anything is started, so that there is one message instead of one per rank.
    arguments.validate(Some(ranks))?;
    // Only this process knows: the ranks find the device that Rust's runtime has opened instead.
    refuse_closed_output()?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::own(format_args!("cannot find this program's own file: {error}")))?;
    run::run(&RunArguments {
        ranks: Some(ranks),
        hosts: None,
        hostfile: None,
        launcher: "ssh".to_string(),
        remote_anyccl: None,
        bind: Bind::Core,
        no_prefix: true,
        tag_output: false,
        own_output: true,
        keep_going: false,
        timeout: None,
        grace: Duration::from_secs(2),
        env: Vec::new(),
        stand_in: None,
        facade_is_implied: false,
        by: None,
        fake_gpus: None,
        python: "python3".into(),
        parts: Vec::new(),
        command: command(program.into(), std::env::args_os().skip(1)),
    })
}

/// Command line of a rank: the user's words, and one that says that the ranks have been started.
fn command(program: OsString, words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut command: Vec<OsString> = std::iter::once(program).chain(words).collect();
    // Inserted behind the name of the subcommand, because the last words may be a value.
    let behind = command.iter().skip(1).position(|word| word == "perf").map_or(2, |at| at + 2);
    command.insert(behind, "--launched".into());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_get_the_users_words_and_know_that_they_were_launched() {
        let words = ["perf", "all_reduce", "-n4", "--", "x"].map(OsString::from);
        let expected = ["/bin/anyccl", "perf", "--launched", "all_reduce", "-n4", "--", "x"];
        assert_eq!(command("/bin/anyccl".into(), words.into_iter()), expected);
        let words = ["--color", "never", "perf", "all"].map(OsString::from);
        let expected = ["/bin/anyccl", "--color", "never", "perf", "--launched", "all"];
        assert_eq!(command("/bin/anyccl".into(), words.into_iter()), expected);
    }
}
