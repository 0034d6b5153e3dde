//! Man pages: of the tool and its subcommands, from the definition of the command line; of `anyccl-mpiexec`
//! and `anyccl-mpicc`, from their help.
//!
//! clap_mangen puts the text behind a help into one section, EXTRA, with its lines joined. Here each
//! paragraph has its section, and examples keep their lines.

use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::mpiexec;

/// The compiler's wrapper, whose comment is its help.
const MPICC: &str = include_str!("../../wrappers/anyccl-mpicc");

/// All pages, each with the name of its file.
pub fn pages(tool: Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut tool = tool.disable_help_subcommand(true);
    tool.build();
    let mut pages = vec![
        ("anyccl-mpiexec.1".into(), plain("anyccl-mpiexec", mpiexec::HELP)?),
        ("anyccl-mpicc.1".into(), plain("anyccl-mpicc", &comment(MPICC))?),
        ("anyccl-mpicxx.1".into(), b".so man1/anyccl-mpicc.1\n".to_vec()),
        ("anyccl-mpifort.1".into(), b".so man1/anyccl-mpicc.1\n".to_vec()),
    ];
    for command in tool.get_subcommands().filter(|command| !command.is_hide_set()).chain([&tool]) {
        let text = command.get_after_long_help().or(command.get_after_help());
        let text = text.map(ToString::to_string).unwrap_or_default();
        let none = None::<&'static str>;
        let man = Man::new(command.clone().after_help(none).after_long_help(none));
        let mut page = Vec::new();
        man.render(&mut page)?;
        let mut rest = Roff::new();
        text.split("\n\n").for_each(|paragraph| section(&mut rest, "NOTES", paragraph));
        rest.to_writer(&mut page)?;
        pages.push((man.get_filename(), page));
    }
    Ok(pages)
}

/// A page from a text: its first line, a line of usage perhaps, and paragraphs whose lines stay as they are.
fn plain(name: &str, text: &str) -> io::Result<Vec<u8>> {
    let mut page = Roff::new();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    page.control("TH", [name, "1"]);
    page.control("SH", ["NAME"]).text([roman(format!("{name} - {first}"))]);
    let mut heading = "DESCRIPTION";
    for paragraph in rest.trim().split("\n\n") {
        match paragraph.strip_prefix("Usage: ") {
            Some(usage) => drop(page.control("SH", ["SYNOPSIS"]).text([roman(usage)])),
            None => section(&mut page, heading, paragraph),
        }
        // Further paragraphs belong to the same section.
        heading = if paragraph.starts_with("Usage: ") { heading } else { "" };
    }
    let mut bytes = Vec::new();
    page.to_writer(&mut bytes)?;
    Ok(bytes)
}

/// Adds a paragraph. Its beginning says which section it is; another one goes to `heading`.
fn section(page: &mut Roff, heading: &str, paragraph: &str) {
    let known = [("Examples:", "EXAMPLES"), ("Example:", "EXAMPLES"), ("Exit code:", "EXIT STATUS")];
    let found = known.iter().find_map(|(start, name)| Some((paragraph.strip_prefix(start)?, *name)));
    let (text, heading) = found.unwrap_or((paragraph, heading));
    if heading.is_empty() {
        page.control("PP", []);
    } else {
        page.control("SH", [heading]);
    }
    let is_prose = text.lines().all(|line| !line.starts_with("  "));
    if !is_prose {
        page.control("nf", []);
    }
    let text = text.trim_matches('\n');
    page.text([roman(if is_prose { text.trim_start() } else { text })]);
    if !is_prose {
        page.control("fi", []);
    }
}

/// The comment at the beginning of a script, without its first line.
fn comment(script: &str) -> String {
    let lines = script.lines().skip(1).map_while(|line| line.strip_prefix('#'));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_have_their_sections_and_examples_keep_their_lines() {
        let mut page = Roff::new();
        section(&mut page, "NOTES", "Examples:\n  tool one\n  tool two");
        section(&mut page, "NOTES", "Exit code: 0, or\n1.");
        section(&mut page, "NOTES", "Each rank.");
        let text = page.to_roff();
        let wanted = ".SH EXAMPLES\n.nf\n  tool one\n  tool two\n.fi\n.SH \"EXIT STATUS\"\n0, or\n1.\n.SH NOTES\nEach rank.";
        assert!(text.contains(wanted), "{text}");
    }
}
