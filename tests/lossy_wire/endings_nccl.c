/* A correct program that ends in one of several ways: endings_nccl HOW FILE. The ranks meet by the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of nccl.h, which is not needed then. */
typedef struct ncclComm *ncclComm_t;
typedef struct {
    char internal[128];
} ncclUniqueId;
typedef enum { ncclSuccess = 0, ncclSystemError = 2 } ncclResult_t;
typedef enum { ncclInt32 = 2 } ncclDataType_t;
typedef enum { ncclSum = 0 } ncclRedOp_t;
ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int size, ncclUniqueId id, int rank);
ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, void *stream);
ncclResult_t ncclCommFinalize(ncclComm_t comm);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
const char *ncclGetLastError(ncclComm_t comm);

#define COUNT 600

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) != ncclSuccess) {                                                                                   \
            printf("FAILED %s: %s\n", #call, ncclGetLastError(NULL));                                                  \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Rank 0 writes the id beside the file and renames it; the others wait for the file. */
static ncclResult_t exchange(ncclUniqueId *id, int rank, const char *file)
{
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.new", file);
    if (rank == 0) {
        const ncclResult_t result = ncclGetUniqueId(id);
        FILE *out = fopen(beside, "w");
        if (result != ncclSuccess || !out || fwrite(id, sizeof *id, 1, out) != 1 || fclose(out) || rename(beside, file))
            return ncclSystemError;
        return ncclSuccess;
    }
    for (FILE *in = NULL; !in; usleep(1000)) {
        in = fopen(file, "r");
        if (in)
            return fread(id, sizeof *id, 1, in) == 1 ? ncclSuccess : ncclSystemError;
    }
    return ncclSystemError;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    const int rank = atoi(getenv("ANYCCL_RANK")), size = atoi(getenv("ANYCCL_WORLD_SIZE"));
    int sent[COUNT], sums[COUNT];
    ncclUniqueId id;
    ncclComm_t comm;
    if (argc < 3)
        return 2;
    TRY(exchange(&id, rank, argv[2]));
    TRY(ncclCommInitRank(&comm, size, id, rank));
    for (int i = 0; i < COUNT; i++)
        sent[i] = i;
    for (int round = 0; round < 2; round++)
        TRY(ncclAllReduce(sent, sums, COUNT, ncclInt32, ncclSum, comm, NULL));
    for (int i = 0; i < COUNT; i++) {
        if (sums[i] != i * size) {
            printf("FAILED %d is not %d\n", sums[i], i * size);
            return 1;
        }
    }
    if (strcmp(how, "aborted") == 0) {
        TRY(ncclCommAbort(comm));
    } else {
        if (strcmp(how, "finalized") == 0)
            TRY(ncclCommFinalize(comm));
        TRY(ncclCommDestroy(comm));
    }
    return 0;
}
