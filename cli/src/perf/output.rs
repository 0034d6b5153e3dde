//! What the user sees: the report on standard output, written as it grows, and a progress bar on standard error.
//!
//! Only rank 0 reports; every rank may complain. The bar shows on a terminal only; `anyccl run` passes on whole
//! lines, so under `-n` there is none.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::arguments::PerfArguments;
use super::report::{Csv, Header, Json, PairRow, Report, Row, Table};
use crate::Failure;

/// Report and progress.
pub struct Output {
    /// `None` on ranks that do not report.
    report: Option<Box<dyn Report>>,
    bar: ProgressBar,
}

type Written = Result<(), Failure>;

impl Output {
    /// In the form that the user wants; silent on ranks that do not speak.
    pub fn new(arguments: &PerfArguments, speaks: bool) -> Output {
        let report = || -> Box<dyn Report> {
            match (arguments.json, arguments.csv) {
                (true, _) => Box::new(Json::default()),
                (_, true) => Box::new(Csv::default()),
                _ => Box::new(Table::default()),
            }
        };
        Output { report: speaks.then(report), bar: ProgressBar::hidden() }
    }

    /// What is common to all that follows.
    pub fn header(&mut self, header: &Header) -> Written {
        self.write(|report, out| report.header(header, out))
    }

    /// `steps` measurements of `what` follow.
    pub fn begin(&mut self, what: &str, steps: usize) {
        self.bar.finish_and_clear();
        if self.report.is_none() {
            return;
        }
        self.bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
        self.bar.set_style(style.expect("the template is well formed"));
        self.bar.set_message(what.to_string());
    }

    /// One of them is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Measurements of one call, one for each algorithm.
    pub fn rows(&mut self, rows: &[Row]) -> Written {
        self.write(|report, out| report.rows(rows, out))
    }

    /// Measurements of one pair of ranks.
    pub fn pair(&mut self, row: &PairRow) -> Written {
        self.write(|report, out| report.pair(row, out))
    }

    /// Says on standard error what is wrong.
    pub fn complain(&self, text: &str) {
        // Not eprintln: a closed standard error is no reason to panic.
        self.bar.suspend(|| drop(writeln!(io::stderr(), "anyccl: error: {text}")));
    }

    /// Nothing follows.
    pub fn end(mut self) -> Written {
        self.bar.finish_and_clear();
        self.write(|report, out| report.end(out))
    }

    fn write(&mut self, what: impl FnOnce(&mut dyn Report, &mut dyn Write) -> io::Result<()>) -> Written {
        let Output { report: Some(report), bar } = self else {
            return Ok(());
        };
        let mut text = Vec::new();
        let written = what(report.as_mut(), &mut text).and_then(|()| {
            bar.suspend(|| {
                let mut out = io::stdout().lock();
                out.write_all(&text)?;
                out.flush()
            })
        });
        written.map_err(|error| Failure::own(format_args!("cannot write the report: {error}")))
    }
}
