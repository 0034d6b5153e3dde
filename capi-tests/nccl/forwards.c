/* A stand-in for libnccl.so.2 of anyccl with another NCCL behind it. It opens OTHER by its path, and returns the
 * version of OTHER plus one. */
#include <dlfcn.h>
#include <stddef.h>

int ncclGetVersion(int *version)
{
    void *library = dlopen(OTHER, RTLD_NOW | RTLD_LOCAL);
    int (*theirs)(int *) = NULL;
    if (library != NULL)
        *(void **)&theirs = dlsym(library, "ncclGetVersion");
    if (theirs == NULL || theirs(version) != 0)
        return 1;
    *version += 1;
    return 0;
}
