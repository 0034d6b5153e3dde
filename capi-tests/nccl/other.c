/* Stands in for an NCCL that is not ours: version 2.99.0, of which nothing can be computed. */
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
