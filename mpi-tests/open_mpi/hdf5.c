/* Writes an array with all ranks by parallel HDF5, in blocks and in chunks, and prints what one rank then reads of the file.
 *
 * Argument: the path.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 40 };

static int rank, size;

static void check(int is_good, int line)
{
    if (!is_good) {
        printf("rank %d: line %d failed\n", rank, line);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CHECK(condition) check((condition) != 0, __LINE__)

/* Selects every size-th column of a dataset, from that of this rank on, and as many numbers of memory. */
static hid_t columns(hid_t dataset, hid_t *memory, hsize_t *count)
{
    hid_t space = H5Dget_space(dataset);
    hsize_t start[2] = {0, (hsize_t)rank}, stride[2] = {1, (hsize_t)size};
    hsize_t counts[2] = {ROWS, (hsize_t)((COLUMNS - rank + size - 1) / size)};
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, counts, NULL) >= 0);
    *count = counts[0] * counts[1];
    *memory = H5Screate_simple(1, count, NULL);
    return space;
}

/* Writes a dataset and reads it back. `mode` is collective or independent. */
static void dataset(hid_t file, const char *name, H5FD_mpio_xfer_t mode, int is_chunked)
{
    hsize_t shape[2] = {ROWS, COLUMNS}, chunk[2] = {7, 9}, count;
    hid_t whole = H5Screate_simple(2, shape, NULL), creation = H5Pcreate(H5P_DATASET_CREATE), memory;
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    if (is_chunked) {
        CHECK(H5Pset_chunk(creation, 2, chunk) >= 0);
    }
    CHECK(H5Pset_dxpl_mpio(transfer, mode) >= 0);
    hid_t set = H5Dcreate(file, name, H5T_STD_I32BE, whole, H5P_DEFAULT, creation, H5P_DEFAULT);
    hid_t space = columns(set, &memory, &count);
    int *numbers = (int *)malloc(count * sizeof *numbers), *got = (int *)calloc(count, sizeof *got);
    for (hsize_t i = 0; i < count; i++) {
        hsize_t per_row = count / ROWS;
        numbers[i] = (int)(i / per_row * COLUMNS + i % per_row * (hsize_t)size) + rank;
    }
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, memory, space, transfer, numbers) >= 0);
    CHECK(H5Dread(set, H5T_NATIVE_INT, memory, space, transfer, got) >= 0);
    for (hsize_t i = 0; i < count; i++) {
        CHECK(got[i] == numbers[i]);
    }
    free(numbers);
    free(got);
    H5Sclose(space);
    H5Sclose(memory);
    H5Sclose(whole);
    H5Pclose(creation);
    H5Pclose(transfer);
    H5Dclose(set);
}

/* Prints the size of the file, and of each dataset a sum in which places count. */
static void print(const char *path, const char **names, int n)
{
    static int numbers[ROWS * COLUMNS];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t bytes;
    CHECK(file >= 0 && H5Fget_filesize(file, &bytes) >= 0);
    printf("%d ranks, %llu bytes\n", size, (unsigned long long)bytes);
    for (int i = 0; i < n; i++) {
        hid_t set = H5Dopen(file, names[i], H5P_DEFAULT);
        unsigned long long sum = 0;
        CHECK(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
        for (int at = 0; at < ROWS * COLUMNS; at++) {
            CHECK(numbers[at] == at);
            sum = sum * 31 + (unsigned)numbers[at];
        }
        printf("%s: %llx\n", names[i], sum);
        H5Dclose(set);
    }
    H5Fclose(file);
}

int main(int argc, char **argv)
{
    static const char *names[] = {"rows", "alone", "chunks", "chunks alone"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
    hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
    CHECK(file >= 0);
    for (int i = 0; i < 4; i++) {
        dataset(file, names[i], i % 2 ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE, i >= 2);
    }
    /* An attribute is metadata, which all ranks change alike. */
    hsize_t three = 3;
    double values[] = {1.5, 2.5, (double)size};
    hid_t space = H5Screate_simple(1, &three, NULL);
    hid_t attribute = H5Acreate(file, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    CHECK(H5Fclose(file) >= 0);
    H5Pclose(access);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        print(argv[1], names, 4);
    }
    MPI_Finalize();
    return 0;
}
