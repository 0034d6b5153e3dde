/* A rank's lock does not come within its time limit: its calls say so, nothing of its accesses happens, and others get
 * the lock as if it had never asked. Later it gets the lock, too. Before that: a lock that is free, and a put, need
 * nothing of the target.
 *
 * Rank 0 has the window, rank 1 holds its lock, and rank 2 has a time limit. Rank 2 makes no call of MPI while rank 1
 * takes the lock again: it waits for the file that the first argument names.
 */
#define _POSIX_C_SOURCE 200809L
#include "common/report.h"

#include <unistd.h>

enum { TARGET, HOLDER, LATE };
enum { UNLOCKED, FLUSHED, ALL, BY_REQUEST, WAYS };

static MPI_Win win;
static const char *file;

static void token(int from, int to)
{
    if (rank == from) {
        CALL(MPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD));
    } else if (rank == to) {
        CALL(MPI_Recv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/* The lock fails, at once or with what waits for it. */
static void ask_too_long(int way)
{
    const int value = 99;
    int read = -1, class_, length, is_locked = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Request request = MPI_REQUEST_NULL;
    int code = way == ALL ? MPI_Win_lock_all(0, win) : MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    if (code == MPI_SUCCESS) {
        is_locked = 1;
        code = MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win);
    }
    if (code == MPI_SUCCESS && (way == UNLOCKED || way == BY_REQUEST)) {
        CALL(MPI_Rget(&read, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win, &request));
    }
    if (code == MPI_SUCCESS && way == BY_REQUEST) {
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (code == MPI_SUCCESS) {
        code = way == FLUSHED || way == ALL ? MPI_Win_flush(TARGET, win) : MPI_Win_unlock(TARGET, win);
    }
    MPI_Error_class(code, &class_);
    MPI_Error_string(code, text, &length);
    CHECK(class_ == MPI_ERR_OTHER);
    CHECK(strstr(text, "the lock on rank 0") != NULL);
    if (strstr(text, "the lock on rank 0") == NULL) {
        say("FAILED, %s", text);
    }
    if (request != MPI_REQUEST_NULL) {
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    }
    CHECK(read == -1);
    /* The rank has no lock now. */
    code = MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win);
    MPI_Error_class(code, &class_);
    CHECK(class_ == MPI_ERR_RMA_SYNC);
    if (way == ALL && is_locked) {
        CALL(MPI_Put(&value, 1, MPI_INT, LATE, 0, 1, MPI_INT, win));
        CALL(MPI_Win_unlock_all(win));
    }
}

/* Puts a value under a lock of this kind, and returns the one before. */
static int exchange(int lock_type, int value)
{
    int before = -1;
    CALL(MPI_Win_lock(lock_type, TARGET, 0, win));
    CALL(MPI_Get(&before, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win));
    CALL(MPI_Win_flush(TARGET, win));
    CALL(MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win));
    CALL(MPI_Win_unlock(TARGET, win));
    return before;
}

static void make_file(void)
{
    FILE *signal = fopen(file, "w");
    CHECK(signal != NULL && fclose(signal) == 0);
}

static void wait_for_file(void)
{
    while (access(file, F_OK) != 0) {
    }
    CHECK(unlink(file) == 0);
}

static void one(int way)
{
    const int lock_type = way % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    if (rank == HOLDER) {
        const int value = 10 + way;
        CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win));
        CALL(MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win));
        CALL(MPI_Win_flush(TARGET, win));
    }
    token(HOLDER, LATE);
    if (rank == LATE) {
        ask_too_long(way);
    }
    token(LATE, HOLDER);
    if (rank == HOLDER) {
        CALL(MPI_Win_unlock(TARGET, win));
        CHECK(exchange(lock_type, 20) == 10 + way);
        make_file();
    } else if (rank == LATE) {
        wait_for_file();
        CHECK(exchange(lock_type, 30) == 20);
        CHECK(exchange(MPI_LOCK_EXCLUSIVE, 40) == 30);
    }
    token(LATE, HOLDER);
}

/* The target makes no call of MPI until the put has returned. */
static void without_the_target(void)
{
    const int value = 5;
    if (rank == LATE) {
        CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win));
        CALL(MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win));
        make_file();
        CALL(MPI_Win_unlock(TARGET, win));
        CHECK(exchange(MPI_LOCK_SHARED, 6) == value);
    } else if (rank == TARGET) {
        wait_for_file();
    }
}

int main(int argc, char **argv)
{
    const char *number = getenv("ANYCCL_RANK");
    int *memory;
    file = argc > 2 ? argv[1] : "";
    if (argc > 2 && number && atoi(number) == LATE) {
        setenv("ANYCCL_TIMEOUT_MS", argv[2], 1);
    }
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    CALL(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    without_the_target();
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    for (int way = 0; way < WAYS; way++) {
        one(way);
        /* Rank 0 serves others here. */
        CALL(MPI_Barrier(MPI_COMM_WORLD));
    }
    CALL(MPI_Win_free(&win));
    say("%d ways", WAYS);
    return report_end();
}
