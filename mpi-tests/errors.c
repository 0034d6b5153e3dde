/* Tests of errors: error classes of bad arguments, error handlers, and error classes and codes that a program adds. */
#include "common/report.h"

static int handled;
static MPI_Comm handled_comm;
static int handled_code;

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_comm = *comm;
    handled_code = *code;
}

#define SHOW(call) say("%s: %s", #call, class_name(call))

static void bad_arguments(void)
{
    int value = 0, other = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type;
    SHOW(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
    SHOW(MPI_Send(&value, 1, MPI_INT, -1000, 0, MPI_COMM_WORLD));
    SHOW(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    SHOW(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    SHOW(MPI_Send(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD));
    SHOW(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    SHOW(MPI_Recv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SHOW(MPI_Irecv(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD, &request));
    SHOW(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
    SHOW(MPI_Reduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD));
    SHOW(MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD));
    SHOW(MPI_Comm_rank(MPI_COMM_NULL, &value));
    SHOW(MPI_Comm_size(MPI_COMM_WORLD, NULL));
    SHOW(MPI_Group_size(MPI_GROUP_NULL, &value));
    SHOW(MPI_Type_contiguous(-1, MPI_INT, &type));
    SHOW(MPI_Type_size(MPI_DATATYPE_NULL, &value));
    SHOW(MPI_Comm_free_keyval(NULL));
    CALL(MPI_Type_contiguous(2, MPI_INT, &type));
    SHOW(MPI_Send(&value, 1, type, 0, 0, MPI_COMM_WORLD));
    CALL(MPI_Type_free(&type));
}

static void handlers(void)
{
    MPI_Errhandler mine, found;
    MPI_Comm comm, copy;
    int value = 0, code;
    CALL(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    CALL(MPI_Errhandler_free(&found));
    CHECK(found == MPI_ERRHANDLER_NULL);
    CALL(MPI_Comm_create_errhandler(handler, &mine));
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CALL(MPI_Comm_get_errhandler(comm, &found));
    say("duplicates have the handler: %d", found == MPI_ERRORS_RETURN);
    CALL(MPI_Errhandler_free(&found));
    CALL(MPI_Comm_set_errhandler(comm, mine));
    CALL(MPI_Comm_get_errhandler(comm, &found));
    CHECK(found == mine);
    CALL(MPI_Errhandler_free(&found));
    code = MPI_Send(&value, 1, MPI_INT, size + 1, 0, comm);
    /* The code that the call returns is not checked: MPI leaves it to the implementation. */
    say("handler called %d times, for the communicator %d: %s", handled, handled_comm == comm,
        class_name(handled_code));
    code = MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    say("called: %d, %s, %s", handled, class_name(code), class_name(handled_code));
    CALL(MPI_Comm_dup(comm, &copy));
    MPI_Send(&value, 1, MPI_INT, size + 1, 0, copy);
    say("of a duplicate: %d, %d", handled, handled_comm == copy);
    CALL(MPI_Errhandler_free(&mine));
    MPI_Send(&value, 1, MPI_INT, size + 1, 0, copy);
    say("freed, yet in use: %d", handled);
    CALL(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
    MPI_Send(&value, 1, MPI_INT, size + 1, 0, copy);
    say("replaced: %d", handled);
    CALL(MPI_Comm_free(&copy));
    CALL(MPI_Comm_free(&comm));
}

static void own_codes(void)
{
    int class_, code, length, back = 0;
    char text[MPI_MAX_ERROR_STRING];
    CALL(MPI_Error_string(MPI_ERR_TRUNCATE, text, &length));
    CHECK(length == (int)strlen(text) && length > 0);
    CALL(MPI_Error_class(MPI_ERR_RANK, &back));
    CHECK(back == MPI_ERR_RANK);
    CALL(MPI_Error_class(MPI_SUCCESS, &back));
    CHECK(back == MPI_SUCCESS);
    CALL(MPI_Add_error_class(&class_));
    CHECK(class_ > MPI_ERR_LASTCODE);
    CALL(MPI_Add_error_code(class_, &code));
    CALL(MPI_Add_error_string(class_, "a class of mine"));
    CALL(MPI_Add_error_string(code, "a code of mine"));
    CALL(MPI_Error_class(code, &back));
    say("class of my code: %d", back == class_);
    CALL(MPI_Error_string(code, text, &length));
    say("%s, %d", text, length);
    CALL(MPI_Error_string(class_, text, &length));
    say("%s, %d", text, length);
#if HAVE_MPI_4
    CALL(MPI_Remove_error_string(code));
    CALL(MPI_Remove_error_code(code));
    CALL(MPI_Remove_error_string(class_));
    CALL(MPI_Remove_error_class(class_));
    say("removed");
#endif
}

/* anyccl does not spawn processes. Its errors tell what to do instead. */
static void refused(void)
{
    static char command[] = "true";
    char text[MPI_MAX_ERROR_STRING], port[MPI_MAX_PORT_NAME];
    int length, code, class_ = 0;
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Get_library_version(text, &length);
    if (strncmp(text, "anyccl", 6) != 0) {
        return;
    }
    code = MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
    CALL(MPI_Error_class(code, &class_));
    CALL(MPI_Error_string(code, text, &length));
    CHECK(class_ == MPI_ERR_UNSUPPORTED_OPERATION && strstr(text, "MPI_Comm_spawn") && strstr(text, "anyccl-mpiexec"));
    code = MPI_Open_port(MPI_INFO_NULL, port);
    CALL(MPI_Error_class(code, &class_));
    CALL(MPI_Error_string(code, text, &length));
    CHECK(class_ == MPI_ERR_UNSUPPORTED_OPERATION && strstr(text, "MPI_Open_port") && strstr(text, "one job"));
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    refused();
    bad_arguments();
    handlers();
    own_codes();
    return report_end();
}
