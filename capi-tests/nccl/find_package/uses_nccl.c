/* A program that uses NCCL: a sum over two ranks in one process. */
#include <nccl.h>

int main(void)
{
    ncclComm_t comms[2];
    int values[2] = {1, 2}, sums[2] = {0, 0};
    if (ncclCommInitAll(comms, 2, NULL) != ncclSuccess)
        return 1;
    ncclGroupStart();
    for (int rank = 0; rank < 2; rank++)
        ncclAllReduce(&values[rank], &sums[rank], 1, ncclInt, ncclSum, comms[rank], NULL);
    if (ncclGroupEnd() != ncclSuccess || sums[0] != 3 || sums[1] != 3)
        return 2;
    for (int rank = 0; rank < 2; rank++)
        ncclCommDestroy(comms[rank]);
    return 0;
}
