//! Pictures for docs/api: the content of every rank's buffers before and after each collective.
//!
//! The cells come from [`expected`], against which every plan is also verified, so this module contains no
//! knowledge about collectives. Each rank has a color, which its elements keep wherever they go. A cell that
//! combines elements has stripes in the colors of all of them.

mod drawing;

use anyccl_engine::base::{Collective, Rank};
use anyccl_engine::plan::verify::{Expected, expected};
use anyccl_engine::plan::{Block, BlockLayout, PlanRequest, extent};
use anyccl_engine::topology::Topology;
use drawing::{COLORS, Cell, Row, draw};

const SIZE: u32 = COLORS.len() as u32;
const ROOT: Rank = 1;

/// Edges of the graph along which a call sends: source, destination, and number of elements.
const EDGES: [(Rank, Rank, usize); 4] = [(0, 1, 2), (0, 2, 1), (1, 2, 1), (2, 0, 1)];
/// Elements of each rank, in calls where the ranks have different numbers.
const COUNTS: [usize; SIZE as usize] = [2, 1, 1];

/// File name in docs/api/img and content of each picture.
pub fn pictures() -> impl Iterator<Item = (String, String)> {
    // A barrier moves nothing, so it has no picture.
    let moving = Collective::ALL.into_iter().filter(|collective| *collective != Collective::Barrier);
    let each = moving.map(|collective| {
        let star = collective.has_root().then_some(ROOT);
        let Sides { before, after } = sides(collective, if is_parted(collective) { 1 } else { 2 });
        (collective.name().to_string(), draw(collective.name(), star, &before, &after))
    });
    let lists = [
        list("all_reduce_coalesced", Collective::AllReduce),
        list("sync_params", Collective::Broadcast),
        pieces("all_to_all_list", Collective::AllToAllV),
    ];
    each.chain(lists).map(|(name, picture)| (format!("{name}.svg"), picture))
}

/// The buffers of all ranks before and after a call.
struct Sides {
    before: Vec<Row>,
    after: Vec<Row>,
}

/// A picture of a call on a list of two buffers, of two elements and of one.
fn list(name: &str, collective: Collective) -> (String, String) {
    let (first, mut second) = (sides(collective, 2), sides(collective, 1));
    for cell in second.before.iter_mut().chain(&mut second.after).flatten().flatten().flatten() {
        cell.1 += 2;
    }
    let join = |first: Vec<Row>, second: Vec<Row>| -> Vec<Row> {
        first.into_iter().zip(second).map(|(one, two)| [one, two].concat()).collect()
    };
    let star = collective.has_root().then_some(ROOT);
    let (before, after) = (join(first.before, second.before), join(first.after, second.after));
    (name.to_string(), draw(name, star, &before, &after))
}

/// A picture of a call in which each block has separate memory.
fn pieces(name: &str, collective: Collective) -> (String, String) {
    let Sides { before, after } = sides(collective, 2);
    let layouts = layouts(collective);
    let cut = |row: &Row, blocks: &[Block]| -> Row {
        blocks.iter().map(|block| row[0][block.offset..block.end()].to_vec()).collect()
    };
    let before: Vec<Row> = before.iter().zip(&layouts).map(|(row, layout)| cut(row, &layout.input)).collect();
    let after: Vec<Row> = after.iter().zip(&layouts).map(|(row, layout)| cut(row, &layout.output)).collect();
    (name.to_string(), draw(name, None, &before, &after))
}

/// Whether a buffer has an equal part for each rank. A part of one element is enough for a picture.
fn is_parted(collective: Collective) -> bool {
    matches!(collective, Collective::ReduceScatter | Collective::AllToAll)
}

fn sides(collective: Collective, count: usize) -> Sides {
    let topology = Topology::one_host(SIZE);
    let layouts = layouts(collective);
    let request = |rank: Rank| PlanRequest {
        collective,
        size: SIZE,
        rank,
        root: if collective.has_root() { ROOT } else { 0 },
        count,
        element_bytes: 1,
        in_place: false,
        chunk_bytes: 1,
        topology: &topology,
        layout: layouts.get(rank as usize).map_or(BlockLayout::NONE, Layout::borrowed),
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
        vec![(0..len).map(|element| vec![(own.rank, element)]).collect()]
    });
    let after = requests.iter().map(|own| {
        let len = elements(own.layout.output, Collective::output_elements, own);
        vec![(0..len).map(|element| held(&requests, own.rank, element)).collect()]
    });
    Sides { before: before.collect(), after: after.collect() }
}

/// The owner of what a [`BlockLayout`] of one rank refers to.
#[derive(Default)]
struct Layout {
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
}

impl Layout {
    fn borrowed(&self) -> BlockLayout<'_> {
        let Layout { input, output, sources, destinations } = self;
        BlockLayout { input, output, sources, destinations, ..BlockLayout::NONE }
    }
}

/// Blocks one after the other, without gaps.
fn packed(counts: &[usize]) -> Vec<Block> {
    let mut offset = 0;
    let next = |&len: &usize| {
        let block = Block { offset, len };
        offset += len;
        block
    };
    counts.iter().map(next).collect()
}

/// The blocks of each rank, for a collective whose blocks differ in length.
fn layouts(collective: Collective) -> Vec<Layout> {
    let blocks = |rank: Rank| {
        let at = rank as usize;
        let (own, all) = (packed(&COUNTS[at..=at]), packed(&COUNTS));
        let at_root = |blocks: Vec<Block>| if rank == ROOT { blocks } else { Vec::new() };
        let (input, output) = match collective {
            Collective::AllGatherV => (own, all),
            Collective::GatherV => (own, at_root(all)),
            Collective::ScatterV => (at_root(all), own),
            Collective::ReduceScatterV => (all, own),
            // Rank r sends the same number of elements to every rank: its number in COUNTS.
            Collective::AllToAllV => (packed(&[COUNTS[at]; SIZE as usize]), all),
            Collective::NeighborAllGatherV | Collective::NeighborAllToAllV => {
                return along_the_graph(rank, collective == Collective::NeighborAllGatherV);
            }
            _ => unreachable!("one count says it all"),
        };
        Layout { input, output, ..Layout::default() }
    };
    if collective.has_layout() { (0..SIZE).map(blocks).collect() } else { Vec::new() }
}

/// The layout of a rank that exchanges along the graph. With `same`, the rank sends the same elements to all
/// destinations, as many as its number in COUNTS.
fn along_the_graph(rank: Rank, same: bool) -> Layout {
    let count = |&(from, _, count): &(Rank, Rank, usize)| if same { COUNTS[from as usize] } else { count };
    let out: Vec<_> = EDGES.into_iter().filter(|edge| edge.0 == rank).collect();
    let into: Vec<_> = EDGES.into_iter().filter(|edge| edge.1 == rank).collect();
    let sent: Vec<usize> = out.iter().map(count).take(if same { 1 } else { out.len() }).collect();
    Layout {
        input: packed(&sent),
        output: packed(&into.iter().map(count).collect::<Vec<_>>()),
        sources: into.iter().map(|edge| edge.0).collect(),
        destinations: out.iter().map(|edge| edge.1).collect(),
    }
}

/// Content of element `element` in the receive buffer of `rank`.
fn held(requests: &[PlanRequest], rank: Rank, element: usize) -> Cell {
    match expected(requests, rank, element) {
        Some(Expected::One { rank, element }) => vec![(rank, element)],
        Some(Expected::First { end, element }) => (0..end).map(|rank| (rank, element)).collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str) -> String {
        let file = format!("{name}.svg");
        pictures().find(|(found, _)| *found == file).expect("there is such a picture").1
    }

    #[test]
    fn the_last_rank_of_a_scan_has_the_colors_of_all_and_the_first_its_own() {
        let stripes = COLORS.map(|color| picture("scan").matches(color).count());
        // The rank has two elements before. After, two results hold its contribution on this rank and on each
        // later one.
        assert_eq!(stripes, [2 + 6, 2 + 4, 2 + 2]);
    }

    #[test]
    fn a_combined_cell_has_the_color_of_every_rank() {
        let stripes = COLORS.map(|color| picture("all_reduce").matches(color).count());
        // Each rank has two elements before, and two results on each of three ranks hold its contribution
        // after.
        assert_eq!(stripes, [8; 3]);
    }

    #[test]
    fn along_a_graph_elements_go_where_an_edge_leads_and_nowhere_else() {
        let stripes = COLORS.map(|color| picture("neighbor_all_to_all_v").matches(color).count());
        // The elements that a rank sends, counted before and after.
        assert_eq!(stripes, [3 + 3, 1 + 1, 1 + 1]);
    }

    #[test]
    fn a_list_has_a_third_element_in_a_second_buffer() {
        let picture = picture("all_reduce_coalesced");
        assert!(
            picture.matches(">S2<").count() == 3 && picture.contains(">a2<") && !picture.contains(">a3<")
        );
    }
}
