//! The command line without what its help hides. clap's generators would show that.

use anyccl_engine::base::VERSION;
use clap::{Arg, Command};

/// The command line `tool` without its hidden subcommands and options.
pub fn visible(tool: &Command, name: &'static str) -> Command {
    let subcommands = tool.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    let shown = subcommands.map(|subcommand| match subcommand.get_arguments().any(Arg::is_hide_set) {
        true => without_hidden_options(subcommand),
        false => subcommand.clone(),
    });
    Command::new(name).version(VERSION).args(shown_arguments(tool)).subcommands(shown)
}

/// A subcommand, which has no subcommands itself, made anew: clap has no way to take an option away.
fn without_hidden_options(subcommand: &Command) -> Command {
    // clap keeps only names that live as long as the process, which ends soon.
    let name: &'static str = subcommand.get_name().to_string().leak();
    let about = subcommand.get_about().cloned().unwrap_or_default();
    Command::new(name).about(about).args(shown_arguments(subcommand))
}

fn shown_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_hide_set())
}
