/* Softmax regression: one linear score per class, probabilities by softmax, cross-entropy as the loss. */
#ifndef MODEL_H
#define MODEL_H

#include "dataset.h"

/* Each class has a weight for each pixel, then a bias. */
enum { PER_CLASS = PIXELS + 1, PARAMETERS = CLASSES * PER_CLASS };

/* Returns the digit that the model recognises. */
int model_predict(const float parameters[PARAMETERS], const sample_t *sample);

/* Adds the gradient of this sample's loss to `gradient` and returns the loss. */
float model_add_gradient(const float parameters[PARAMETERS], const sample_t *sample, float gradient[PARAMETERS]);

#endif
