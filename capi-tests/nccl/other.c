/* A stand-in for another NCCL. It returns version 2.99.0, and computes nothing. */
#include <stddef.h>

int ncclGetVersion(int *version)
{
    *version = 29900;
    return 0;
}

const char *ncclGetErrorString(int result)
{
    (void)result;
    return NULL;
}
