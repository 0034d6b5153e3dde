//! Pictures for docs/api: what every rank's buffers hold before and after each collective.
//!
//! Nothing here knows what a collective does: the cells are what [`expected`] says, which is also what every plan is proved
//! against. Each rank has a color, which its elements keep wherever they go; a cell that combines elements has the
//! colors of all of them, in stripes.

use std::fmt::Write as _;

use anyccl_engine::base::{Collective, Rank};
use anyccl_engine::plan::verify::{Expected, expected};
use anyccl_engine::plan::{Block, BlockLayout, PlanRequest, extent};
use anyccl_engine::topology::Topology;

const SIZE: u32 = 3;
const ROOT: Rank = 1;

/// One color per rank; black text can be read on each.
const COLORS: [&str; SIZE as usize] = ["#8ecae6", "#ffd166", "#b5e48c"];

/// Pixels of a cell, and of the space around things.
const CELL: usize = 34;
const ROW: usize = 44;
const LABEL: usize = 70;
const ARROW: usize = 56;
const MARGIN: usize = 14;
const HEAD: usize = 24;

/// A cell of a buffer: the contributions that it holds.
type Cell = Vec<(Rank, usize)>;

/// File name in docs/api/img and content of each picture.
pub fn pictures() -> impl Iterator<Item = (String, String)> {
    use Collective::{Barrier, NeighborAllGatherV, NeighborAllToAllV};
    // A barrier moves nothing; what goes along a graph depends on the graph.
    let is_shown =
        |collective: &Collective| !matches!(collective, Barrier | NeighborAllGatherV | NeighborAllToAllV);
    let moving = Collective::ALL.into_iter().filter(is_shown);
    moving.map(|collective| (format!("{}.svg", collective.name()), picture(collective)))
}

fn picture(collective: Collective) -> String {
    let topology = Topology::one_host(SIZE);
    let layouts = layouts(collective);
    // Where a buffer has an equal part for each rank, a part of one element shows enough.
    let parted = matches!(collective, Collective::ReduceScatter | Collective::AllToAll);
    let request = |rank: Rank| PlanRequest {
        collective,
        size: SIZE,
        rank,
        root: if collective.has_root() { ROOT } else { 0 },
        count: if parted { 1 } else { 2 },
        element_bytes: 1,
        in_place: false,
        chunk_bytes: 1,
        topology: &topology,
        layout: match layouts.get(rank as usize) {
            Some((input, output)) => BlockLayout { input, output, ..BlockLayout::NONE },
            None => BlockLayout::NONE,
        },
    };
    let requests: Vec<PlanRequest> = (0..SIZE).map(request).collect();
    let elements =
        |blocks: &[Block], uniform: fn(Collective, usize, u32, u32, usize) -> usize, rank: &PlanRequest| {
            if collective.has_layout() {
                extent(blocks)
            } else {
                uniform(collective, SIZE as usize, rank.rank, rank.root, rank.count)
            }
        };
    let before = requests.iter().map(|own| {
        let len = elements(own.layout.input, Collective::input_elements, own);
        (0..len).map(|element| vec![(own.rank, element)]).collect()
    });
    let after = requests.iter().map(|own| {
        let len = elements(own.layout.output, Collective::output_elements, own);
        (0..len).map(|element| held(&requests, own.rank, element)).collect()
    });
    draw(collective, &before.collect::<Vec<_>>(), &after.collect::<Vec<_>>())
}

/// Blocks of each rank where they differ in length: of 2, 1 and 1 elements, one after the other.
fn layouts(collective: Collective) -> Vec<(Vec<Block>, Vec<Block>)> {
    const COUNTS: [usize; SIZE as usize] = [2, 1, 1];
    let packed = |counts: &[usize]| {
        let mut offset = 0;
        let next = |&len: &usize| {
            let block = Block { offset, len };
            offset += len;
            block
        };
        counts.iter().map(next).collect::<Vec<_>>()
    };
    let blocks = |rank: usize| {
        let (own, all) = (packed(&COUNTS[rank..=rank]), packed(&COUNTS));
        let is_root = rank == ROOT as usize;
        match collective {
            Collective::AllGatherV => (own, all),
            Collective::GatherV => (own, if is_root { all } else { Vec::new() }),
            Collective::ScatterV => (if is_root { all } else { Vec::new() }, own),
            Collective::ReduceScatterV => (all, own),
            // Rank r sends as many elements to everybody as it has in COUNTS.
            Collective::AllToAllV => (packed(&[COUNTS[rank]; SIZE as usize]), all),
            _ => unreachable!("one count says it all"),
        }
    };
    if collective.has_layout() { (0..SIZE as usize).map(blocks).collect() } else { Vec::new() }
}

/// What `rank` has in element `element` of its receive buffer.
fn held(requests: &[PlanRequest], rank: Rank, element: usize) -> Cell {
    match expected(requests, rank, element) {
        Some(Expected::One { rank, element }) => vec![(rank, element)],
        Some(Expected::First { end, element }) => (0..end).map(|rank| (rank, element)).collect(),
        None => Vec::new(),
    }
}

fn draw(collective: Collective, before: &[Vec<Cell>], after: &[Vec<Cell>]) -> String {
    let widest = |side: &[Vec<Cell>]| side.iter().map(Vec::len).max().unwrap_or(0).max(1) * CELL;
    let left = MARGIN + LABEL;
    let middle = left + widest(before);
    let right = middle + ARROW;
    let (width, height) = (right + widest(after) + MARGIN, MARGIN + HEAD + before.len() * ROW);
    let name = collective.name();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <title>{name}: buffers before and after</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    text(&mut svg, left, MARGIN + 8, "start", "send");
    text(&mut svg, right, MARGIN + 8, "start", "recv");
    for (row, (sent, received)) in before.iter().zip(after).enumerate() {
        let top = MARGIN + HEAD + row * ROW;
        let root = if collective.has_root() && row == ROOT as usize { " ★" } else { "" };
        text(&mut svg, MARGIN, top + 22, "start", &format!("rank {row}{root}"));
        cells(&mut svg, left, top, sent);
        cells(&mut svg, right, top, received);
    }
    let (y, from, to) = (MARGIN + HEAD + before.len() * ROW / 2 - 5, middle + 14, right - 14);
    let _ = writeln!(
        svg,
        "<path d=\"M{from} {y}H{to}m-8 -6l8 6l-8 6\" fill=\"none\" stroke=\"#444\" stroke-width=\"2\"/>"
    );
    svg.push_str("</svg>\n");
    svg
}

/// A buffer from left to right; a dash where it is not used.
fn cells(svg: &mut String, left: usize, top: usize, buffer: &[Cell]) {
    if buffer.is_empty() {
        text(svg, left + CELL / 2, top + 22, "middle", "–");
    }
    for (place, cell) in buffer.iter().enumerate() {
        let x = left + place * CELL;
        for (stripe, &(rank, _)) in cell.iter().enumerate() {
            let (from, to) = (stripe * CELL / cell.len(), (stripe + 1) * CELL / cell.len());
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{CELL}\" fill=\"{}\"/>",
                x + from,
                to - from,
                COLORS[rank as usize]
            );
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"none\" stroke=\"#444\"/>"
        );
        text(svg, x + CELL / 2, top + 22, "middle", &label(cell));
    }
}

/// `b1` for element 1 of rank 1, `S1` for the elements 1 of several ranks combined.
fn label(cell: &Cell) -> String {
    match cell[..] {
        [(rank, element)] => format!("{}{element}", char::from(b'a' + rank as u8)),
        [(_, element), ..] => format!("S{element}"),
        [] => String::new(),
    }
}

fn text(svg: &mut String, x: usize, y: usize, anchor: &str, what: &str) {
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{what}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rank_of_a_scan_has_the_colors_of_all_and_the_first_its_own() {
        let picture = picture(Collective::Scan);
        let stripes = COLORS.map(|color| picture.matches(color).count());
        // Two own elements before; after, two results on each rank from this one on.
        assert_eq!(stripes, [2 + 6, 2 + 4, 2 + 2]);
    }

    #[test]
    fn a_combined_cell_has_the_color_of_every_rank() {
        let picture = picture(Collective::AllReduce);
        let stripes = COLORS.map(|color| picture.matches(color).count());
        // Two own elements before, and two results on each of three ranks after.
        assert_eq!(stripes, [8; 3]);
    }
}
