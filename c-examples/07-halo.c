/* A halo exchange: heat spreads over a plate, and each rank has a block of it. In every step each block
 * needs the edges of its neighbours. They go into its halo, a frame around the block that is one cell wide.
 *
 *         columns of rank 0   of rank 1
 *         +--------------+  +--------------+
 *         | . . . . . x -|->|h . . . . . . |        x  an edge cell, h  the halo cell that gets it
 *         | . . . . . x -|->|h . . . . . . |
 *         +--------------+  +--------------+
 *
 *     cc 07-halo.c -o halo -lanyccl
 *     anyccl run -n 4 ./halo
 *
 * The numbers it prints do not depend on the number of ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"

/* The whole plate. Its outer cells keep their temperature: 100 along the top, 0 elsewhere. */
enum { ROWS = 24, COLUMNS = 32, STEPS = 200 };

/* A block is kept row by row, with room for the largest one and its halo. */
typedef double block_t[ROWS + 2][COLUMNS + 2];

/* The cells of one block in one direction: `count` cells from `first` on. */
struct range {
    int first, count;
};

/* Cuts `cells` into `parts` ranges whose lengths differ by at most one, and returns range `part`. */
static struct range cut(int cells, int parts, int part)
{
    struct range range;
    range.first = cells * part / parts;
    range.count = cells * (part + 1) / parts - range.first;
    return range;
}

/* The sides of a block. Opposite ones are side and side ^ 1. */
enum { UP, DOWN, LEFT, RIGHT, SIDES };

/* Place of this rank on the plate. */
struct place {
    struct range rows, columns;
    int neighbours[SIDES]; /* -1 at the edge of the plate */
};

/* Returns the place of a rank. Ranks form a grid, row by row, as square as their number allows. */
static struct place place_of(int rank, int size)
{
    int across = 1;
    for (int tried = 2; tried * tried <= size; tried++)
        if (size % tried == 0)
            across = tried;
    int down = size / across, row = rank / across, column = rank % across;
    struct place place;
    place.rows = cut(ROWS, down, row);
    place.columns = cut(COLUMNS, across, column);
    place.neighbours[UP] = row > 0 ? rank - across : -1;
    place.neighbours[DOWN] = row < down - 1 ? rank + across : -1;
    place.neighbours[LEFT] = column > 0 ? rank - 1 : -1;
    place.neighbours[RIGHT] = column < across - 1 ? rank + 1 : -1;
    return place;
}

/* Copies the edge cells of one side to `line`, or `line` into the halo on that side. */
static void copy_side(block_t block, const struct place *place, int side, double *line, int into_halo)
{
    int rows = place->rows.count, columns = place->columns.count;
    int in = into_halo ? 0 : 1;
    for (int i = 0; i < (side == UP || side == DOWN ? columns : rows); i++) {
        double *cell = side == UP     ? &block[in][i + 1]
                       : side == DOWN ? &block[rows + 1 - in][i + 1]
                       : side == LEFT ? &block[i + 1][in]
                                      : &block[i + 1][columns + 1 - in];
        if (into_halo)
            *cell = line[i];
        else
            line[i] = *cell;
    }
}

/* The neighbours of this rank, in the order of the sides, as a graph. Each neighbour sends this rank as many
 * cells as it receives. */
struct neighbourhood {
    anyccl_graph_t graph;
    int count, sides[SIDES];
    size_t lengths[SIDES];
};

static int meet_neighbours(const struct place *place, struct neighbourhood *around)
{
    int ranks[SIDES];
    around->count = 0;
    for (int side = 0; side < SIDES; side++) {
        if (place->neighbours[side] < 0)
            continue;
        ranks[around->count] = place->neighbours[side];
        around->sides[around->count] = side;
        around->lengths[around->count] =
            (size_t)(side == UP || side == DOWN ? place->columns.count : place->rows.count);
        around->count++;
    }
    size_t count = (size_t)around->count;
    ANYCCL_CHECK(anyccl_graph_create(ranks, count, ranks, count, ANYCCL_WORLD, &around->graph));
    return 0;
}

/* Fills the halo from the neighbours. One call sends each neighbour its side of the block and receives the
 * neighbour's side. The sides lie one after the other in `out` and `in`. */
static int exchange(block_t block, const struct place *place, const struct neighbourhood *around)
{
    double in[2 * (COLUMNS + ROWS)], out[2 * (COLUMNS + ROWS)];
    size_t at = 0;
    for (int i = 0; i < around->count; at += around->lengths[i++])
        copy_side(block, place, around->sides[i], out + at, 0);
    ANYCCL_CHECK(anyccl_neighbor_all_to_all_v(out, in, around->lengths, NULL, around->lengths, NULL, ANYCCL_FLOAT64,
                                              around->graph, ANYCCL_WORLD));
    at = 0;
    for (int i = 0; i < around->count; at += around->lengths[i++])
        copy_side(block, place, around->sides[i], in + at, 1);
    return 0;
}

/* Each cell becomes the mean of its four neighbours. Returns the largest change of a cell. */
static double step(block_t old, block_t next, const struct place *place)
{
    double change = 0;
    for (int i = 1; i <= place->rows.count; i++) {
        for (int j = 1; j <= place->columns.count; j++) {
            next[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
            change = fmax(change, fabs(next[i][j] - old[i][j]));
        }
    }
    return change;
}

int main(void)
{
    int rank, size;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));
    struct place place = place_of(rank, size);
    struct neighbourhood around;
    if (meet_neighbours(&place, &around) != 0)
        return EXIT_FAILURE;

    /* No neighbour fills the halo outside of the plate: it keeps the values that it gets here. */
    static block_t blocks[2];
    if (place.neighbours[UP] < 0)
        for (int j = 1; j <= place.columns.count; j++)
            blocks[0][0][j] = blocks[1][0][j] = 100;

    double change = 0;
    for (int done = 0; done < STEPS; done++) {
        if (exchange(blocks[done % 2], &place, &around) != 0)
            return EXIT_FAILURE;
        change = step(blocks[done % 2], blocks[(done + 1) % 2], &place);
    }

    /* The largest change anywhere, and the temperature in the middle of the plate, which one rank has. */
    double here[2] = {change, 0}, whole[2];
    int row = ROWS / 2 - place.rows.first, column = COLUMNS / 2 - place.columns.first;
    if (row >= 0 && row < place.rows.count && column >= 0 && column < place.columns.count)
        here[1] = blocks[STEPS % 2][row + 1][column + 1];
    ANYCCL_CHECK(anyccl_all_reduce(here, whole, 2, ANYCCL_FLOAT64, ANYCCL_MAX, ANYCCL_WORLD));
    if (rank == 0)
        printf("after %d steps: %.9f in the middle, last change %.9f\n", STEPS, whole[1], whole[0]);

    ANYCCL_CHECK(anyccl_graph_destroy(around.graph));
    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
