//! Draws rows of buffers as SVG: the buffers of each rank before a call on the left, those after it on the
//! right.

use std::fmt::Write as _;

use anyccl_engine::base::Rank;

/// One color per rank. Black text is readable on each.
pub const COLORS: [&str; 3] = ["#8ecae6", "#ffd166", "#b5e48c"];

/// Sizes in pixels: of a cell, and of the space around it.
const CELL: usize = 34;
const ROW: usize = 44;
const LABEL: usize = 70;
const ARROW: usize = 56;
const MARGIN: usize = 14;
const HEAD: usize = 24;
/// Space between buffers that are not contiguous in memory.
const GAP: usize = 12;

/// A cell of a buffer: the contributions that it holds.
pub type Cell = Vec<(Rank, usize)>;
/// All buffers of one rank on one side of the picture.
pub type Row = Vec<Vec<Cell>>;

/// Draws a picture with the title `name`. A star marks `root`.
pub fn draw(name: &str, root: Option<Rank>, before: &[Row], after: &[Row]) -> String {
    let widest = |side: &[Row]| side.iter().map(width_of).max().unwrap_or(0).max(CELL);
    let left = MARGIN + LABEL;
    let middle = left + widest(before);
    let right = middle + ARROW;
    let (width, height) = (right + widest(after) + MARGIN, MARGIN + HEAD + before.len() * ROW);
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
        let star = if root == Some(row as Rank) { " ★" } else { "" };
        text(&mut svg, MARGIN, top + 22, "start", &format!("rank {row}{star}"));
        buffers(&mut svg, left, top, sent);
        buffers(&mut svg, right, top, received);
    }
    let (y, from, to) = (MARGIN + HEAD + before.len() * ROW / 2 - 5, middle + 14, right - 14);
    let _ = writeln!(
        svg,
        "<path d=\"M{from} {y}H{to}m-8 -6l8 6l-8 6\" fill=\"none\" stroke=\"#444\" stroke-width=\"2\"/>"
    );
    svg.push_str("</svg>\n");
    svg
}

fn width_of(row: &Row) -> usize {
    row.iter().map(|buffer| buffer.len() * CELL + GAP).sum::<usize>().saturating_sub(GAP)
}

/// Draws buffers from left to right, or a dash if all of them are empty.
fn buffers(svg: &mut String, left: usize, top: usize, row: &Row) {
    if row.iter().all(Vec::is_empty) {
        return text(svg, left + CELL / 2, top + 22, "middle", "–");
    }
    let mut left = left;
    for buffer in row {
        cells(svg, left, top, buffer);
        left += buffer.len() * CELL + GAP;
    }
}

fn cells(svg: &mut String, left: usize, top: usize, buffer: &[Cell]) {
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

/// The label of a cell: `b1` for element 1 of rank 1, `S1` for the combined elements 1 of several ranks.
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
