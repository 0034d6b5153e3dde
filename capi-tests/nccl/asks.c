/* A program that prints the version of its NCCL. `asks` uses the NCCL that it is linked with, with -DLINKED.
 * `asks LIBRARY` opens LIBRARY by dlopen. */
#include <dlfcn.h>
#include <stdio.h>

#ifdef LINKED
int ncclGetVersion(int *version);
#endif

int main(int argc, char **argv)
{
    int (*get_version)(int *) = NULL;
    int version = 0;
    puts("started");
    fflush(stdout);
    if (argc > 1) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 3;
        }
        /* POSIX's way to convert the result of dlsym to a function pointer. */
        *(void **)&get_version = dlsym(library, "ncclGetVersion");
    }
#ifdef LINKED
    else {
        get_version = ncclGetVersion;
    }
#endif
    if (get_version == NULL)
        return 0;
    if (get_version(&version) != 0)
        return 4;
    printf("version %d\n", version);
    return 0;
}
