//! `--svg`: a space-time diagram of all messages.
//!
//! Ranks are columns, with hosts shaded; logical steps are bands from top to bottom. An arrow is a message.
//! Its colour says which part of the data it carries, by offset and length in its sender's buffer.

use anyccl_engine::plan::{Buffer, PlanRequest, Span};
use anyccl_engine::simulate::Arrow;

use super::svg::{Anchor, ArrowStyle, Svg};
use crate::failure::Failure;

/// Upper limits: a picture with more would be a grey area.
const MOST_ARROWS: usize = 5000;
const MOST_RANKS: u32 = 64;

const LEFT: f64 = 80.0;
const TOP: f64 = 90.0;
const BAND: f64 = 56.0;
const LEGEND: f64 = 260.0;
/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Number of parts with a colour of their own; if there are more, they share a rainbow.
const NAMED: usize = 16;

const GRID: &str = "#dddddd";
const SHADES: [&str; 2] = ["#f4f7fb", "#fdf6ee"];

/// Draws the diagram as the text of an SVG file.
pub fn draw(title: &str, request: &PlanRequest, arrows: &[Arrow]) -> Result<String, Failure> {
    if request.size > MOST_RANKS || arrows.len() > MOST_ARROWS {
        return Err(Failure::own(format_args!(
            "--svg: {} ranks with {} messages are too many for a picture; at most {MOST_RANKS} ranks and \
             {MOST_ARROWS} messages can be seen",
            request.size,
            arrows.len()
        )));
    }
    let column = (960.0 / f64::from(request.size)).clamp(26.0, 120.0);
    let steps = arrows.iter().map(|arrow| arrow.step + 1).max().unwrap_or(0);
    let parts = Parts::of(arrows);
    let legend_lines = parts.legend().len() + 4;
    let right = LEFT + column * f64::from(request.size);
    let bottom = TOP + BAND * f64::from(steps);
    let mut svg = Svg::new();
    svg.text((20.0, 28.0), Anchor::Start, 17, title);
    ranks(&mut svg, request, column, bottom);
    bands(&mut svg, steps, right);
    for (number, arrow) in arrows.iter().enumerate() {
        message(&mut svg, request, arrow, parts.style(arrow), column, number);
    }
    legend(&mut svg, &parts, right + 30.0);
    let height = bottom.max(TOP + LINE * legend_lines as f64) + 30.0;
    Ok(svg.finish(right + 30.0 + LEGEND, height))
}

fn ranks(svg: &mut Svg, request: &PlanRequest, column: f64, bottom: f64) {
    for rank in 0..request.size {
        let host = request.topology.host_of(rank);
        let x = LEFT + column * f64::from(rank);
        svg.rectangle((x, TOP - 40.0), (column, bottom - TOP + 40.0), SHADES[host as usize % 2]);
        let first = rank == 0 || request.topology.host_of(rank - 1) != host;
        if first && request.topology.hosts() > 1 {
            svg.text((x + 4.0, TOP - 28.0), Anchor::Start, 11, &format!("host {host}"));
        }
    }
    for rank in 0..request.size {
        let x = LEFT + column * (f64::from(rank) + 0.5);
        svg.stroke((x, TOP), (x, bottom), GRID, 1.0);
        svg.text((x, TOP - 8.0), Anchor::Middle, 13, &rank.to_string());
    }
}

fn bands(svg: &mut Svg, steps: u32, right: f64) {
    for step in 0..=steps {
        let y = TOP + BAND * f64::from(step);
        svg.stroke((LEFT, y), (right, y), GRID, 1.0);
        if step < steps {
            svg.text((LEFT - 10.0, y + BAND / 2.0 + 4.0), Anchor::End, 12, &format!("step {step}"));
        }
    }
}

fn message(
    svg: &mut Svg,
    request: &PlanRequest,
    arrow: &Arrow,
    style: ArrowStyle,
    column: f64,
    number: usize,
) {
    let x = |rank: u32| LEFT + column * (f64::from(rank) + 0.5);
    let y = TOP + BAND * f64::from(arrow.step);
    // A small shift separates messages of a step that lie on one line.
    let shift = (number % 4) as f64 * 2.5;
    let Arrow { from, to, lane, round, span, reduces, within_host, .. } = arrow;
    let how = if *reduces { "reduced on arrival" } else { "stored" };
    let place = if *within_host { "within a host" } else { "between hosts" };
    let bytes = super::units::bytes((span.len * request.element_bytes) as u64);
    let hint = format!("{from} to {to}: {span}, {bytes}, {how}, {place}; lane {lane}, round {round}");
    svg.arrow((x(*from), y + 5.0 + shift), (x(*to), y + BAND - 13.0 + shift), &style, &hint);
}

fn legend(svg: &mut Svg, parts: &Parts, x: f64) {
    let mut y = TOP;
    let mut row = |style: ArrowStyle, text: &str| {
        svg.arrow((x, y - 4.0), (x + 34.0, y - 4.0), &style, text);
        svg.text((x + 44.0, y), Anchor::Start, 12, text);
        y += LINE;
    };
    let plain = |hollow, dashed| ArrowStyle { colour: "#333333".into(), dashed, hollow };
    row(plain(false, false), "stored on arrival");
    row(plain(true, false), "reduced on arrival");
    row(plain(false, true), "sent from scratch memory");
    for (colour, text) in parts.legend() {
        row(ArrowStyle { colour, dashed: false, hollow: false }, &text);
    }
}

/// The parts of the data that are sent.
struct Parts {
    /// Offset and length of each part, including parts of scratch.
    spans: Vec<(usize, usize)>,
    /// Index behind the last element.
    end: usize,
}

impl Parts {
    fn of(arrows: &[Arrow]) -> Parts {
        let mut spans: Vec<_> = arrows.iter().map(|arrow| key(&arrow.span)).collect();
        spans.sort_unstable();
        spans.dedup();
        let end = spans.iter().map(|&(offset, len)| offset + len).max().unwrap_or(1);
        Parts { spans, end }
    }

    fn style(&self, arrow: &Arrow) -> ArrowStyle {
        let key = key(&arrow.span);
        let at = self.spans.binary_search(&key).unwrap_or(0);
        let colour = match self.spans.len() <= NAMED {
            true => hue(at as f64 / self.spans.len() as f64, at),
            false => hue(0.9 * key.0 as f64 / self.end as f64, 0),
        };
        ArrowStyle { colour, dashed: arrow.span.buffer == Buffer::Scratch, hollow: arrow.reduces }
    }

    /// Colours and their meanings.
    fn legend(&self) -> Vec<(String, String)> {
        let count = self.spans.len();
        if count <= NAMED {
            let spans = self.spans.iter().enumerate();
            return spans
                .map(|(at, (offset, len))| {
                    let text = format!("elements {offset}..{}", offset + len);
                    (hue(at as f64 / count as f64, at), text)
                })
                .collect();
        }
        [0.0, 0.25, 0.5, 0.75, 1.0]
            .map(|share| (hue(0.9 * share, 0), format!("from element {:.0}", share * self.end as f64)))
            .to_vec()
    }
}

fn key(span: &Span) -> (usize, usize) {
    (span.offset, span.len)
}

/// A colour from the colour wheel; neighbours also differ in lightness.
fn hue(share: f64, number: usize) -> String {
    let lightness = [0.38, 0.5][number % 2];
    let channel = |shift: f64| {
        let at = (share + shift).rem_euclid(1.0) * 6.0;
        let level = (2.0 - (at - 3.0).abs()).clamp(0.0, 1.0);
        // Half saturated: pure colours are hard to read on white.
        let value: f64 = lightness + (1.0 - (2.0 * lightness - 1.0f64).abs()) * 0.75 * (level - 0.5);
        (value * 255.0).round() as u8
    };
    // The level is highest half way round, so red is shifted by one half.
    format!("#{:02x}{:02x}{:02x}", channel(0.5), channel(1.0 / 6.0), channel(5.0 / 6.0))
}

#[cfg(test)]
mod tests {
    use anyccl_engine::algo;
    use anyccl_engine::base::Collective;
    use anyccl_engine::simulate::{Limits, steps};
    use anyccl_engine::topology::Topology;

    use super::*;

    fn picture(name: &str, ranks: u32, count: usize) -> Result<String, Failure> {
        let topology = Topology::from_labels(&(0..ranks).map(|rank| rank / 2).collect::<Vec<_>>());
        let request = PlanRequest {
            collective: Collective::AllReduce,
            size: ranks,
            rank: 0,
            root: 0,
            count,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 64,
            topology: &topology,
            layout: anyccl_engine::plan::BlockLayout::NONE,
        };
        let algorithm = algo::find(Collective::AllReduce, name).unwrap();
        draw("a <b>", &request, &steps(algorithm, &request, &Limits::default()).unwrap())
    }

    #[test]
    fn each_message_is_an_arrow_and_each_part_has_its_colour_in_the_legend() {
        let svg = picture("ring", 4, 40).unwrap();
        let legend = 3 + 4;
        assert_eq!(svg.matches("<title>").count(), 4 * 6 + legend, "{svg}");
        assert!(
            svg.contains("1 to 2: Output[30..40), 40 B, reduced on arrival, between hosts; lane 0, round 1")
        );
        for text in ["a &lt;b&gt;", "host 1", "step 5", "elements 30..40", "reduced on arrival"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("step 6"));
    }

    #[test]
    fn a_picture_with_too_many_messages_is_refused() {
        assert!(picture("ring", 64, 64).is_err(), "8064 messages");
        assert!(picture("recursive_doubling", 66, 64).is_err());
        assert!(picture("recursive_doubling", 64, 0).unwrap().ends_with("</svg>\n"), "nothing to draw");
        assert!(picture("rabenseifner", 64, 640).unwrap().contains("from element 320"));
    }

    #[test]
    fn colours_go_around() {
        let colours: Vec<String> = (0..6).map(|at| hue(f64::from(at) / 6.0, 0)).collect();
        for (at, colour) in colours.iter().enumerate() {
            assert!(colour.len() == 7 && !colours[..at].contains(colour), "{colours:?}");
        }
    }
}
