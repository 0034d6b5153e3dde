//! Comma-separated values: the header as a comment, one line of names, one line per measurement.
//!
//! No value contains a comma or a quote, so nothing needs quoting.

use std::io::{self, Write};

use super::rows::{Header, PairRow, Report, Row, verdict};

const ROW_NAMES: &str = "collective,algorithm,chosen,in_place,bytes,count,calls,samples,median_us,min_us,p95_us,\
                         algorithm_bandwidth_gb_s,bus_bandwidth_gb_s,check";
const PAIR_NAMES: &str = "from,to,transport,bytes,calls,samples,latency_median_us,latency_min_us,latency_p95_us,\
                          bandwidth_gb_s,check";

/// The CSV report. It remembers whether the names were written; a run has either rows or pairs.
#[derive(Default)]
pub struct Csv {
    named: bool,
}

impl Csv {
    fn names(&mut self, names: &str, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.named, true) { Ok(()) } else { writeln!(out, "{names}") }
    }
}

impl Report for Csv {
    fn header(&mut self, header: &Header, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", super::table::title(header))
    }

    fn rows(&mut self, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
        self.names(ROW_NAMES, out)?;
        for row in rows {
            let Row { collective, algorithm, chosen, in_place, bytes, count, calls, samples, .. } = row;
            let time = row.time_us;
            write!(out, "{collective},{algorithm},{chosen},{in_place},{bytes},{count},{calls},{samples},")?;
            write!(out, "{:.4},{:.4},{:.4},", time.median, time.min, time.p95)?;
            write!(out, "{:.6},{:.6},", row.algorithm_bandwidth_gb_s, row.bus_bandwidth_gb_s)?;
            writeln!(out, "{}", verdict(row.correct))?;
        }
        Ok(())
    }

    fn pair(&mut self, row: &PairRow, out: &mut dyn Write) -> io::Result<()> {
        self.names(PAIR_NAMES, out)?;
        let PairRow { from, to, transport, bytes, calls, samples, bandwidth_gb_s, .. } = row;
        let time = row.latency_us;
        write!(
            out,
            "{from},{to},{transport},{bytes},{calls},{samples},{:.4},{:.4},{:.4},",
            time.median, time.min, time.p95
        )?;
        writeln!(out, "{bandwidth_gb_s:.6},{}", verdict(row.correct))
    }

    fn end(&mut self, _: Option<&str>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
