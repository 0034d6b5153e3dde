//! The `anyccl` tool: starts jobs, measures, reports about the machine, predicts.
//!
//! There is one folder per subcommand. The tool's own exit codes are 2 for wrong usage, and 1 if it cannot do
//! what was asked. `run` passes on the codes of its ranks, see `run`.

mod cgroup;
mod color;
mod completions;
mod devices;
mod doctor;
mod facade;
mod failure;
#[cfg(test)]
#[path = "../../src/foreign_bytes/harness/mod.rs"]
mod harness;
mod info;
mod markup;
mod mpiexec;
mod output;
mod perf;
mod picture;
mod plan;
mod progress;
mod remote;
mod replay;
mod run;
mod simulate;
mod spelling;
mod status;
mod sys;
mod trace;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use color::Color;
use failure::{Failure, complain};

/// Starts and examines programs that use anyccl.
#[derive(Parser)]
#[command(name = "anyccl", version = anyccl_engine::base::VERSION, about, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  anyccl run -n 4 ./program --size 1000\n  anyccl info --json\n  anyccl status\n  \
    anyccl plan all_reduce --ranks 8 --bytes 1M"
)]
struct Arguments {
    /// When to colour what is written
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,

    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    Run(run::RunArguments),
    Perf(perf::PerfArguments),
    Info(info::InfoArguments),
    Doctor(doctor::DoctorArguments),
    Status(status::StatusArguments),
    Trace(trace::TraceArguments),
    Plan(plan::PlanArguments),
    Simulate(simulate::SimulateArguments),
    #[command(name = "p2p-matrix")]
    DeviceMatrix(devices::MatrixArguments),
    Completions(completions::CompletionsArguments),
    #[command(name = "man-pages")]
    ManPages(completions::ManPagesArguments),
    /// The launcher's agent on another host
    #[command(hide = true)]
    Agent,
    /// The pages of this host's processes, for `status` on another host
    #[command(hide = true)]
    StatusPages,
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if words.first().is_some_and(|name| mpiexec::is_meant(name)) {
        return exit(mpiexec::mpiexec(&words[1..]));
    }
    // The same where the file cannot have another name, as in a Python package.
    if words.get(1).is_some_and(|word| word == "mpiexec") {
        return exit(mpiexec::mpiexec(&words[2..]));
    }
    // For the parser's own messages.
    Color::in_words(&words).apply();
    let arguments = words::parse::<Arguments>(&words);
    arguments.color.apply();
    exit(match arguments.command {
        Subcommands::Run(arguments) => run::run(&arguments.completed()),
        Subcommands::Perf(arguments) => perf::perf(&arguments),
        Subcommands::Info(arguments) => info::info(&arguments),
        Subcommands::Doctor(arguments) => doctor::doctor(&arguments),
        Subcommands::Status(arguments) => status::status(&arguments),
        Subcommands::Trace(arguments) => trace::trace(&arguments),
        Subcommands::Plan(arguments) => plan::plan(&arguments),
        Subcommands::Simulate(arguments) => simulate::simulate(&arguments),
        Subcommands::DeviceMatrix(arguments) => devices::matrix(&arguments),
        Subcommands::Completions(arguments) => completions::completions(&arguments, Arguments::command()),
        Subcommands::ManPages(arguments) => completions::man_pages(&arguments, Arguments::command()),
        Subcommands::Agent => run::agent(),
        Subcommands::StatusPages => status::say_pages(),
    })
}

fn exit(outcome: Result<u8, Failure>) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            complain(&failure.text);
            ExitCode::from(failure.code)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn every_option_that_takes_a_number_judges_a_negative_one_itself() {
        let mut options = 0;
        for subcommand in Arguments::command().get_subcommands() {
            let names = subcommand.get_opts().filter(|option| option.get_action().takes_values());
            for option in names.filter_map(|option| option.get_long()) {
                let refusal = |value: &str| {
                    let words = ["anyccl", subcommand.get_name(), &format!("--{option}"), value];
                    Arguments::try_parse_from(words).err().map(|error| error.kind())
                };
                let is_value_refused = |value| refusal(value) == Some(ErrorKind::ValueValidation);
                // Otherwise its value is no number.
                if !is_value_refused("8") && is_value_refused("nothing") {
                    options += 1;
                    let name = subcommand.get_name();
                    assert!(is_value_refused("-2"), "{name} --{option}: {:?}", refusal("-2"));
                }
            }
        }
        assert!(options > 20, "{options}");
    }
}
