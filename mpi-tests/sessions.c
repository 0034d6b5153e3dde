/* Tests of sessions: before MPI_Init, beside it and after MPI_Finalize, sets of processes, communicators that are made
 * from groups, error handlers, and buffers. */
#include "common/memory_kinds.h"
#include "common/report.h"

#include <pthread.h>

enum { TAG = 3 };

/* Whether the library is anyccl. Other libraries do not check every argument. */
static int is_ours;
static int handled;
static MPI_Session handled_session;
static int handled_code;

static void handler(MPI_Session *session, int *code, ...)
{
    handled++;
    handled_session = *session;
    handled_code = *code;
}

static MPI_Session open_session(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

/* Sum of the ranks of a communicator, by a call on it. */
static int sum_on(MPI_Comm comm)
{
    int mine, sum = -1;
    CALL(MPI_Comm_rank(comm, &mine));
    CALL(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    return sum;
}

static MPI_Comm from_pset(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    CALL(MPI_Group_from_session_pset(session, pset, &group));
    CALL(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm != MPI_COMM_NULL);
    CALL(MPI_Group_free(&group));
    return comm;
}

/* Sets of processes and their properties. */
static void sets(MPI_Session session)
{
    int n = 0, length, flag, found[2] = {0, 0};
    char name[MPI_MAX_PSET_NAME_LEN], value[64];
    MPI_Info info;
    MPI_Group group;
    CALL(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
    CHECK(n >= 2);
    for (int i = 0; i < n; i++) {
        length = 0;
        CALL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL));
        int needed = length;
        length = MPI_MAX_PSET_NAME_LEN;
        CALL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        /* MPICH 5.0 leaves a length alone that suffices. */
        CHECK((!is_ours || length == needed) && (int)strlen(name) == needed - 1);
        found[0] += !strcmp(name, "mpi://WORLD");
        found[1] += !strcmp(name, "mpi://SELF");
        length = 4;
        CALL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        CHECK(!strcmp(name, "mpi") && (!is_ours || length == needed));
    }
    say("sets: %d, %d", found[0], found[1]);
    for (int i = 0; i < 2; i++) {
        const char *pset = i ? "mpi://SELF" : "mpi://WORLD";
        CALL(MPI_Session_get_pset_info(session, pset, &info));
        length = sizeof value;
        CALL(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
        CHECK(flag);
        CALL(MPI_Info_free(&info));
        CALL(MPI_Group_from_session_pset(session, pset, &group));
        CALL(MPI_Group_size(group, &n));
        say("%s has %s, %d", pset, value, n);
        CALL(MPI_Group_free(&group));
    }
}

/* Communicators of all processes, of one, and of every other one. */
static void communicators(MPI_Session session)
{
    int mine, n, result;
    MPI_Group all, some;
    MPI_Comm comm, own, part, copy;
    CALL(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    CALL(MPI_Group_rank(all, &rank));
    CALL(MPI_Group_size(all, &size));
    comm = from_pset(session, "mpi://WORLD", "all of them");
    CALL(MPI_Comm_rank(comm, &mine));
    CALL(MPI_Comm_size(comm, &n));
    CHECK(mine == rank && n == size);
    say("all: %d", sum_on(comm));
    own = from_pset(session, "mpi://SELF", "one");
    say("one: %d", sum_on(own));
    int range[1][3] = {{rank % 2, size - 1, 2}};
    CALL(MPI_Group_range_incl(all, 1, range, &some));
    CALL(MPI_Comm_create_from_group(some, "every other one", MPI_INFO_NULL, MPI_ERRORS_RETURN, &part));
    say("every other one: %d", sum_on(part));
    CALL(MPI_Comm_compare(comm, part, &result));
    CHECK(size == 1 ? result == MPI_CONGRUENT : result == MPI_UNEQUAL);
    CALL(MPI_Comm_dup(part, &copy));
    say("a duplicate: %d", sum_on(copy));
    CALL(MPI_Comm_free(&copy));
    CALL(MPI_Comm_split(comm, 0, -rank, &copy));
    CALL(MPI_Comm_rank(copy, &mine));
    say("a split: %d", mine);
    CALL(MPI_Comm_free(&copy));
    if (size > 1) {
        MPI_Comm inter, merged;
        MPI_Group others;
        int other[1][3] = {{1 - rank % 2, size - 1, 2}};
        CALL(MPI_Group_range_incl(all, 1, other, &others));
        CALL(MPI_Intercomm_create_from_groups(some, 0, others, 0, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
        CALL(MPI_Comm_remote_size(inter, &n));
        CALL(MPI_Intercomm_merge(inter, rank % 2, &merged));
        CALL(MPI_Comm_rank(merged, &mine));
        say("between both: %d remote, %d merged, %d", n, mine, sum_on(merged));
        CALL(MPI_Comm_free(&merged));
        CALL(MPI_Comm_free(&inter));
        CALL(MPI_Group_free(&others));
    }
    CALL(MPI_Group_free(&all));
    CALL(MPI_Group_free(&some));
    CALL(MPI_Comm_free(&part));
    CALL(MPI_Comm_free(&own));
    CALL(MPI_Comm_free(&comm));
}

static void levels(void)
{
    static const char *const names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE"};
    MPI_Session session;
    MPI_Info info, used;
    char value[64] = "";
    int length, flag;
    for (int i = 0; i < 2; i++) {
        CALL(MPI_Info_create(&info));
        CALL(MPI_Info_set(info, "thread_level", names[i]));
        CALL(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
        CALL(MPI_Info_free(&info));
        CALL(MPI_Session_get_info(session, &used));
        length = sizeof value;
        CALL(MPI_Info_get_string(used, "thread_level", &length, value, &flag));
        CHECK(flag);
        if (is_ours) {
            CHECK(!strcmp(value, names[i]));
        }
        check_memory_kinds(used);
        CALL(MPI_Info_free(&used));
        CALL(MPI_Session_finalize(&session));
        CHECK(session == MPI_SESSION_NULL);
    }
}

#define FAILS(class_, call) CHECK(!strcmp(class_name(call), class_))

static void errors(void)
{
    MPI_Session session, other = open_session();
    MPI_Errhandler mine, found;
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;
    int n, code;
    CALL(MPI_Session_create_errhandler(handler, &mine));
    CALL(MPI_Session_init(MPI_INFO_NULL, mine, &session));
    CALL(MPI_Session_get_errhandler(session, &found));
    CHECK(found == mine);
    CALL(MPI_Errhandler_free(&found));
    CALL(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    say("called: %d, %d, %s", handled, handled_session == session, class_name(handled_code));
    CALL(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    CALL(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    say("replaced: %d", handled);
    CALL(MPI_Session_get_errhandler(session, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    CALL(MPI_Session_set_errhandler(session, mine));
    CALL(MPI_Errhandler_free(&mine));
    if (is_ours) {
        MPI_Info info;
        handled = 0;
        code = MPI_Group_from_session_pset(session, "mpi://NOBODY", &group);
        CHECK(handled == 1 && handled_session == session && code != MPI_SUCCESS && group == MPI_GROUP_NULL);
        CALL(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
        FAILS("ARG", MPI_Group_from_session_pset(session, "mpi://NOBODY", &group));
        FAILS("ARG", MPI_Session_get_pset_info(session, "mpi://NOBODY", &info));
        n = 0;
        FAILS("ARG", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1000, &n, NULL));
        FAILS("ARG", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &n, NULL));
        CALL(MPI_Info_create(&info));
        CALL(MPI_Info_set(info, "thread_level", "some"));
        MPI_Session none = MPI_SESSION_NULL;
        FAILS("INFO_VALUE", MPI_Session_init(info, MPI_ERRORS_RETURN, &none));
        CALL(MPI_Info_free(&info));
        CALL(MPI_Group_from_session_pset(other, "mpi://SELF", &group));
        char *longer = (char *)malloc(3000);
        memset(longer, 'x', 2999);
        longer[2999] = 0;
        FAILS("ARG", MPI_Comm_create_from_group(group, longer, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        FAILS("GROUP", MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        FAILS("RANK",
              MPI_Intercomm_create_from_groups(group, 7, group, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        FAILS("GROUP",
              MPI_Intercomm_create_from_groups(group, 0, group, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        free(longer);
        CALL(MPI_Group_free(&group));
        CALL(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        CHECK(comm == MPI_COMM_NULL);
    }
    CALL(MPI_Session_finalize(&session));
    CALL(MPI_Session_finalize(&other));
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
/* The buffer of a session is that of buffered sends on its communicators. */
static void buffers(void)
{
    static char room[4096], *back;
    MPI_Session session;
    MPI_Request request;
    int value = 41, got = 0, bytes = 0;
    if (!is_ours) {
        return;
    }
    session = open_session();
    MPI_Comm comm = from_pset(session, "mpi://SELF", "buffers"), copy;
    CALL(MPI_Comm_dup(comm, &copy));
    FAILS("BUFFER", MPI_Bsend(&value, 1, MPI_INT, 0, TAG, copy));
    CALL(MPI_Session_attach_buffer(session, room, sizeof room));
    CALL(MPI_Bsend(&value, 1, MPI_INT, 0, TAG, copy));
    CALL(MPI_Recv(&got, 1, MPI_INT, 0, TAG, copy, MPI_STATUS_IGNORE));
    CALL(MPI_Session_flush_buffer(session));
    CALL(MPI_Session_iflush_buffer(session, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Session_detach_buffer(session, &back, &bytes));
    CHECK(got == 41 && back == room && bytes == sizeof room);
    CALL(MPI_Comm_free(&copy));
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Session_finalize(&session));
}
#else
static void buffers(void) {}
#endif

static MPI_Session of_threads;

static void *meet(void *number)
{
    char tag[32];
    int good = 0;
    snprintf(tag, sizeof tag, "thread %d", *(int *)number);
    for (int i = 0; i < 8; i++) {
        MPI_Comm comm = from_pset(of_threads, "mpi://WORLD", tag);
        good += sum_on(comm) == size * (size - 1) / 2;
        CALL(MPI_Comm_free(&comm));
    }
    CHECK(good == 8);
    return NULL;
}

/* Threads make communicators at the same time, and tell them apart by their texts. */
static void threads(void)
{
    pthread_t made[3];
    int numbers[3] = {0, 1, 2};
    if (!is_ours) {
        return;
    }
    of_threads = open_session();
    for (int i = 0; i < 3; i++) {
        pthread_create(&made[i], NULL, meet, &numbers[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(made[i], NULL);
    }
    CALL(MPI_Session_finalize(&of_threads));
}

static void again_and_again(void)
{
    for (int i = 0; i < 5; i++) {
        MPI_Session first = open_session(), second = open_session();
        CHECK(first != second);
        MPI_Comm comm = from_pset(first, "mpi://WORLD", "again"), other = from_pset(second, "mpi://WORLD", "again");
        CHECK(sum_on(comm) == sum_on(other));
        CALL(MPI_Comm_free(&comm));
        CALL(MPI_Session_finalize(&first));
        sum_on(other);
        CALL(MPI_Comm_disconnect(&other));
        CALL(MPI_Session_finalize(&second));
    }
}

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, flag, status;
    MPI_Get_library_version(version, &length);
    is_ours = !strncmp(version, "anyccl", 6);
    MPI_Session session = open_session();
    CALL(MPI_Initialized(&flag));
    say("initialized: %d", flag);
    sets(session);
    communicators(session);
    CALL(MPI_Session_finalize(&session));
    errors();
    levels();
    again_and_again();
    threads();
    session = open_session();
    MPI_Comm comm = from_pset(session, "mpi://WORLD", "beside the world");
    report_begin(&argc, &argv, MPI_THREAD_MULTIPLE);
    CALL(MPI_Initialized(&flag));
    say("beside the world: %d, %d, %d", flag, sum_on(comm), sum_on(MPI_COMM_WORLD));
    buffers();
    errors();
    again_and_again();
    status = report_end();
    report_failures = 0;
    report_text = NULL;
    report_length = report_room = 0;
    CHECK(sum_on(comm) == size * (size - 1) / 2);
    MPI_Finalized(&flag);
    CHECK(flag);
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Session_finalize(&session));
    session = open_session();
    comm = from_pset(session, "mpi://WORLD", "after the world");
    CHECK(sum_on(comm) == size * (size - 1) / 2);
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Session_finalize(&session));
    if (report_failures) {
        fprintf(stderr, "%d: FAILED after MPI_Finalize\n", rank);
    }
    return status || report_failures;
}
