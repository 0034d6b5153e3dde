//! `anyccl completions SHELL` and `anyccl man-pages FOLDER`: what a shell and `man` know of this tool.
//!
//! Both are made from the definition of the command line, so they cannot be out of date. `make install` runs
//! the tool that it has built, and installs the results.
//!
//! [`pages`] makes the man pages. Three things differ from what clap_complete makes. Hidden subcommands and
//! options are left out ([`visible`]). fish learns which words stand without an option; else it would offer
//! files there. The program of `anyccl run` is completed ([`program`]).

mod pages;
mod program;
mod visible;

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::generate;

use crate::failure::Failure;
use crate::output::{say, write};

/// The name under which shells know the tool.
const NAME: &str = "anyccl";

/// A shell.
#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    /// bash, with its package bash-completion
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// Print the completion of this tool for a shell
///
/// The shell then completes subcommands, options and their values. `make install` and the packages install
/// these files; this command is for other shells' folders, and for tools that were only copied.
#[derive(Args)]
#[command(after_help = "Examples:\n  source <(anyccl completions bash)\n  \
    anyccl completions zsh > ~/.zfunc/_anyccl\n  \
    anyccl completions fish > ~/.config/fish/completions/anyccl.fish")]
pub struct CompletionsArguments {
    /// Shell that reads it
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completion for the command line `tool`.
pub fn completions(arguments: &CompletionsArguments, tool: Command) -> Result<u8, Failure> {
    let mut tool = visible::visible(&tool, NAME);
    let shell = match arguments.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut text = Vec::new();
    generate(shell, &mut tool, NAME, &mut text);
    let generated = String::from_utf8(text).map_err(Failure::own)?;
    say(&match arguments.shell {
        Shell::Bash => generated + &program::for_bash(&tool),
        Shell::Zsh => program::for_zsh(&generated),
        Shell::Fish => generated + &words_for_fish(&tool) + &program::for_fish(&tool),
    })
}

/// Lines for fish, which offer the values of arguments without an option.
fn words_for_fish(tool: &Command) -> String {
    let mut text = String::new();
    for subcommand in tool.get_subcommands() {
        for argument in subcommand.get_positionals() {
            for value in argument.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
                let help = value.get_help().map(ToString::to_string).unwrap_or_default();
                // In single quotes, fish knows these two escapes and no other.
                let help = help.replace('\\', "\\\\").replace('\'', "\\'");
                let _ = writeln!(
                    text,
                    "complete -c {NAME} -n \"__fish_{NAME}_using_subcommand {}\" -f -a {} -d '{help}'",
                    subcommand.get_name(),
                    value.get_name(),
                );
            }
        }
    }
    text
}

/// Write the man pages of this tool and its subcommands into a folder
///
/// `make install` and the packages install these pages.
#[derive(Args)]
#[command(after_help = "Example:\n  anyccl man-pages ~/.local/share/man/man1")]
pub struct ManPagesArguments {
    /// Folder for anyccl.1, anyccl-run.1 and others; it is created when missing
    folder: PathBuf,
}

/// Writes a page for the command line `tool`, for each of its subcommands, and for the other commands.
pub fn man_pages(arguments: &ManPagesArguments, tool: Command) -> Result<u8, Failure> {
    let folder = &arguments.folder;
    let made = std::fs::create_dir_all(folder).and_then(|()| pages::pages(tool));
    let pages = made.map_err(|error| {
        Failure::own(format_args!("cannot write man pages to {}: {error}", folder.display()))
    })?;
    pages.into_iter().try_for_each(|(name, page)| write(&folder.join(name), page))?;
    Ok(0)
}
