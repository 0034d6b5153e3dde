//! A table for people. Each line is written as soon as it was measured.

use std::io::{self, Write};

use super::matrix::Matrix;
use super::rows::{Header, PairRow, Report, Row, verdict};
use crate::perf::machines::Machine;
use crate::perf::noise::is_noisy;
use crate::perf::statistics::Summary;

/// The table report. It remembers the columns, to write their names when they change.
#[derive(Default)]
pub struct TextTable {
    columns: String,
    matrix: Option<Matrix>,
}

/// The lines with the header of the run.
pub fn title(header: &Header) -> String {
    let Header { anyccl, ranks, hosts, datatype, op, root, kernels, calls, .. } = header;
    let transports = header.transports_in_words();
    let memory = match header.way {
        None => String::new(),
        Some(_) => format!("; memory {}", header.memory_in_words()),
    };
    let machines: Vec<String> = header.machines.iter().map(Machine::words).collect();
    let mut text = format!(
        "# anyccl {anyccl}: ranks {ranks}; hosts {hosts}; transport {transports}; datatype {datatype}; op {op}; \
         root {root}; kernels {kernels}; {calls} calls{memory}\n# {}; {}",
        header.date,
        machines.join("; "),
    );
    for warning in &header.warnings {
        text += &format!("\n# warning: {warning}");
    }
    text
}

impl TextTable {
    fn columns(&mut self, columns: String, out: &mut dyn Write) -> io::Result<()> {
        if self.columns != columns {
            writeln!(out, "\n{columns}")?;
            self.columns = columns;
        }
        Ok(())
    }

    /// Writes one algorithm with all columns.
    fn one(&mut self, row: &Row, out: &mut dyn Write) -> io::Result<()> {
        let columns = format!(
            "# {}\n{:>12} {:>12} {:>5} {:>20} {:>13} {:>11} {:>12} {:>10} {:>10} {:>6}",
            row.collective,
            "bytes",
            "count",
            "place",
            "algorithm",
            "median us ",
            "min us",
            "p95 us",
            "alg GB/s",
            "bus GB/s",
            "check"
        );
        self.columns(columns, out)?;
        let time = row.time_us;
        writeln!(
            out,
            "{:>12} {:>12} {:>5} {:>20} {:>12.2}{} {:>11.2} {:>12.2} {:>10.3} {:>10.3} {:>6}",
            row.bytes,
            row.count,
            row.place(),
            row.algorithm,
            time.median,
            mark(&time),
            time.min,
            time.p95,
            row.algorithm_bandwidth_gb_s,
            row.bus_bandwidth_gb_s,
            verdict(row.correct),
        )
    }

    /// Writes the times of several algorithms side by side.
    fn side_by_side(&mut self, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
        let first = &rows[0];
        let mut columns = format!(
            "# {}: median us of each algorithm; * is what the library chooses\n{:>12} {:>12} {:>5}",
            first.collective, "bytes", "count", "place"
        );
        let width = |row: &Row| row.algorithm.len().max(12);
        for row in rows {
            columns += &format!(" {:>width$}  ", row.algorithm, width = width(row));
        }
        self.columns(columns + "  check", out)?;
        write!(out, "{:>12} {:>12} {:>5}", first.bytes, first.count, first.place())?;
        for row in rows {
            let time = row.time_us;
            let chosen = if row.chosen { '*' } else { ' ' };
            write!(out, " {:>width$.2}{chosen}{}", time.median, mark(&time), width = width(row))?;
        }
        let wrong = rows.iter().find(|row| row.correct == Some(false));
        writeln!(out, " {:>6}", verdict(wrong.unwrap_or(first).correct))
    }
}

impl Report for TextTable {
    fn header(&mut self, header: &Header, out: &mut dyn Write) -> io::Result<()> {
        self.matrix = header.is_matrix().then(|| Matrix::new(header.ranks));
        writeln!(out, "{}", title(header))
    }

    fn rows(&mut self, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
        match rows {
            [] => Ok(()),
            [row] => self.one(row, out),
            rows => self.side_by_side(rows, out),
        }
    }

    fn pair(&mut self, row: &PairRow, out: &mut dyn Write) -> io::Result<()> {
        if let Some(matrix) = &mut self.matrix {
            matrix.add(row);
            return Ok(());
        }
        let columns = format!(
            "{:>6} {:>6} {:>9} {:>12} {:>13} {:>11} {:>12} {:>10} {:>6}",
            "from", "to", "transport", "bytes", "latency us ", "min us", "p95 us", "GB/s", "check"
        );
        self.columns(columns, out)?;
        let PairRow { from, to, transport, bytes, bandwidth_gb_s, .. } = row;
        let time = row.latency_us;
        write!(
            out,
            "{from:>6} {to:>6} {transport:>9} {bytes:>12} {:>12.2}{} {:>11.2} ",
            time.median,
            mark(&time),
            time.min
        )?;
        writeln!(out, "{:>12.2} {bandwidth_gb_s:>10.3} {:>6}", time.p95, verdict(row.correct))
    }

    fn end(&mut self, noise: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(matrix) = &self.matrix {
            write_matrix(matrix, out)?;
        }
        noise.map_or(Ok(()), |noise| writeln!(out, "\n# warning: {noise}; ~ marks them"))
    }
}

fn write_matrix(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    for values in [matrix.latency(), matrix.bandwidth()] {
        writeln!(out, "\n# {}; rows send, columns receive", values.title)?;
        write!(out, "{:>6}", "")?;
        (0..matrix.ranks()).try_for_each(|to| write!(out, " {to:>9}"))?;
        writeln!(out)?;
        for from in 0..matrix.ranks() {
            write!(out, "{from:>6}")?;
            for to in 0..matrix.ranks() {
                match values.get(from, to) {
                    Some(value) => write!(out, " {value:>9.2}")?,
                    None => write!(out, " {:>9}", "-")?,
                }
            }
            writeln!(out)?;
        }
    }
    writeln!(out, "\n# check: {}", verdict(matrix.correct()))
}

/// A mark where repeats disagree.
fn mark(time: &Summary) -> char {
    if is_noisy(time.disagreement) { '~' } else { ' ' }
}
