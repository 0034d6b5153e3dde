/* Transforms a matrix forward and back by FFTW, and prints the energy of the transform. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 32, COLUMNS = 24 };

static double real(ptrdiff_t row, ptrdiff_t column)
{
    return sin((double)row) + (double)column;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ptrdiff_t rows, first;
    ptrdiff_t room = fftw_mpi_local_size_2d(ROWS, COLUMNS, MPI_COMM_WORLD, &rows, &first);
    fftw_complex *data = fftw_alloc_complex((size_t)room);
    fftw_plan forward = fftw_mpi_plan_dft_2d(ROWS, COLUMNS, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_mpi_plan_dft_2d(ROWS, COLUMNS, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < rows * COLUMNS; i++) {
        data[i][0] = real(first + i / COLUMNS, i % COLUMNS);
        data[i][1] = cos((double)i);
    }
    fftw_execute(forward);
    double energy = 0, worst = 0, all_energy, all_worst;
    for (ptrdiff_t i = 0; i < rows * COLUMNS; i++) {
        energy += data[i][0] * data[i][0] + data[i][1] * data[i][1];
    }
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < rows * COLUMNS; i++) {
        worst = fmax(worst, fabs(data[i][0] / (ROWS * COLUMNS) - real(first + i / COLUMNS, i % COLUMNS)));
    }
    MPI_Reduce(&energy, &all_energy, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&worst, &all_worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks, energy %.9e, %s\n", size, all_energy, all_worst < 1e-12 ? "and back" : "not back");
    }
    MPI_Finalize();
    return 0;
}
