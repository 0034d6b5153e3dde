/* Data-parallel training: handwritten digits, softmax regression, gradients summed with all_reduce.
 *
 * Every rank has the whole model and a share of the samples. In each step every rank adds up the gradient
 * of its own samples of the batch, one all_reduce adds the ranks' gradients, and every rank makes the same
 * step. The batch does not depend on the number of ranks, so 1 rank and 4 ranks find the same weights, up
 * to rounding.
 *
 *     gunzip -k digits.csv.gz
 *     cc -O2 -I.. train.c model.c dataset.c -o train -lanyccl -lm
 *     anyccl run -n 4 ./train digits.csv weights.txt */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "dataset.h"
#include "model.h"

enum { BATCH = 64, EPOCHS = 40, REPORT_EVERY = 5 };
static const float LEARNING_RATE = 0.5f;
static const double WANTED_ACCURACY = 0.94;

typedef struct {
    int rank, size;
} place_t;

/* Returns the first sample of this rank at or after `first`. Sample i belongs to rank i % size. */
static size_t first_of_mine(place_t place, size_t first)
{
    size_t size = (size_t)place.size, ahead = (size_t)place.rank + size - first % size;
    return first + ahead % size;
}

/* Makes one step of gradient descent on samples first..last. Adds the batch's loss, over all ranks, to `loss`. */
static int train_batch(const dataset_t *data, place_t place, size_t first, size_t last, float *parameters, double *loss)
{
    /* The loss travels behind the gradient, in the same call. */
    float sums[PARAMETERS + 1] = {0};
    for (size_t i = first_of_mine(place, first); i < last; i += (size_t)place.size)
        sums[PARAMETERS] += model_add_gradient(parameters, &data->samples[i], sums);

    ANYCCL_CHECK(anyccl_all_reduce(sums, sums, PARAMETERS + 1, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));

    float step = LEARNING_RATE / (float)(last - first);
    for (int p = 0; p < PARAMETERS; p++)
        parameters[p] -= step * sums[p];
    *loss += (double)sums[PARAMETERS];
    return 0;
}

/* Computes the share of samples first..last, over all ranks, that the model recognises. */
static int measure_accuracy(const dataset_t *data, place_t place, size_t first, size_t last, const float *parameters,
                            double *accuracy)
{
    int64_t right = 0;
    for (size_t i = first_of_mine(place, first); i < last; i += (size_t)place.size)
        right += model_predict(parameters, &data->samples[i]) == data->samples[i].label;
    ANYCCL_CHECK(anyccl_all_reduce(&right, &right, 1, ANYCCL_INT64, ANYCCL_SUM, ANYCCL_WORLD));
    *accuracy = (double)right / (double)(last - first);
    return 0;
}

static int train(const dataset_t *data, place_t place, float *parameters, double *accuracy)
{
    size_t trained_on = data->count * 8 / 10; /* the rest is kept for the test */
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        double loss = 0;
        for (size_t first = 0; first < trained_on; first += BATCH) {
            size_t last = first + BATCH < trained_on ? first + BATCH : trained_on;
            if (train_batch(data, place, first, last, parameters, &loss) != 0)
                return EXIT_FAILURE;
        }
        if (measure_accuracy(data, place, trained_on, data->count, parameters, accuracy) != 0)
            return EXIT_FAILURE;
        if (place.rank == 0 && (epoch == 1 || epoch % REPORT_EVERY == 0))
            printf("epoch %2d  loss %.4f  test accuracy %.2f %%\n", epoch, loss / (double)trained_on, 100 * *accuracy);
    }
    return 0;
}

/* Checks that every rank has the same bits: all ranks made the same steps with the same gradients. */
static int check_equal_weights(const float *parameters, place_t place)
{
    uint64_t hash = 0xcbf29ce484222325u, lowest, highest;
    const unsigned char *bytes = (const unsigned char *)parameters;
    for (size_t i = 0; i < PARAMETERS * sizeof(float); i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    ANYCCL_CHECK(anyccl_all_reduce(&hash, &lowest, 1, ANYCCL_UINT64, ANYCCL_MIN, ANYCCL_WORLD));
    ANYCCL_CHECK(anyccl_all_reduce(&hash, &highest, 1, ANYCCL_UINT64, ANYCCL_MAX, ANYCCL_WORLD));
    if (lowest != highest) {
        fprintf(stderr, "rank %d: the ranks hold different weights\n", place.rank);
        return EXIT_FAILURE;
    }
    if (place.rank == 0)
        printf("weights equal on all ranks (%d), checksum %016llx\n", place.size, (unsigned long long)hash);
    return 0;
}

static int write_weights(const float *parameters, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return EXIT_FAILURE;
    }
    for (int p = 0; p < PARAMETERS; p++)
        fprintf(file, "%.9g\n", (double)parameters[p]);
    if (fclose(file) != 0) {
        perror(path);
        return EXIT_FAILURE;
    }
    return 0;
}

static int run(const char *digits_path, const char *weights_path)
{
    place_t place;
    ANYCCL_CHECK(anyccl_rank(&place.rank));
    ANYCCL_CHECK(anyccl_world_size(&place.size));

    dataset_t data;
    if (dataset_read(digits_path, &data) != 0)
        return EXIT_FAILURE;
    dataset_shuffle(&data);

    /* All ranks start with the weights of rank 0. */
    float parameters[PARAMETERS] = {0};
    for (int p = 0; place.rank == 0 && p < PARAMETERS; p++)
        parameters[p] = 0.01f * (float)(p % 7 - 3);
    ANYCCL_CHECK(anyccl_broadcast(parameters, parameters, PARAMETERS, ANYCCL_FLOAT32, 0, ANYCCL_WORLD));

    double accuracy = 0;
    int failed = train(&data, place, parameters, &accuracy);
    dataset_free(&data);
    if (failed || check_equal_weights(parameters, place) != 0)
        return EXIT_FAILURE;
    if (accuracy < WANTED_ACCURACY) {
        fprintf(stderr, "rank %d: test accuracy %.4f is below %.2f\n", place.rank, accuracy, WANTED_ACCURACY);
        return EXIT_FAILURE;
    }
    return place.rank == 0 ? write_weights(parameters, weights_path) : 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s DIGITS.CSV WEIGHTS-TO-WRITE.TXT\n", argv[0]);
        return 2;
    }
    ANYCCL_CHECK(anyccl_init());
    if (run(argv[1], argv[2]) != 0)
        return EXIT_FAILURE;
    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
