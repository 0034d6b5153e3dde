/* How a job of the C API ends at the first call that fails: with the library's reason, and without the world. */
#include <stdio.h>
#include <stdlib.h>

#include <anyccl/anyccl.h>

static void stop_at(anyccl_status_t status, const char *call)
{
    if (status == ANYCCL_SUCCESS)
        return;
    if (anyccl_last_error()[0] == '\0')
        abort();
    fprintf(stderr, "%s: %s\n", call, anyccl_last_error());
    const int ended = anyccl_finalize() == ANYCCL_SUCCESS;
    exit(ended ? 1 : 3);
}
#define TRY(call) stop_at(call, #call)
