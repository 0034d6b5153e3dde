/* An MPI program that loads the CUDA driver after MPI_Init, as one with the CUDA runtime linked in does at its first
 * call to CUDA.
 *
 * Calls then take memory of the device. What MPI would have to copy by the processor is refused. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 16 };

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            _Exit(EXIT_FAILURE);                                                                                       \
        }                                                                                                              \
    } while (0)

/* Calls a function of the driver, of which one of the parameters may be an address on the device. */
#define CALL(name, parameters, ...)                                                                                    \
    do {                                                                                                               \
        int(*function) parameters;                                                                                     \
        *(void **)&function = dlsym(driver, name);                                                                     \
        EXPECT(function != NULL && function(__VA_ARGS__) == 0);                                                        \
    } while (0)

typedef unsigned long long device_address;

int main(int argc, char **argv)
{
    int rank, ranks, class;
    int *numbers = calloc(COUNT, sizeof(int));
    device_address on_device = 0;
    void *context = NULL;
    MPI_Datatype every_second;
    MPI_Request receive;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(COUNT / 2, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    EXPECT(numbers != NULL);
    /* The first copies of this process are of host memory. */
    EXPECT(MPI_Bcast(numbers, 1, every_second, 0, MPI_COMM_WORLD) == MPI_SUCCESS);

    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    EXPECT(driver != NULL);
    CALL("cuInit", (unsigned), 0);
    CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
    CALL("cuCtxSetCurrent", (void *), context);
    CALL("cuMemAlloc_v2", (device_address *, size_t), &on_device, COUNT * sizeof(int));
    void *buffer = (void *)(size_t)on_device;
    /* Calls look for the driver about once a millisecond, and the driver for tests starts faster than that. Once one has found it,
     * a receive into memory of the device that leaves gaps is refused. Until then it is only prepared. */
    int refusal;
    while ((refusal = MPI_Recv_init(buffer, 1, every_second, rank, 0, MPI_COMM_WORLD, &receive)) == MPI_SUCCESS)
        MPI_Request_free(&receive);
    EXPECT(MPI_Error_class(refusal, &class) == MPI_SUCCESS && class == MPI_ERR_BUFFER);

    for (int at = 0; at < COUNT; at++)
        numbers[at] = rank + at;
    CALL("cuMemcpyHtoD_v2", (device_address, const void *, size_t), on_device, numbers, COUNT * sizeof(int));
    EXPECT(MPI_Allreduce(MPI_IN_PLACE, buffer, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CALL("cuMemcpyDtoH_v2", (void *, device_address, size_t), numbers, on_device, COUNT * sizeof(int));
    for (int at = 0; at < COUNT; at++)
        EXPECT(numbers[at] == ranks * (ranks - 1) / 2 + ranks * at);

    int refused = MPI_Bcast(buffer, 1, every_second, 0, MPI_COMM_WORLD);
    EXPECT(refused != MPI_SUCCESS && MPI_Error_class(refused, &class) == MPI_SUCCESS && class == MPI_ERR_BUFFER);

    CALL("cuMemFree_v2", (device_address), on_device);
    MPI_Type_free(&every_second);
    MPI_Finalize();
    free(numbers);
    printf("Success: rank %d of %d\n", rank, ranks);
    return 0;
}
