/* Finds the four largest eigenvalues of a tridiagonal matrix by SLEPc, and prints them. */
#include <slepceps.h>

enum { ROWS = 100, WANTED = 4 };

int main(int argc, char **argv)
{
    Mat matrix;
    EPS problem;
    PetscInt first, end, found;
    PetscFunctionBeginUser;
    PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, ROWS, ROWS, 3, NULL, 2, NULL, &matrix));
    PetscCall(MatGetOwnershipRange(matrix, &first, &end));
    for (PetscInt row = first; row < end; row++) {
        for (PetscInt column = PetscMax(row - 1, 0); column <= PetscMin(row + 1, ROWS - 1); column++) {
            PetscCall(MatSetValue(matrix, row, column, row == column ? 2 : -1, INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &problem));
    PetscCall(EPSSetOperators(problem, matrix, NULL));
    PetscCall(EPSSetProblemType(problem, EPS_HEP));
    PetscCall(EPSSetDimensions(problem, WANTED, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSolve(problem));
    PetscCall(EPSGetConverged(problem, &found));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s:", found < WANTED ? "too few" : "eigenvalues"));
    for (PetscInt i = 0; i < PetscMin(found, WANTED); i++) {
        PetscScalar value;
        PetscCall(EPSGetEigenvalue(problem, i, &value, NULL));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %.9f", (double)value));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
    PetscCall(EPSDestroy(&problem));
    PetscCall(MatDestroy(&matrix));
    PetscCall(SlepcFinalize());
    return 0;
}
