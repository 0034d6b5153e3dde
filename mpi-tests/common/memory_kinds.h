/* Checks that the hints of an object name the kinds of memory that MPI requires. Libraries before MPI 4.1 do not. */
#ifndef MEMORY_KINDS_H
#define MEMORY_KINDS_H

#include "report.h"

static inline void check_memory_kinds(MPI_Info hints)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], kinds[200] = "";
    int length, is_there;
    CALL(MPI_Get_library_version(version, &length));
    CALL(MPI_Info_get(hints, "mpi_memory_alloc_kinds", (int)sizeof kinds - 1, kinds, &is_there));
    if (!strncmp(version, "anyccl", 6)) {
        CHECK(is_there && !strncmp(kinds, "mpi,system", 10) && strstr(kinds, "mpi:win_allocate_shared"));
    }
}

#endif
