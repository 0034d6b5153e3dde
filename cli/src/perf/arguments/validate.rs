//! Refuses requests that cannot be measured, before anything is started or joined.

use anyccl_engine::algo;
use anyccl_engine::base::{Collective, ReduceOp};

use super::PerfArguments;
use super::words::{EVERY_ALGORITHM, Target, What, listed};
use crate::failure::Failure;
use crate::perf::page;
use crate::picture::Format;
use crate::spelling;

impl PerfArguments {
    /// Refuses a request that cannot be measured by `size` ranks. `None`: by any number, while it is unknown.
    pub fn validate(&self, size: Option<u32>) -> Result<(), Failure> {
        if self.min_bytes > self.max_bytes {
            let (min, max) = (self.min_bytes, self.max_bytes);
            return Err(usage(format!("--min-bytes {min} is above --max-bytes {max}")));
        }
        if self.json == Some(Target::Stdout) && self.csv == Some(Target::Stdout) {
            return Err(usage("--json and --csv cannot both go to standard output".into()));
        }
        if let Some(path) = &self.plot {
            Format::of(path).map_err(usage)?;
        }
        if let Some(path) = &self.html {
            page::check_name(path).map_err(usage)?;
        }
        match (&self.plot, self.what) {
            (Some(_), Some(What::Collective(Collective::Barrier))) => {
                return Err(usage("a barrier has no sizes: there is nothing to --plot".into()));
            }
            (Some(_), Some(What::SendRecv)) if self.max_bytes == 0 => {
                return Err(usage("messages of 0 bytes have no place on the axes of --plot".into()));
            }
            _ => {}
        }
        self.validate_operator()?;
        self.validate_algorithms()?;
        match (size, self.what) {
            (Some(1), Some(What::SendRecv | What::Matrix)) => {
                Err(usage("point to point needs at least 2 ranks".into()))
            }
            (Some(1), None) if self.tune.is_some() => Err(usage("--tune needs at least 2 ranks".into())),
            (Some(size), _) if self.root >= size => {
                Err(usage(format!("--root {} is not below the number of ranks, {size}", self.root)))
            }
            _ => Ok(()),
        }
    }

    fn validate_operator(&self) -> Result<(), Failure> {
        let reduces = self.collectives().iter().any(|c| c.reduces());
        if !reduces || self.op.accepts(self.datatype) {
            return Ok(());
        }
        let known = ReduceOp::ALL.into_iter().filter(|op| op.accepts(self.datatype));
        let known = listed(known.map(ReduceOp::name));
        let (op, datatype) = (self.op.name(), self.datatype.name());
        Err(usage(format!("--op {op} is not defined on {datatype}; there are {known}")))
    }

    fn validate_algorithms(&self) -> Result<(), Failure> {
        let Some(names) = &self.algorithms else { return Ok(()) };
        let everything = names.iter().any(|name| name == EVERY_ALGORITHM);
        match self.what {
            None | Some(What::SendRecv | What::Matrix) => {
                Err(usage("--algorithms is for collectives".into()))
            }
            Some(What::All) if !everything => {
                Err(usage("with \"all\" collectives, --algorithms can only be all".into()))
            }
            Some(What::Collective(collective)) => {
                let unknown =
                    |name: &&String| *name != EVERY_ALGORITHM && algo::find(collective, name).is_none();
                let Some(name) = names.iter().find(unknown) else { return Ok(()) };
                let names = || algo::of(collective).map(|row| row.name);
                let (known, question) = (listed(names()), spelling::did_you_mean(name, names()));
                let collective = collective.name();
                Err(usage(format!(
                    "{collective} has no algorithm \"{name}\"; there are {known}, or all{question}"
                )))
            }
            Some(What::All) => Ok(()),
        }
    }
}

fn usage(text: String) -> Failure {
    Failure { code: 2, text }
}
