//! Pictures for docs/api: what every rank's buffers hold before and after each collective.
//!
//! Nothing here knows what a collective does: the cells are what [`expected`] says, which is also what every plan is proved
//! against. Each rank has a color, which its elements keep wherever they go; a cell that combines elements has the
//! colors of all of them, in stripes.

use std::fmt::Write as _;

use anyccl_engine::base::{Collective, Rank};
use anyccl_engine::plan::PlanRequest;
use anyccl_engine::plan::verify::{Expected, expected};
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
    let moving = Collective::ALL.into_iter().filter(|collective| *collective != Collective::Barrier);
    moving.map(|collective| (format!("{}.svg", collective.name()), picture(collective)))
}

fn picture(collective: Collective) -> String {
    // Where a buffer has a part for each rank, a part of one element shows enough.
    let parted = matches!(collective, Collective::ReduceScatter | Collective::AllToAll);
    let count = if parted { 1 } else { 2 };
    let root = if collective.has_root() { ROOT } else { 0 };
    let ranks = 0..SIZE;
    let before: Vec<Vec<Cell>> = ranks
        .clone()
        .map(|rank| {
            let len = collective.input_elements(SIZE as usize, rank, root, count);
            (0..len).map(|element| vec![(rank, element)]).collect()
        })
        .collect();
    let after: Vec<Vec<Cell>> = ranks
        .map(|rank| {
            let len = collective.output_elements(SIZE as usize, rank, root, count);
            (0..len).map(|element| held(collective, root, count, rank, element)).collect()
        })
        .collect();
    draw(collective, &before, &after)
}

/// What `rank` has in element `element` of its receive buffer.
fn held(collective: Collective, root: Rank, count: usize, rank: Rank, element: usize) -> Cell {
    let topology = Topology::one_host(SIZE);
    let request = PlanRequest {
        collective,
        size: SIZE,
        rank,
        root,
        count,
        element_bytes: 1,
        in_place: false,
        chunk_bytes: 1,
        topology: &topology,
    };
    match expected(&request, rank, element) {
        Expected::One { rank, element } => vec![(rank, element)],
        Expected::Every { element } => (0..SIZE).map(|rank| (rank, element)).collect(),
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
    fn a_cell_is_labelled_by_what_it_holds() {
        assert_eq!(label(&held(Collective::AllToAll, 0, 1, 2, 0)), "a2");
        assert_eq!(label(&held(Collective::ReduceScatter, 0, 1, 2, 0)), "S2");
        assert_eq!(label(&held(Collective::Broadcast, ROOT, 2, 0, 1)), "b1");
    }

    #[test]
    fn a_combined_cell_has_the_color_of_every_rank() {
        let picture = picture(Collective::AllReduce);
        let stripes = COLORS.map(|color| picture.matches(color).count());
        // Two own elements before, and two results on each of three ranks after.
        assert_eq!(stripes, [8; 3]);
    }
}
