/* Stands in for our library where that has another NCCL behind it: gives the version of OTHER, which it
 * opens by its path, plus one. */
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
