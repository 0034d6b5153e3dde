//! The options as they are written: one dash or two, with the value in the next word or behind `=`.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::placement::{Slots, read_file, read_list};
use crate::facade::StandIn;
use crate::run::{Bind, number_of_gpus, seconds};

/// The request that the words make.
pub enum Asked {
    /// The help.
    Help,
    /// The version.
    Version,
    /// A job.
    Job(Options),
}

/// A program and its ranks.
#[derive(Default)]
pub struct Program {
    /// Number of ranks.
    pub ranks: Option<u32>,
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// Variables for these ranks.
    pub environment: Vec<(String, String)>,
    /// The folder in which they start.
    pub folder: Option<PathBuf>,
}

/// A job.
pub struct Options {
    /// The programs.
    pub parts: Vec<Program>,
    /// Variables for all ranks.
    pub environment: Vec<(String, String)>,
    /// The hosts, if any are named.
    pub hosts: Option<Vec<Slots>>,
    /// How to reach another host.
    pub launcher: Option<String>,
    pub bind: Bind,
    pub prepends_rank: bool,
    pub keep_going: bool,
    pub timeout: Option<Duration>,
    /// The library that anyccl stands in for.
    pub stand_in: Option<StandIn>,
    /// Whether nobody has named that library.
    pub facade_is_implied: bool,
    /// Number of GPUs that do not exist.
    pub fake_gpus: Option<u32>,
}

/// Options of other launchers that have no effect here.
const WITHOUT_EFFECT: [&str; 10] = [
    "envall",
    "genvall",
    "exitinfo",
    "oversubscribe",
    "allow-run-as-root",
    "verbose",
    "v",
    "q",
    "quiet",
    "enable-auto-cleanup",
];

/// Parses the words behind the name of the tool. An error is a sentence.
pub fn read(words: &[OsString]) -> Result<Asked, String> {
    let mut options = Options {
        parts: Vec::new(),
        environment: Vec::new(),
        hosts: None,
        launcher: None,
        bind: Bind::Core,
        prepends_rank: false,
        keep_going: false,
        timeout: None,
        stand_in: Some(StandIn::Mpi),
        facade_is_implied: true,
        fake_gpus: None,
    };
    let mut per_host = None;
    for words in words.split(|word| word == ":") {
        let mut part = Program::default();
        let mut words = Words { rest: words, option: String::new(), attached: None };
        while let Some(name) = words.next_option() {
            match name.as_str() {
                "h" | "help" | "?" => return Ok(Asked::Help),
                "V" | "version" => return Ok(Asked::Version),
                "ppn" | "perhost" => per_host = Some(words.number()?),
                name => options.take(name, &mut part, &mut words)?,
            }
        }
        part.command = words.rest.to_vec();
        if part.command.is_empty() {
            return Err("a program is missing".into());
        }
        options.parts.push(part);
    }
    for slots in options.hosts.iter_mut().flatten() {
        slots.ranks = slots.ranks.or(per_host);
    }
    Ok(Asked::Job(options))
}

impl Options {
    /// Takes in an option for the whole job, or for the program `part`.
    fn take(&mut self, name: &str, part: &mut Program, words: &mut Words) -> Result<(), String> {
        match name {
            "n" | "np" | "c" => part.ranks = Some(words.number()?),
            "env" => part.environment.push((words.value()?, words.next_word()?)),
            "genv" => self.environment.push((words.value()?, words.next_word()?)),
            "x" => part.environment.push(words.variable()?),
            "wdir" | "wd" => part.folder = Some(words.value()?.into()),
            "host" | "hosts" | "H" => self.hosts = Some(read_list(&words.value()?)?),
            "hostfile" | "f" | "machinefile" | "machine" => {
                let file = words.value()?;
                let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
                self.hosts = Some(read_file(&text).map_err(|error| format!("{file}: {error}"))?);
            }
            "l" | "prepend-rank" | "tag-output" => self.prepends_rank = true,
            "disable-auto-cleanup" => self.keep_going = true,
            "timeout" => self.timeout = Some(seconds(&words.value()?)?),
            "fake-gpu" => {
                let number = number_of_gpus(&words.value()?);
                self.fake_gpus = Some(number.map_err(|error| format!("-fake-gpu: {error}"))?);
            }
            "launcher" => self.launcher = Some(words.value()?).filter(|name| name != "fork"),
            "bind-to" => self.bind = if words.value()? == "none" { Bind::None } else { Bind::Core },
            "as" => {
                self.facade_is_implied = false;
                self.stand_in = match words.value()?.as_str() {
                    "mpi" => Some(StandIn::Mpi),
                    "nccl" => Some(StandIn::Nccl),
                    "none" => None,
                    other => return Err(format!("-as {other}: expected mpi, nccl or none")),
                };
            }
            name if WITHOUT_EFFECT.contains(&name) => {}
            _ => return Err(format!("unknown option {}", words.option)),
        }
        Ok(())
    }
}

/// The words that have not been read yet.
struct Words<'a> {
    rest: &'a [OsString],
    /// The option that is being read, in the form in which it was written.
    option: String,
    /// Its value, if that was written behind `=`.
    attached: Option<String>,
}

impl Words<'_> {
    /// The name of the next option, without dashes. `None`: the program comes next.
    fn next_option(&mut self) -> Option<String> {
        let (first, rest) = self.rest.split_first()?;
        let word = first.to_str().filter(|word| word.starts_with('-'))?;
        self.rest = rest;
        if word == "--" {
            return None;
        }
        let name = word.trim_start_matches('-');
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (name, None),
        };
        self.option = word.to_string();
        self.attached = value;
        Some(name.to_string())
    }

    /// The value of the option.
    fn value(&mut self) -> Result<String, String> {
        match self.attached.take() {
            Some(value) => Ok(value),
            None => self.next_word(),
        }
    }

    fn next_word(&mut self) -> Result<String, String> {
        let missing = || format!("{}: a value is missing", self.option);
        let (first, rest) = self.rest.split_first().ok_or_else(missing)?;
        self.rest = rest;
        first.to_str().map(str::to_string).ok_or_else(|| format!("{}: only UTF-8 is read", self.option))
    }

    fn number(&mut self) -> Result<u32, String> {
        let text = self.value()?;
        let number = text.parse().ok().filter(|number| (1..=65536).contains(number));
        number.ok_or_else(|| format!("{} {text}: expected a whole number from 1 to 65536", self.option))
    }

    /// `NAME=VALUE`, or the name of a variable of this process.
    fn variable(&mut self) -> Result<(String, String), String> {
        let text = self.value()?;
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
            Some(_) => Err(format!("-x {text}: expected NAME or NAME=VALUE")),
            None => {
                let value = std::env::var(&text).map_err(|_| format!("-x {text}: {text} is not set here"))?;
                Ok((text, value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn options(line: &str) -> Result<Options, String> {
        match read(&words(line))? {
            Asked::Job(options) => Ok(options),
            _ => Err("no job".into()),
        }
    }

    #[test]
    fn options_end_at_the_program_and_may_have_two_dashes_or_an_equals_sign() {
        for line in ["-n 2 -l ./a -n 3", "--np=2 --prepend-rank -- ./a -n 3"] {
            let options = options(line).unwrap();
            assert_eq!(options.parts[0].ranks, Some(2), "{line}");
            assert_eq!(options.parts[0].command, words("./a -n 3"), "{line}");
            assert!(options.prepends_rank, "{line}");
        }
    }

    #[test]
    fn the_error_names_the_invalid_option() {
        for (line, part) in [
            ("-n x ./a", "-n x"),
            ("-n 0 ./a", "whole number"),
            ("-nonsense ./a", "-nonsense"),
            ("-n 2", "program is missing"),
            ("./a :", "program is missing"),
            ("-n", "value is missing"),
            ("-x NO_SUCH_VARIABLE_HERE ./a", "not set"),
            ("-hostfile /no/such/file ./a", "/no/such/file"),
            ("-as gui ./a", "expected mpi"),
            ("-fake-gpu 65 ./a", "from 1 to 64"),
        ] {
            let error = options(line).err().unwrap();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn help_and_version_need_no_program() {
        for line in ["-help", "--help", "-n 2 -h"] {
            assert!(matches!(read(&words(line)), Ok(Asked::Help)), "{line}");
        }
        assert!(matches!(read(&words("--version")), Ok(Asked::Version)));
    }

    #[test]
    fn ranks_per_host_fill_hosts_without_a_number() {
        let hosts = options("-hosts a,b:1 -ppn 3 ./a").unwrap().hosts.unwrap();
        assert_eq!(hosts.iter().map(|slots| slots.ranks).collect::<Vec<_>>(), [Some(3), Some(1)]);
    }
}
