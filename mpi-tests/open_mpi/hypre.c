/* Solves Poisson's equation on a square by hypre: conjugate gradients with algebraic multigrid. Prints how many steps it took, and
   the size of the solution. */
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { SIDE = 48, POINTS = SIDE * SIDE };

static void fill_row(HYPRE_IJMatrix matrix, HYPRE_BigInt row)
{
    HYPRE_BigInt columns[5];
    double values[5];
    HYPRE_Int count = 0;
    const HYPRE_BigInt x = row % SIDE;
    const struct {
        int is_inside, offset;
        double value;
    } stencil[5] = {
        {row >= SIDE, -SIDE, -1}, {x > 0, -1, -1}, {1, 0, 4}, {x < SIDE - 1, 1, -1}, {row < POINTS - SIDE, SIDE, -1},
    };
    for (int i = 0; i < 5; i++) {
        if (stencil[i].is_inside) {
            columns[count] = row + stencil[i].offset;
            values[count++] = stencil[i].value;
        }
    }
    HYPRE_IJMatrixSetValues(matrix, 1, &count, &row, columns, values);
}

static HYPRE_IJVector new_vector(HYPRE_BigInt first, HYPRE_BigInt last, double scale)
{
    HYPRE_IJVector vector;
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &vector);
    HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vector);
    for (HYPRE_BigInt row = first; row <= last; row++) {
        double value = scale * sin((double)row);
        HYPRE_IJVectorSetValues(vector, 1, &row, &value);
    }
    HYPRE_IJVectorAssemble(vector);
    return vector;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const HYPRE_BigInt first = POINTS * rank / size, last = POINTS * (rank + 1) / size - 1;
    HYPRE_IJMatrix ij_matrix;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &ij_matrix);
    HYPRE_IJMatrixSetObjectType(ij_matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(ij_matrix);
    for (HYPRE_BigInt row = first; row <= last; row++) {
        fill_row(ij_matrix, row);
    }
    HYPRE_IJMatrixAssemble(ij_matrix);
    HYPRE_IJVector ij_right = new_vector(first, last, 1), ij_solution = new_vector(first, last, 0);
    HYPRE_ParCSRMatrix matrix;
    HYPRE_ParVector right, solution;
    HYPRE_IJMatrixGetObject(ij_matrix, (void **)&matrix);
    HYPRE_IJVectorGetObject(ij_right, (void **)&right);
    HYPRE_IJVectorGetObject(ij_solution, (void **)&solution);

    HYPRE_Solver solver, multigrid;
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &solver);
    HYPRE_PCGSetTol(solver, 1e-10);
    HYPRE_PCGSetMaxIter(solver, 100);
    HYPRE_BoomerAMGCreate(&multigrid);
    HYPRE_BoomerAMGSetCoarsenType(multigrid, 10);
    HYPRE_BoomerAMGSetRelaxType(multigrid, 6);
    HYPRE_BoomerAMGSetTol(multigrid, 0);
    HYPRE_BoomerAMGSetMaxIter(multigrid, 1);
    HYPRE_PCGSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup,
                        multigrid);
    HYPRE_ParCSRPCGSetup(solver, matrix, right, solution);
    HYPRE_ParCSRPCGSolve(solver, matrix, right, solution);
    HYPRE_Int steps;
    double residual, square;
    HYPRE_PCGGetNumIterations(solver, &steps);
    HYPRE_PCGGetFinalRelativeResidualNorm(solver, &residual);
    HYPRE_ParVectorInnerProd(solution, solution, &square);
    if (rank == 0) {
        printf("%d ranks, %d steps, %s, solution %.9e\n", size, steps, residual < 1e-10 ? "solved" : "not solved",
               square);
    }
    HYPRE_ParCSRPCGDestroy(solver);
    HYPRE_BoomerAMGDestroy(multigrid);
    HYPRE_IJMatrixDestroy(ij_matrix);
    HYPRE_IJVectorDestroy(ij_right);
    HYPRE_IJVectorDestroy(ij_solution);
    HYPRE_Finalize();
    MPI_Finalize();
    return 0;
}
