/* Says which version of NCCL it has: asks, or asks LIBRARY by dlopen. Without -DLINKED it is not linked
 * with any. */
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
        /* POSIX's way to make a function of what dlsym gives. */
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
