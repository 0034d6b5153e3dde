//! Makes figures of measurements: which lines there are, what they are called, and which lie together.

use crate::perf::report::{PairRow, Row};
use crate::perf::statistics::Summary;
use crate::picture::{Figure, Group, Point, Series, Spread};

/// The figure of collectives.
pub fn of_rows(rows: &[Row]) -> Figure {
    let one = |key: fn(&Row) -> String| rows.iter().all(|row| key(row) == key(&rows[0]));
    let one_collective = one(|row| row.collective.into());
    let one_place = one(|row| row.in_place.to_string());
    // If the library chooses, a line goes on when its choice changes.
    let compared = rows.iter().any(|row| !row.chosen);
    let mut lines = Lines::default();
    for row in rows {
        let mut words = vec![if compared { row.algorithm } else { row.collective }];
        if !one_place {
            words.push(if row.in_place { "in place" } else { "out of place" });
        }
        // Algorithms of different collectives have nothing in common.
        let group = if compared && !one_collective { row.collective } else { "" };
        let time = spread(row.time_us);
        let bytes_per_bandwidth = row.bus_bandwidth_gb_s * 1e9 * time.value;
        let bandwidth = (bytes_per_bandwidth > 0.0).then(|| time.rate_of(bytes_per_bandwidth));
        let point = Point { bytes: row.bytes as f64, time, bandwidth, chosen: compared && row.chosen };
        lines.add(group, words.join(" "), point);
    }
    lines.figure(["median time", "bus bandwidth"])
}

/// The figure of transfers.
pub fn of_pairs(pairs: &[PairRow]) -> Figure {
    let mut lines = Lines::default();
    for row in pairs {
        let name = format!("{} to {} ({})", row.from, row.to, row.transport);
        let bandwidth = (row.bytes > 0).then(|| spread(row.stream_us).rate_of(row.bytes as f64));
        let time = spread(row.latency_us);
        lines.add("", name, Point { bytes: row.bytes as f64, time, bandwidth, chosen: false });
    }
    lines.figure(["median time of half a round trip", "bandwidth"])
}

/// Seconds.
fn spread(time_us: Summary) -> Spread {
    let Summary { median, min, p95, .. } = time_us.times(1e-6);
    Spread { low: min, value: median, high: p95 }
}

/// Groups and lines, in the order of their first points.
#[derive(Default)]
struct Lines {
    groups: Vec<Group>,
}

impl Lines {
    /// Adds a point. A logarithmic scale has no place for zero, so a barrier, which has no bytes, gets no
    /// line.
    fn add(&mut self, group: &str, name: String, point: Point) {
        if point.bytes <= 0.0 || point.time.low <= 0.0 {
            return;
        }
        let group = find(
            &mut self.groups,
            |known| known.title == group,
            || Group { title: group.to_string(), series: Vec::new() },
        );
        let is_this = |line: &Series| line.name == name;
        let line = find(&mut group.series, is_this, || Series { name: name.clone(), points: Vec::new() });
        line.points.push(point);
    }

    fn figure(self, quantities: [&'static str; 2]) -> Figure {
        let groups = self.groups.into_iter().flat_map(Group::split).collect();
        Figure { quantities, groups }
    }
}

/// The first that `is_this`, or a new one at the end.
fn find<T>(all: &mut Vec<T>, is_this: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(is_this).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[at]
}

#[cfg(test)]
mod tests {
    use super::*;

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
            time_us: Summary::of(&[2.0, 1.0, 4.0]),
            algorithm_bandwidth_gb_s: 1.0,
            bus_bandwidth_gb_s: 0.5,
            correct: None,
        }
    }

    /// The names of all lines, with those of their groups.
    fn names(rows: &[Row]) -> Vec<String> {
        let figure = of_rows(rows);
        let groups = figure.groups.iter();
        let lines = groups.flat_map(|group| group.series.iter().map(move |line| (group, line)));
        lines.map(|(group, line)| format!("{} {}", group.title, line.name).trim().to_string()).collect()
    }

    #[test]
    fn each_algorithm_is_a_line_but_the_librarys_choice_is_one_line() {
        let compared = [row("reduce", "chain", 8, true), row("reduce", "binomial", 8, false)];
        assert_eq!(names(&compared), ["chain", "binomial"]);
        let chosen = [row("reduce", "binomial", 8, true), row("reduce", "chain", 64, true)];
        assert_eq!(names(&chosen), ["reduce"]);
        let all = [row("reduce", "binomial", 8, true), row("gather", "binomial", 8, true)];
        assert_eq!(names(&all), ["reduce", "gather"]);
        let both = [row("reduce", "binomial", 8, true), row("gather", "binomial", 8, false)];
        assert_eq!(names(&both), ["reduce binomial", "gather binomial"]);
        let mut places = [row("reduce", "chain", 8, true), row("reduce", "chain", 8, true)];
        places[1].in_place = true;
        assert_eq!(names(&places), ["reduce out of place", "reduce in place"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn a_point_has_the_spread_of_its_samples_and_the_mark_of_the_choice() {
        let rows = [row("reduce", "chain", 8, true), row("reduce", "binomial", 8, false)];
        let figure = of_rows(&rows);
        let [chain, binomial] = &figure.groups[0].series[..] else { panic!("{figure:?}") };
        let point = chain.points[0];
        assert!(point.chosen && !binomial.points[0].chosen);
        let close = |spread: Spread, ends: [f64; 3]| {
            let all = [spread.low, spread.value, spread.high].into_iter().zip(ends);
            assert!(all.into_iter().all(|(is, wanted)| (is / wanted - 1.0).abs() < 1e-9), "{spread:?}");
        };
        close(point.time, [1e-6, 2e-6, 4e-6]);
        close(point.bandwidth.unwrap(), [0.25e9, 0.5e9, 1e9]);
        // Nothing is marked where nothing is compared.
        assert!(!of_rows(&rows[..1]).groups[0].series[0].points[0].chosen);
    }

    #[test]
    fn zeros_are_left_out_of_a_logarithmic_scale() {
        let mut alone = row("reduce", "chain", 8, true);
        alone.bus_bandwidth_gb_s = 0.0;
        let figure = of_rows(&[row("barrier", "chain", 0, true), alone]);
        let [reduce] = &figure.groups[0].series[..] else { panic!("{figure:?}") };
        assert_eq!((reduce.name.as_str(), reduce.points.len()), ("reduce", 1));
        assert_eq!(reduce.points[0].bandwidth, None);
    }
}
