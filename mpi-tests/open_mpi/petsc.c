/* Solves a linear system by PETSc on a grid: conjugate gradients with a block Jacobi preconditioner. Prints how many steps it
   took, and the size of the solution, and writes it to a file by MPI-IO. Argument: the path. */
#include <petscdmda.h>
#include <petscksp.h>

enum { SIDE = 40 };

static PetscErrorCode fill(DM grid, Mat matrix)
{
    DMDALocalInfo own;
    PetscFunctionBeginUser;
    PetscCall(DMDAGetLocalInfo(grid, &own));
    for (PetscInt y = own.ys; y < own.ys + own.ym; y++) {
        for (PetscInt x = own.xs; x < own.xs + own.xm; x++) {
            MatStencil row = {.i = x, .j = y}, columns[5];
            PetscScalar values[5];
            PetscInt count = 0;
            for (PetscInt k = 0; k < 5; k++) {
                MatStencil at = {.i = x + (k == 1) - (k == 2), .j = y + (k == 3) - (k == 4)};
                if (at.i >= 0 && at.i < SIDE && at.j >= 0 && at.j < SIDE) {
                    columns[count] = at;
                    values[count++] = k == 0 ? 4 : -1;
                }
            }
            PetscCall(MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Writes a vector, and reads it into another, which takes its place. */
static PetscErrorCode through_file(Vec vector, const char *path)
{
    Vec copy;
    PetscReal difference;
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(vector, &copy));
    for (int is_read = 0; is_read < 2; is_read++) {
        PetscViewer viewer;
        PetscBool is_mpi;
        PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, &viewer));
        PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
        PetscCall(PetscViewerBinarySetUseMPIIO(viewer, PETSC_TRUE));
        PetscCall(PetscViewerFileSetMode(viewer, is_read ? FILE_MODE_READ : FILE_MODE_WRITE));
        PetscCall(PetscViewerFileSetName(viewer, path));
        PetscCall(PetscViewerBinaryGetUseMPIIO(viewer, &is_mpi));
        PetscCall(is_read ? VecLoad(copy, viewer) : VecView(vector, viewer));
        PetscCall(PetscViewerDestroy(&viewer));
        PetscCall(
            PetscPrintf(PETSC_COMM_WORLD, "%s by %s\n", is_read ? "read" : "written", is_mpi ? "MPI-IO" : "POSIX"));
    }
    PetscCall(VecAXPY(copy, -1, vector));
    PetscCall(VecNorm(copy, NORM_INFINITY, &difference));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", difference == 0 ? "the same" : "another"));
    PetscCall(VecDestroy(&copy));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    DM grid;
    Mat matrix;
    Vec right, solution;
    KSP solver;
    PC preconditioner;
    PetscInt steps;
    PetscReal size;
    KSPConvergedReason reason;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, SIDE, SIDE,
                           PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid));
    PetscCall(DMSetUp(grid));
    PetscCall(DMCreateMatrix(grid, &matrix));
    PetscCall(DMCreateGlobalVector(grid, &right));
    PetscCall(VecDuplicate(right, &solution));
    PetscCall(fill(grid, matrix));
    PetscCall(VecSet(right, 1));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetOperators(solver, matrix, matrix));
    PetscCall(KSPSetType(solver, KSPCG));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCBJACOBI));
    PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPSolve(solver, right, solution));
    PetscCall(KSPGetIterationNumber(solver, &steps));
    PetscCall(KSPGetConvergedReason(solver, &reason));
    PetscCall(VecNorm(solution, NORM_2, &size));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d steps, %s, solution %.9e\n", (int)steps, KSPConvergedReasons[reason],
                          (double)size));
    PetscCall(through_file(solution, argv[1]));
    PetscCall(KSPDestroy(&solver));
    PetscCall(MatDestroy(&matrix));
    PetscCall(VecDestroy(&right));
    PetscCall(VecDestroy(&solution));
    PetscCall(DMDestroy(&grid));
    PetscCall(PetscFinalize());
    return 0;
}
