//! The sections of `anyccl info`, by the names that they have on the command line and as JSON keys.

use clap::ValueEnum;

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Section {
    /// Where anyccl_init would find its job
    Job,
    /// Processor, reduction kernels, usable cores
    Processor,
    /// Network interfaces, and which of them TCP would use
    Network,
    /// Transports, and whether each works here
    Transports,
    /// Libraries that take the place of NCCL and MPI
    #[value(alias = "stand-in")]
    Facades,
    /// Memory and links of GPUs
    Gpus,
    /// Engines of others that were found
    Backends,
    /// Algorithms of each collective
    #[value(alias = "algorithms")]
    Collectives,
    /// Operators that each datatype accepts
    #[value(alias = "operators")]
    Datatypes,
    /// Environment variables with their values
    #[value(alias = "environment")]
    Variables,
}

/// The sections that the user wants.
pub struct Wanted<'a>(pub &'a [Section]);

impl Wanted<'_> {
    /// Whether this section is one of them. Without any name, all are.
    pub fn has(&self, section: Section) -> bool {
        self.0.is_empty() || self.0.contains(&section)
    }

    /// What `collect` finds, if the section is wanted.
    pub fn then<T>(&self, section: Section, collect: impl FnOnce() -> T) -> Option<T> {
        self.has(section).then(collect)
    }
}
