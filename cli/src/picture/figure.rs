//! The contents of a picture of lines, before it is drawn.

/// Upper limit of lines in one panel: as many as there are shapes of points, so that all can be told apart
/// without colour.
pub const MOST_SERIES: usize = 8;

/// A measured value, and how far repeats lie around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The lower end.
    pub low: f64,
    /// The value.
    pub value: f64,
    /// The upper end.
    pub high: f64,
}

/// The values at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Size in bytes, above 0.
    pub bytes: f64,
    /// Seconds, above 0.
    pub time: Spread,
    /// Bytes per second; `None` without any.
    pub bandwidth: Option<Spread>,
    /// Whether this is what the library chooses among several.
    pub chosen: bool,
}

/// One line: a name, and points in the order of their size.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points.
    pub points: Vec<Point>,
}

/// Lines that are drawn over each other.
#[derive(Debug, PartialEq)]
pub struct Group {
    /// What these lines have in common, if there is more than one group.
    pub title: String,
    /// The lines, at most [`MOST_SERIES`].
    pub series: Vec<Series>,
}

/// Time and bandwidth over size. Each group has a panel for each of the two. All panels of a quantity have
/// the same axes.
#[derive(Debug)]
pub struct Figure {
    /// Names of the two quantities.
    pub quantities: [&'static str; 2],
    /// The groups, in order.
    pub groups: Vec<Group>,
}

impl Spread {
    /// A value without a spread.
    pub fn exactly(value: f64) -> Spread {
        Spread { low: value, value, high: value }
    }

    /// The rates of `amount` in these times: the longest time is the lowest rate.
    pub fn rate_of(self, amount: f64) -> Spread {
        Spread { low: amount / self.high, value: amount / self.value, high: amount / self.low }
    }
}

impl Group {
    /// Splits a group that has too many lines into groups of about equal size.
    pub fn split(self) -> Vec<Group> {
        let parts = self.series.len().div_ceil(MOST_SERIES);
        if parts <= 1 {
            return vec![self];
        }
        let chunks = self.series.chunks(self.series.len().div_ceil(parts));
        let part = |(at, series): (usize, &[Series])| {
            let title = match self.title.as_str() {
                "" => String::new(),
                title => format!("{title} {} of {parts}", at + 1),
            };
            Group { title, series: series.to_vec() }
        };
        chunks.enumerate().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_has_more_lines_than_there_are_shapes() {
        let group = |lines: usize| {
            let series = (0..lines).map(|at| Series { name: at.to_string(), points: Vec::new() });
            Group { title: "gather".into(), series: series.collect() }
        };
        let sizes = |lines| group(lines).split().iter().map(|part| part.series.len()).collect::<Vec<_>>();
        assert_eq!((sizes(0), sizes(8), sizes(9)), (vec![0], vec![8], vec![5, 4]));
        assert_eq!(group(17).split()[2].title, "gather 3 of 3");
    }

    #[test]
    fn the_longest_time_is_the_lowest_rate() {
        let rate = Spread { low: 1.0, value: 2.0, high: 4.0 }.rate_of(8.0);
        assert_eq!(rate, Spread { low: 2.0, value: 4.0, high: 8.0 });
    }
}
