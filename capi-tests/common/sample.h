/* A seeded sample of the product of several factors, such as counts, roots and blocking forms, for each cell of
 * a table, such as a collective with a datatype and an operator.
 *
 * Point k of a cell has level (k + hash(seed, factor, cell)) % levels of each factor. So a cell that takes enough
 * points meets every level of every factor, and over many cells the factors meet each other in pairs. The ranks of
 * a job choose the same points, as the hash depends on nothing else. A job that shares the table with others takes
 * one point of each cell, and they take the next ones.
 *
 *     ANYCCL_TEST_SEED=N    the seed; 44 if it is not set
 *     ANYCCL_TEST_LONG=1    the full product instead */
#ifndef SAMPLE_H
#define SAMPLE_H

enum { MOST_FACTORS = 8, ALL_POINTS = -1 };

struct sample {
    int factors, levels[MOST_FACTORS], level[MOST_FACTORS];
    unsigned cell;
    long seed, point, end; /* the next point, and the one behind the last */
    int is_full;
};

/* Prepares a sample of a cell: one point, or with ALL_POINTS as many as the factor with the most levels has. */
struct sample sample_of(unsigned cell, int point, int factors, const int *levels);

/* Goes to the next point, whose levels are then in `sample->level`. Returns 0 behind the last one. */
int sample_next(struct sample *sample);

/* Prints the seed on standard error. One rank does so, before the first point. */
void sample_print(void);

#endif
