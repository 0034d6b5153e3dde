/* A program that opens the library by its path, as PyTorch's helpers and vLLM do: `opener LIBRARY`. */
#include <dlfcn.h>
#include <stdio.h>

#include <nccl.h>

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: opener LIBRARY");
        return 1;
    }
    int version = 0, values[2] = {1, 2}, sums[2] = {0, 0};
    ncclComm_t comms[2];
    /* POSIX's way to convert the result of dlsym to a function pointer. */
    ncclResult_t (*get_version)(int *);
    ncclResult_t (*init_all)(ncclComm_t *, int, const int *);
    ncclResult_t (*all_reduce)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
    ncclResult_t (*group_start)(void), (*group_end)(void), (*destroy)(ncclComm_t);
    *(void **)&get_version = dlsym(library, "ncclGetVersion");
    *(void **)&init_all = dlsym(library, "ncclCommInitAll");
    *(void **)&all_reduce = dlsym(library, "ncclAllReduce");
    *(void **)&group_start = dlsym(library, "ncclGroupStart");
    *(void **)&group_end = dlsym(library, "ncclGroupEnd");
    *(void **)&destroy = dlsym(library, "ncclCommDestroy");
    if (get_version(&version) != ncclSuccess || version == 0 || init_all(comms, 2, NULL) != ncclSuccess)
        return 2;
    group_start();
    for (int rank = 0; rank < 2; rank++)
        all_reduce(&values[rank], &sums[rank], 1, ncclInt, ncclSum, comms[rank], NULL);
    if (group_end() != ncclSuccess || sums[0] != 3 || sums[1] != 3)
        return 3;
    return destroy(comms[0]) == ncclSuccess && destroy(comms[1]) == ncclSuccess ? 0 : 4;
}
