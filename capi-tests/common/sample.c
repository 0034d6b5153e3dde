#include "sample.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static long number_of(const char *name, long otherwise)
{
    const char *const text = getenv(name);
    char *end;
    if (text == NULL || *text == '\0')
        return otherwise;
    const long value = strtol(text, &end, 10);
    CHECK(*end == '\0' && value >= 0);
    return value;
}

static long seed(void)
{
    return number_of("ANYCCL_TEST_SEED", 44);
}

static int is_long(void)
{
    return number_of("ANYCCL_TEST_LONG", 0) != 0;
}

/* FNV-1a of "seed/factor/cell", and one more multiplication: the lowest bit of FNV-1a is only the parity of the
 * text, so factors 0 and 2 would have the same levels. */
static uint64_t hash(const struct sample *sample, int factor)
{
    char text[64];
    uint64_t value = 0xcbf29ce484222325u;
    snprintf(text, sizeof text, "%ld/%d/%u", sample->seed, factor, sample->cell);
    for (const char *at = text; *at != '\0'; at++)
        value = (value ^ (unsigned char)*at) * 0x100000001b3u;
    return value * 0x9e3779b97f4a7c15u >> 32;
}

struct sample sample_of(unsigned cell, int point, int factors, const int *levels)
{
    struct sample sample = {.factors = factors, .cell = cell, .seed = seed(), .is_full = is_long()};
    int most = 1;
    long all = 1;
    CHECK(factors <= MOST_FACTORS);
    for (int factor = 0; factor < factors; factor++) {
        CHECK(levels[factor] > 0);
        sample.levels[factor] = levels[factor];
        most = levels[factor] > most ? levels[factor] : most;
        all *= levels[factor];
    }
    if (!sample.is_full && point != ALL_POINTS)
        sample.point = point;
    sample.end = sample.is_full ? all : point == ALL_POINTS ? most : point + 1;
    return sample;
}

int sample_next(struct sample *sample)
{
    unsigned long rest = (unsigned long)sample->point;
    if (sample->point == sample->end)
        return 0;
    for (int factor = 0; factor < sample->factors; factor++) {
        const unsigned levels = (unsigned)sample->levels[factor];
        const uint64_t at = sample->is_full ? rest : (uint64_t)sample->point + hash(sample, factor);
        sample->level[factor] = (int)(at % levels);
        rest /= levels;
    }
    sample->point++;
    return 1;
}

void sample_print(void)
{
    if (is_long())
        fprintf(stderr, "the full product, as ANYCCL_TEST_LONG is set\n");
    else
        fprintf(stderr, "a sample with ANYCCL_TEST_SEED=%ld\n", seed());
}
