/* Tests of the error handler of calls without a communicator, where the program has set one for MPI_COMM_WORLD only, and
 * then for MPI_COMM_SELF, too.
 */
#include "common/report.h"

static int of_world, of_self;
static MPI_Comm last;

static void world_handler(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    of_world++;
    last = *comm;
}

static void self_handler(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    of_self++;
    last = *comm;
}

static int query(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return *(int *)extra;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int no_cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

/* Calls that fail, and have no communicator. */
static void fail(const char *what)
{
    int beyond = size + 7, count = -1, lost = MPI_ERR_OTHER;
    MPI_Group group, none;
    MPI_Datatype type;
    MPI_Request request;
    of_world = of_self = 0;
    MPI_Type_contiguous(-1, MPI_INT, &type);
    MPI_Type_size(MPI_DATATYPE_NULL, &count);
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &group));
    MPI_Group_incl(group, 1, &beyond, &none);
    CALL(MPI_Group_free(&group));
    MPI_Comm_size(MPI_COMM_NULL, &count);
    say("%s: handler of world %d times, of self %d times", what, of_world, of_self);
    of_world = of_self = 0;
    CALL(MPI_Grequest_start(query, nothing, no_cancel, &lost, &request));
    CALL(MPI_Grequest_complete(request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(of_world + of_self == 1);
    CHECK(last == (of_world ? MPI_COMM_WORLD : MPI_COMM_SELF));
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, found;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    say("returned: %s", class_name(MPI_Type_contiguous(-1, MPI_INT, &type)));
    CALL(MPI_Comm_get_errhandler(MPI_COMM_SELF, &found));
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    CALL(MPI_Comm_create_errhandler(world_handler, &mine));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    CALL(MPI_Errhandler_free(&mine));
    fail("set for world");
    CALL(MPI_Comm_create_errhandler(self_handler, &mine));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine));
    CALL(MPI_Errhandler_free(&mine));
#if HAVE_MPI_4
    fail("set for both");
#endif
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    return report_end();
}
