/* A tool for MPI's profiling interface. It counts MPI_Send and MPI_Allreduce, and calls the PMPI functions.
 *
 * The library is preloaded. When MPI ends, each rank prints its numbers of calls and elements.
 */
#include <mpi.h>
#include <stdio.h>

static int sends, reductions, rank = -1;
static long long sent, reduced;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    sent += count;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    reductions++;
    reduced += count;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

#ifdef OPEN_MPI
/* Open MPI's header does not have them. */
int PMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int PMPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm);
#endif

int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    sent += count;
    return PMPI_Send_c(buf, count, datatype, dest, tag, comm);
}

int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm)
{
    reductions++;
    reduced += count;
    return PMPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Finalize(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "profiler %d: %d sends of %lld, %d reductions of %lld\n", rank, sends, sent, reductions, reduced);
    return PMPI_Finalize();
}
