#include "dataset.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads one line. Returns 1 after a sample, 0 at the end of the file, -1 when the line is malformed. */
static int read_sample(FILE *file, sample_t *sample)
{
    for (int i = 0; i < PIXELS; i++) {
        float grey;
        int fields = fscanf(file, "%f,", &grey);
        if (fields == EOF && i == 0)
            return 0;
        if (fields != 1 || !(grey >= 0 && grey <= 16))
            return -1;
        sample->pixels[i] = grey / 16;
    }
    if (fscanf(file, "%d", &sample->label) != 1 || sample->label < 0 || sample->label >= CLASSES)
        return -1;
    return 1;
}

int dataset_read(const char *path, dataset_t *dataset)
{
    dataset->samples = NULL;
    dataset->count = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    size_t room = 0;
    int got;
    sample_t sample;
    while ((got = read_sample(file, &sample)) == 1) {
        if (dataset->count == room) {
            room = room == 0 ? 1024 : 2 * room;
            sample_t *more = realloc(dataset->samples, room * sizeof *more);
            if (more == NULL) {
                perror(path);
                got = -1;
                break;
            }
            dataset->samples = more;
        }
        dataset->samples[dataset->count++] = sample;
    }
    fclose(file);
    if (got == 0 && dataset->count > 0)
        return 0;
    fprintf(stderr, "%s: line %zu is not 64 pixels and a label\n", path, dataset->count + 1);
    dataset_free(dataset);
    return -1;
}

/* xorshift64*: small, and the same on every system, unlike rand(). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

void dataset_shuffle(dataset_t *dataset)
{
    uint64_t state = 20260101;
    for (size_t left = dataset->count; left > 1; left--) {
        size_t chosen = (size_t)((next_random(&state) >> 32) % left);
        sample_t swapped = dataset->samples[left - 1];
        dataset->samples[left - 1] = dataset->samples[chosen];
        dataset->samples[chosen] = swapped;
    }
}

void dataset_free(dataset_t *dataset)
{
    free(dataset->samples);
    dataset->samples = NULL;
    dataset->count = 0;
}
