//! The command line, as MPI users and hasty fingers write it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use crate::output::{cannot_write, refuse_closed_output};
use crate::spelling;

/// Parses the words. Ends the process with a message if they are wrong, or ask for help.
pub fn parse<A: Parser + CommandFactory>(words: &[OsString]) -> A {
    A::try_parse_from(words).or_else(|error| retry(words, error)).unwrap_or_else(|error| {
        let error = with_suggestion::<A>(error);
        if !error.use_stderr()
            && let Err(lost) = refuse_closed_output()
        {
            crate::failure::complain(&lost.text);
            process::exit(i32::from(lost.code))
        }
        // clap itself would ignore that the help is lost.
        let printed = error.print().and_then(|()| io::stdout().flush());
        if let Err(lost) = printed
            && lost.kind() != io::ErrorKind::BrokenPipe
            && !error.use_stderr()
        {
            crate::failure::complain(&cannot_write("standard output", &lost));
            process::exit(1)
        }
        process::exit(error.exit_code())
    })
}

/// Reads `-np` as `-n`. Otherwise it is an `-n` with the value `p`, which is wrong before the program, and
/// never looked at behind it.
fn retry<A: Parser>(words: &[OsString], error: clap::Error) -> Result<A, clap::Error> {
    let is_p =
        matches!(error.get(ContextKind::InvalidValue), Some(ContextValue::String(value)) if value == "p");
    let place = words.iter().position(|word| word == "-np");
    match place.filter(|_| is_p && error.kind() == ErrorKind::ValueValidation) {
        None => Err(error),
        Some(place) => {
            let mut words = words.to_vec();
            words[place] = "-n".into();
            A::try_parse_from(words)
        }
    }
}

/// Adds the subcommand that is probably meant, where clap itself finds none.
fn with_suggestion<A: CommandFactory>(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand
        && error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
    {
        let command = A::command();
        let names =
            command.get_subcommands().filter(|known| !known.is_hide_set()).map(clap::Command::get_name);
        if let Some(name) = spelling::nearest(word, names) {
            let suggestion = ContextValue::Strings(vec![name.to_string()]);
            error.insert(ContextKind::SuggestedSubcommand, suggestion);
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::{Args, Subcommand};

    use super::*;

    #[derive(Parser)]
    struct Tool {
        #[command(subcommand)]
        command: Commands,
    }

    #[derive(Subcommand)]
    enum Commands {
        Run(Run),
    }

    #[derive(Args)]
    struct Run {
        #[arg(short = 'n', alias = "np")]
        ranks: u32,
        #[arg(trailing_var_arg = true, required = true)]
        program: Vec<String>,
    }

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn np_is_n_before_the_program_and_the_programs_own_behind_it() {
        for text in ["tool run -np 2 a -np 3", "tool run -n 2 a -np 3", "tool run --np 2 a -np 3"] {
            let Commands::Run(run) = parse::<Tool>(&words(text)).command;
            assert_eq!((run.ranks, run.program), (2, vec!["a".into(), "-np".into(), "3".into()]), "{text}");
        }
    }

    #[test]
    fn a_misspelt_subcommand_leads_to_the_right_one() {
        let Err(error) = Tool::try_parse_from(words("tool rnu -n 2 a")) else { panic!("rnu is none") };
        let text = with_suggestion::<Tool>(error).to_string();
        assert!(text.contains("'run'"), "{text}");
    }
}
