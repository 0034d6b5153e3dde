#include "model.h"

#include <math.h>

static void scores_of(const float *parameters, const sample_t *sample, float scores[CLASSES])
{
    for (int c = 0; c < CLASSES; c++) {
        const float *weights = parameters + c * PER_CLASS;
        float score = weights[PIXELS];
        for (int i = 0; i < PIXELS; i++)
            score += weights[i] * sample->pixels[i];
        scores[c] = score;
    }
}

static int largest(const float scores[CLASSES])
{
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (scores[c] > scores[best])
            best = c;
    return best;
}

int model_predict(const float parameters[PARAMETERS], const sample_t *sample)
{
    float scores[CLASSES];
    scores_of(parameters, sample, scores);
    return largest(scores);
}

float model_add_gradient(const float parameters[PARAMETERS], const sample_t *sample, float gradient[PARAMETERS])
{
    float scores[CLASSES], exponentials[CLASSES], total = 0;
    scores_of(parameters, sample, scores);
    /* The largest score is subtracted so that expf cannot overflow. Softmax does not change. */
    float top = scores[largest(scores)];
    for (int c = 0; c < CLASSES; c++) {
        exponentials[c] = expf(scores[c] - top);
        total += exponentials[c];
    }
    for (int c = 0; c < CLASSES; c++) {
        float slope = exponentials[c] / total - (c == sample->label ? 1.0f : 0.0f);
        float *row = gradient + c * PER_CLASS;
        for (int i = 0; i < PIXELS; i++)
            row[i] += slope * sample->pixels[i];
        row[PIXELS] += slope;
    }
    return logf(total) - (scores[sample->label] - top);
}
