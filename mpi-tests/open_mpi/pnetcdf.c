/* Writes a record variable and a fixed one with all ranks by PnetCDF, blocking and not, and prints a sum of the bytes of the file.
 *
 * Argument: the path.
 */
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS = 3, ROWS = 10, COLUMNS = 16 };

static void check(int code, int line)
{
    if (code != NC_NOERR) {
        printf("line %d: %s\n", line, ncmpi_strerror(code));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CHECK(call) check(call, __LINE__)

static void print(const char *path, int size)
{
    FILE *file = fopen(path, "rb");
    unsigned long long sum = 0, bytes = 0;
    for (int byte; file && (byte = getc(file)) != EOF; bytes++) {
        sum = sum * 31 + (unsigned)byte;
    }
    printf("%d ranks, %llu bytes: %llx\n", size, bytes, sum);
    fclose(file);
}

int main(int argc, char **argv)
{
    int rank, size, file, dims[3], fixed, records, requests[2], statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
    CHECK(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
    CHECK(ncmpi_def_dim(file, "row", ROWS, &dims[1]));
    CHECK(ncmpi_def_dim(file, "column", COLUMNS, &dims[2]));
    CHECK(ncmpi_def_var(file, "fixed", NC_INT, 2, dims + 1, &fixed));
    CHECK(ncmpi_def_var(file, "records", NC_DOUBLE, 3, dims, &records));
    CHECK(ncmpi_put_att_text(file, NC_GLOBAL, "title", 5, "ranks"));
    CHECK(ncmpi_enddef(file));
    /* Every size-th column is this rank's. */
    MPI_Offset own = (COLUMNS - rank + size - 1) / size, start[] = {0, 0, rank}, count[] = {RECORDS, ROWS, own};
    MPI_Offset stride[] = {1, 1, size};
    int *ints = (int *)malloc((size_t)(ROWS * own) * sizeof *ints);
    double *doubles = (double *)malloc((size_t)(RECORDS * ROWS * own) * sizeof *doubles);
    for (MPI_Offset i = 0; i < RECORDS * ROWS * own; i++) {
        MPI_Offset place = i / own * COLUMNS + i % own * size + rank;
        doubles[i] = (double)place / 8;
        if (i < ROWS * own) {
            ints[i] = (int)place;
        }
    }
    CHECK(ncmpi_put_vars_int_all(file, fixed, start + 1, count + 1, stride + 1, ints));
    CHECK(ncmpi_iput_vars_double(file, records, start, count, stride, doubles, &requests[0]));
    CHECK(ncmpi_wait_all(file, 1, requests, statuses));
    CHECK(ncmpi_sync(file));
    int *got = (int *)calloc((size_t)(ROWS * own), sizeof *got);
    double *those = (double *)calloc((size_t)(RECORDS * ROWS * own), sizeof *those);
    CHECK(ncmpi_iget_vars_int(file, fixed, start + 1, count + 1, stride + 1, got, &requests[0]));
    CHECK(ncmpi_iget_vars_double(file, records, start, count, stride, those, &requests[1]));
    CHECK(ncmpi_wait_all(file, 2, requests, statuses));
    for (MPI_Offset i = 0; i < RECORDS * ROWS * own; i++) {
        check(those[i] == doubles[i] && (i >= ROWS * own || got[i] == ints[i]) ? NC_NOERR : NC_EINVAL, __LINE__);
    }
    CHECK(ncmpi_begin_indep_data(file));
    CHECK(ncmpi_get_vars_int(file, fixed, start + 1, count + 1, stride + 1, got));
    CHECK(ncmpi_end_indep_data(file));
    CHECK(ncmpi_close(file));
    free(ints);
    free(doubles);
    free(got);
    free(those);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        print(argv[1], size);
    }
    MPI_Finalize();
    return 0;
}
