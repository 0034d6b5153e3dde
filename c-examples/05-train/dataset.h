/* The handwritten digits: 8 x 8 grey pixels and a label each. */
#ifndef DATASET_H
#define DATASET_H

#include <stddef.h>

enum { PIXELS = 64, CLASSES = 10 };

typedef struct {
    float pixels[PIXELS]; /* 0 white to 1 black */
    int label;            /* 0 to 9 */
} sample_t;

typedef struct {
    sample_t *samples;
    size_t count;
} dataset_t;

/* Reads a CSV file. Each line has 64 pixels from 0 to 16 and a label. Returns 0, or -1 after a message. */
int dataset_read(const char *path, dataset_t *dataset);

/* Shuffles the samples in the same way in every run and on every rank. */
void dataset_shuffle(dataset_t *dataset);

void dataset_free(dataset_t *dataset);

#endif
