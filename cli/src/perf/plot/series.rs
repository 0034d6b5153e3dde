//! The contents of a picture of lines, before it is drawn.

use crate::perf::report::{PairRow, Row};

/// One line: a name, and points in the order of their size.
#[derive(Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Sizes in bytes, and the measured values.
    pub points: Vec<(f64, f64)>,
}

/// Lines over the same sizes.
pub struct Panel {
    /// The measured quantity, with its unit.
    pub quantity: &'static str,
    /// The lines.
    pub series: Vec<Series>,
}

/// Time above, bandwidth below; both have the same lines in the same order.
pub struct Figure {
    /// Title above both panels.
    pub title: String,
    /// The two panels.
    pub panels: [Panel; 2],
}

impl Figure {
    /// The figure of collectives.
    pub fn of_rows(common: &str, rows: &[Row]) -> Figure {
        let one = |key: fn(&Row) -> String| rows.iter().all(|row| key(row) == key(&rows[0]));
        let one_collective = one(|row| row.collective.into());
        let one_place = one(|row| row.in_place.to_string());
        // If the library chooses, a line goes on when its choice changes.
        let several = rows.iter().any(|row| !row.chosen) && !rows.is_empty();
        let name = |row: &Row| {
            let mut words = Vec::new();
            if !one_collective || !several {
                words.push(row.collective);
            }
            if several {
                words.push(row.algorithm);
            }
            if !one_place {
                words.push(if row.in_place { "in place" } else { "out of place" });
            }
            words.join(" ")
        };
        let (mut times, mut bandwidths) = (Vec::new(), Vec::new());
        for row in rows {
            add(&mut times, name(row), row.bytes, row.time_us.median);
            add(&mut bandwidths, name(row), row.bytes, row.bus_bandwidth_gb_s);
        }
        let title = match rows.first() {
            Some(row) if one_collective => format!("{}: {common}", row.collective),
            _ => common.to_string(),
        };
        Figure::new(title, times, bandwidths, "bus bandwidth, GB/s")
    }

    /// The figure of transfers.
    pub fn of_pairs(common: &str, pairs: &[PairRow]) -> Figure {
        let (mut times, mut bandwidths) = (Vec::new(), Vec::new());
        for row in pairs {
            let name = || format!("{} to {} ({})", row.from, row.to, row.transport);
            add(&mut times, name(), row.bytes, row.latency_us.median);
            add(&mut bandwidths, name(), row.bytes, row.bandwidth_gb_s);
        }
        Figure::new(format!("send_recv: {common}"), times, bandwidths, "bandwidth, GB/s")
    }

    fn new(title: String, times: Vec<Series>, bandwidths: Vec<Series>, bandwidth: &'static str) -> Figure {
        let panels = [
            Panel { quantity: "median time, us", series: times },
            Panel { quantity: bandwidth, series: bandwidths },
        ];
        Figure { title, panels }
    }
}

/// Adds a point to the line of this name. A logarithmic scale has no place for zero. So a barrier, which has
/// no bytes, gets no line; a single rank, which has no bandwidth, gets a line without points.
fn add(series: &mut Vec<Series>, name: String, bytes: u64, value: f64) {
    if bytes == 0 {
        return;
    }
    let at = series.iter().position(|line| line.name == name).unwrap_or_else(|| {
        series.push(Series { name, points: Vec::new() });
        series.len() - 1
    });
    if value > 0.0 {
        series[at].points.push((bytes as f64, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::statistics::Summary;

    fn row(collective: &'static str, algorithm: &'static str, bytes: u64, chosen: bool) -> Row {
        Row {
            collective,
            algorithm,
            chosen,
            in_place: false,
            bytes,
            count: 1,
            calls: 1,
            samples: 1,
            time_us: Summary::of(&[2.0]),
            algorithm_bandwidth_gb_s: 1.0,
            bus_bandwidth_gb_s: 0.0,
            correct: None,
        }
    }

    fn names(rows: &[Row]) -> Vec<String> {
        Figure::of_rows("here", rows).panels[0].series.iter().map(|line| line.name.clone()).collect()
    }

    #[test]
    fn each_algorithm_is_a_line_but_the_librarys_choice_is_one_line() {
        let compared = [row("reduce", "chain", 8, true), row("reduce", "binomial", 8, false)];
        assert_eq!(names(&compared), ["chain", "binomial"]);
        let chosen = [row("reduce", "binomial", 8, true), row("reduce", "chain", 64, true)];
        assert_eq!(names(&chosen), ["reduce"]);
        let all = [row("reduce", "binomial", 8, true), row("gather", "binomial", 8, true)];
        assert_eq!(names(&all), ["reduce", "gather"]);
        let mut places = [row("reduce", "chain", 8, true), row("reduce", "chain", 8, true)];
        places[1].in_place = true;
        assert_eq!(names(&places), ["reduce out of place", "reduce in place"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn zeros_are_left_out_of_a_logarithmic_scale() {
        let figure =
            Figure::of_rows("here", &[row("barrier", "chain", 0, true), row("reduce", "chain", 8, true)]);
        let [times, bandwidths] = &figure.panels;
        let reduce = |points: &[_]| vec![Series { name: "reduce".into(), points: points.to_vec() }];
        assert_eq!(times.series, reduce(&[(8.0, 2.0)]));
        assert_eq!(bandwidths.series, reduce(&[]));
    }
}
