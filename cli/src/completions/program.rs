//! Completion of the program of `anyccl run`, and of its arguments.
//!
//! A program is a command of the PATH or a file, because `run` also starts a script that nobody made
//! executable. Its arguments are completed as the program itself says. `CommandWithArguments` of clap gives
//! zsh all of that but the files; clap_complete makes nothing of it for bash and fish.

use clap::Command;

/// Name of the subcommand that starts a program.
const RUN: &str = "run";

/// The generated text for zsh, which offers files beside commands.
pub fn for_zsh(generated: &str) -> String {
    generated.replace("_cmdambivalent", "{_cmdambivalent; (( CURRENT > 1 )) || _files}")
}

/// The function of bash, which takes over from the generated one.
pub fn for_bash(tool: &Command) -> String {
    include_str!("program.bash").replace("@OPTIONS@", &options_with_values(tool).join("|"))
}

/// The line for fish.
pub fn for_fish(tool: &Command) -> String {
    let options = options_with_values(tool).join(" ");
    // Two words come before the program: the tool and its subcommand.
    format!(
        "complete -c anyccl -n \"__fish_anyccl_using_subcommand {RUN}\" \
         -a \"(__fish_complete_subcommand --fcs-skip=2 {options})\"\n"
    )
}

/// The options of `run` whose next word is their value.
fn options_with_values(tool: &Command) -> Vec<String> {
    let run = tool.find_subcommand(RUN).expect("the tool starts programs");
    let options = run.get_opts().filter(|option| option.get_action().takes_values());
    options
        .flat_map(|option| {
            let long = option.get_long_and_visible_aliases().unwrap_or_default().into_iter();
            let short = option.get_short_and_visible_aliases().unwrap_or_default().into_iter();
            long.map(|name| format!("--{name}")).chain(short.map(|name| format!("-{name}")))
        })
        .collect()
}
