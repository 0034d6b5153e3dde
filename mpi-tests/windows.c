/* Tests of windows: making them, attributes, operators on all datatypes, synchronization, and errors. */
#include "common/memory_kinds.h"
#include "common/report.h"

#include <sched.h>

/* Whether the library is anyccl, whose errors are checked more closely. */
static int is_anyccl;

static void which_library(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    CALL(MPI_Get_library_version(version, &length));
    is_anyccl = strncmp(version, "anyccl", 6) == 0;
}

static int class_of(int code)
{
    int class_ = -1;
    MPI_Error_class(code, &class_);
    return class_;
}

static int attribute_of(MPI_Win win, int key)
{
    int *value = NULL, flag = 0;
    CALL(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag);
    return flag ? *value : -1;
}

static MPI_Win allocated(MPI_Aint bytes, int disp_unit, void *base)
{
    MPI_Win win = MPI_WIN_NULL;
    CALL(MPI_Win_allocate(bytes, disp_unit, MPI_INFO_NULL, MPI_COMM_WORLD, base, &win));
    CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static int deleted;

static int count_delete(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int *base = NULL, flag, key, same, length;
    char name[MPI_MAX_OBJECT_NAME];
    void *value;
    MPI_Aint *bytes;
    MPI_Group group, world;
    MPI_Win win = allocated(40, 4, &base);
    CALL(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag && value == base);
    CALL(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == 40);
    CHECK(attribute_of(win, MPI_WIN_DISP_UNIT) == 4);
    CHECK(attribute_of(win, MPI_WIN_CREATE_FLAVOR) == MPI_WIN_FLAVOR_ALLOCATE);
    CHECK(attribute_of(win, MPI_WIN_MODEL) == MPI_WIN_UNIFIED);
    CALL(MPI_Win_get_group(win, &group));
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CALL(MPI_Group_compare(group, world, &same));
    CHECK(same == MPI_IDENT);
    CALL(MPI_Group_free(&group));
    CALL(MPI_Group_free(&world));
    CALL(MPI_Win_set_name(win, "a window"));
    CALL(MPI_Win_get_name(win, name, &length));
    CHECK(length == 8 && strcmp(name, "a window") == 0);
    CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_delete, &key, NULL));
    CALL(MPI_Win_set_attr(win, key, &key));
    CALL(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == &key);
    CALL(MPI_Win_delete_attr(win, key));
    CHECK(deleted == 1);
    CALL(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(!flag);
    CALL(MPI_Win_set_attr(win, key, &key));
    CALL(MPI_Win_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Fint number = MPI_Win_c2f(win);
    CHECK(MPI_Win_f2c(number) == win);
    CALL(MPI_Win_free(&win));
    CHECK(deleted == 2 && win == MPI_WIN_NULL);
}

/* Whether all ranks share memory, so that MPI_Win_allocate_shared works. */
static int is_one_host(void)
{
    MPI_Comm host;
    int of_host;
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
    CALL(MPI_Comm_size(host, &of_host));
    CALL(MPI_Comm_free(&host));
    CALL(MPI_Allreduce(MPI_IN_PLACE, &of_host, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    return of_host == size;
}

/* A window has the hints that it was given, and the standard's defaults for others. */
static void hints(void)
{
    MPI_Win win;
    MPI_Info info;
    int *base, is_there;
    char value[100];
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "accumulate_ordering", "none"));
    CALL(MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &base, &win));
    CALL(MPI_Info_free(&info));
    CALL(MPI_Win_get_info(win, &info));
    CALL(MPI_Info_get(info, "accumulate_ordering", (int)sizeof value - 1, value, &is_there));
    CHECK(!is_anyccl || (is_there && strcmp(value, "none") == 0));
    CALL(MPI_Info_get(info, "accumulate_ops", (int)sizeof value - 1, value, &is_there));
    CHECK(!is_anyccl || (is_there && strcmp(value, "same_op_no_op") == 0));
    check_memory_kinds(info);
    CALL(MPI_Info_free(&info));
    CALL(MPI_Win_free(&win));
}

/* Memory of MPI_Win_allocate_shared is used by loads and stores, of all ranks that MPI_Comm_split_type says share it. */
static void shared_memory(int is_apart)
{
    MPI_Win win;
    MPI_Info info;
    MPI_Comm near;
    MPI_Aint bytes;
    int *base, *theirs, unit, own, ranks;
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    CALL(MPI_Comm_rank(near, &own));
    CALL(MPI_Comm_size(near, &ranks));
    int count = own == 1 ? 0 : own + 2;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "alloc_shared_noncontig", is_apart ? "true" : "false"));
    CALL(MPI_Win_allocate_shared(count * (MPI_Aint)sizeof(int), sizeof(int), info, near, &base, &win));
    CALL(MPI_Info_free(&info));
    CHECK(attribute_of(win, MPI_WIN_CREATE_FLAVOR) == MPI_WIN_FLAVOR_SHARED);
    CALL(MPI_Win_fence(0, win));
    for (int i = 0; i < count; i++) {
        base[i] = 100 * own + i;
    }
    CALL(MPI_Win_fence(0, win));
    int *last = NULL;
    for (int peer = 0; peer < ranks; peer++) {
        CALL(MPI_Win_shared_query(win, peer, &bytes, &unit, &theirs));
        CHECK(bytes == (MPI_Aint)sizeof(int) * (peer == 1 ? 0 : peer + 2) && unit == (int)sizeof(int));
        for (int i = 0; i < (peer == 1 ? 0 : peer + 2); i++) {
            CHECK(theirs[i] == 100 * peer + i);
        }
        CHECK(is_apart || bytes == 0 || !last || theirs == last);
        if (bytes > 0) {
            last = theirs + peer + 2;
        }
    }
    CALL(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &theirs));
    CHECK(bytes == 2 * (MPI_Aint)sizeof(int) && theirs[1] == 1);
    CALL(MPI_Win_fence(0, win));
    CALL(MPI_Win_free(&win));
    CALL(MPI_Comm_free(&near));
}

/* The first rank that has memory is the same for all ranks, whether they reach its memory or not. */
static void first_memory(void)
{
    MPI_Win win;
    MPI_Aint bytes, first = size > 1 ? 2 * (MPI_Aint)sizeof(int) : 0;
    int *base, *found, unit;
    CALL(MPI_Win_allocate(rank > 0 ? (rank + 1) * (MPI_Aint)sizeof(int) : 0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                          &win));
    CALL(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found));
    CHECK(unit == 4 && (bytes == first || bytes == 0));
    CHECK(rank != 1 || (bytes == first && found == base));
    CALL(MPI_Win_free(&win));
}

static const MPI_Datatype types[] = {MPI_SIGNED_CHAR,
                                     MPI_UNSIGNED_CHAR,
                                     MPI_SHORT,
                                     MPI_UNSIGNED_SHORT,
                                     MPI_INT,
                                     MPI_UNSIGNED,
                                     MPI_LONG,
                                     MPI_UNSIGNED_LONG,
                                     MPI_LONG_LONG,
                                     MPI_UNSIGNED_LONG_LONG,
                                     MPI_FLOAT,
                                     MPI_DOUBLE,
                                     MPI_LONG_DOUBLE,
                                     MPI_C_BOOL,
                                     MPI_INT8_T,
                                     MPI_UINT16_T,
                                     MPI_INT32_T,
                                     MPI_UINT64_T,
                                     MPI_AINT,
                                     MPI_OFFSET,
                                     MPI_COUNT,
                                     MPI_BYTE,
                                     MPI_C_FLOAT_COMPLEX,
                                     MPI_C_DOUBLE_COMPLEX,
                                     MPI_C_LONG_DOUBLE_COMPLEX,
                                     MPI_FLOAT_INT,
                                     MPI_DOUBLE_INT,
                                     MPI_LONG_INT,
                                     MPI_2INT,
                                     MPI_SHORT_INT,
                                     MPI_LONG_DOUBLE_INT};
static const MPI_Op ops[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                             MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};

/* Fills memory with elements that are small numbers of the datatype. */
static void fill(unsigned char *place, MPI_Datatype type, int count, int by)
{
    MPI_Aint lb, extent;
    CALL(MPI_Type_get_extent(type, &lb, &extent));
    memset(place, 0, (size_t)(count * extent));
    for (int i = 0; i < count; i++) {
        unsigned char *at = place + i * extent;
        int number = (by * 7 + i * 3) % 5 + 1;
        if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX || type == MPI_FLOAT_INT) {
            *(float *)(void *)at = (float)number;
        } else if (type == MPI_DOUBLE || type == MPI_C_DOUBLE_COMPLEX || type == MPI_DOUBLE_INT) {
            *(double *)(void *)at = number;
        } else if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX || type == MPI_LONG_DOUBLE_INT) {
            *(long double *)(void *)at = number;
        } else if (type == MPI_C_BOOL) {
            *at = number % 2;
        } else {
            *at = (unsigned char)number;
        }
        if (type == MPI_DOUBLE_INT) {
            *(int *)(void *)(at + 8) = number;
        }
    }
}

/* Every operator on every datatype: an accumulate does what MPI_Reduce_local does. */
static void operators(void)
{
    enum { COUNT = 7 };
    static unsigned char mine[COUNT * 32], expected[COUNT * 32], old[COUNT * 32], before[COUNT * 32];
    unsigned char *base;
    int peer = (rank + 1) % size, source = (rank + size - 1) % size;
    MPI_Win win = allocated(sizeof mine, 1, &base);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        MPI_Aint lb, extent;
        CALL(MPI_Type_get_extent(types[t], &lb, &extent));
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            size_t bytes = (size_t)(COUNT * extent);
            fill(before, types[t], COUNT, 1);
            fill(mine, types[t], COUNT, 2 + rank);
            fill(expected, types[t], COUNT, 2 + source);
            unsigned char *result = (unsigned char *)malloc(bytes);
            memcpy(result, before, bytes);
            int is_defined = MPI_Reduce_local(expected, result, COUNT, types[t], ops[o]) == MPI_SUCCESS;
            CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
            memcpy(base, before, bytes);
            CALL(MPI_Win_unlock(rank, win));
            CALL(MPI_Barrier(MPI_COMM_WORLD));
            CALL(MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win));
            memset(old, 0, sizeof old);
            if (is_defined) {
                CALL(MPI_Get_accumulate(mine, COUNT, types[t], old, COUNT, types[t], peer, 0, COUNT, types[t], ops[o],
                                        win));
            } else if (is_anyccl) {
                CHECK(class_of(MPI_Accumulate(mine, COUNT, types[t], peer, 0, COUNT, types[t], ops[o], win)) ==
                      MPI_ERR_OP);
            }
            CALL(MPI_Win_unlock(peer, win));
            CALL(MPI_Barrier(MPI_COMM_WORLD));
            CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
            CHECK(memcmp(base, is_defined ? result : before, bytes) == 0);
            CHECK(!is_defined || memcmp(old, before, bytes) == 0);
            CALL(MPI_Win_unlock(rank, win));
            free(result);
        }
    }
    CALL(MPI_Win_free(&win));
}

/* Whether ranks are reached by messages, which need a call of the target, or a thread of the library there. */
static int needs_calls(void)
{
    const char *progress = getenv("ANYCCL_ASYNC_PROGRESS");
    int has_thread = progress && strcmp(progress, "1") == 0;
    return !is_one_host() && !has_thread;
}

/* A rank that computes is reached without its help; or one that only tests, on another host. */
static void computing_target(void)
{
    volatile int *base;
    int one = 1, target = size - 1, tests = needs_calls(), flag;
    MPI_Win win = allocated(sizeof(int), sizeof(int), (void *)&base);
    *base = 0;
    CALL(MPI_Win_lock_all(0, win));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == target && size > 1) {
        while (*base == 0) {
            sched_yield();
            if (tests) {
                CALL(MPI_Iprobe(0, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            }
        }
    } else if (rank == 0) {
        CALL(MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
        CALL(MPI_Win_flush(target, win));
    }
    CALL(MPI_Win_unlock_all(win));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(*base == (rank == target));
    CALL(MPI_Win_free(&win));
}

/* An exclusive lock excludes: get, add and put do not get in each other's way. */
static void exclusion(void)
{
    enum { TIMES = 200 };
    int *base, got;
    MPI_Win win = allocated(sizeof(int), sizeof(int), &base);
    *base = 0;
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < TIMES; i++) {
        CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CALL(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        CALL(MPI_Win_flush(0, win));
        got++;
        CALL(MPI_Put(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        CALL(MPI_Win_unlock(0, win));
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CALL(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    CALL(MPI_Win_unlock(0, win));
    CHECK(got == TIMES * size);
    CALL(MPI_Win_free(&win));
}

static MPI_Win failed_win;
static int failed_calls;

static void count_failure(MPI_Win *win, int *code, ...)
{
    failed_win = *win;
    failed_calls += *code != MPI_SUCCESS;
}

static void failures(void)
{
    int *base, word = 0;
    MPI_Errhandler handler, got;
    MPI_Win win = allocated(4 * sizeof(int), sizeof(int), &base);
    CALL(MPI_Win_create_errhandler(count_failure, &handler));
    CALL(MPI_Win_set_errhandler(win, handler));
    CALL(MPI_Win_get_errhandler(win, &got));
    CHECK(got == handler);
    CALL(MPI_Errhandler_free(&got));
    CALL(MPI_Errhandler_free(&handler));
    CALL(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK(failed_calls == 1 && failed_win == win);
    CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CALL(MPI_Win_fence(0, win));
    CALL(MPI_Put(&word, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    CHECK(class_of(MPI_Put(&word, 1, MPI_INT, size, 0, 1, MPI_INT, win)) == MPI_ERR_RANK);
    if (is_anyccl) {
        CHECK(class_of(MPI_Put(&word, 1, MPI_INT, 0, 4, 1, MPI_INT, win)) == MPI_ERR_RMA_RANGE);
        CHECK(class_of(MPI_Put(&word, 1, MPI_INT, 0, -1, 1, MPI_INT, win)) == MPI_ERR_DISP);
        CHECK(class_of(MPI_Get(&word, 1, MPI_INT, 0, 0, 2, MPI_INT, win)) == MPI_ERR_TRUNCATE);
        CHECK(class_of(MPI_Win_unlock(0, win)) == MPI_ERR_RMA_SYNC);
        CHECK(class_of(MPI_Win_complete(win)) == MPI_ERR_RMA_SYNC);
        CHECK(class_of(MPI_Win_attach(win, base, 4)) == MPI_ERR_RMA_FLAVOR);
    }
    CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    if (is_anyccl) {
        CHECK(class_of(MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, win)) == MPI_ERR_RMA_SYNC);
        CALL(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        CHECK(class_of(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)) == MPI_ERR_RMA_SYNC);
        CHECK(class_of(MPI_Put(&word, 1, MPI_INT, size - 1, 0, 1, MPI_INT, win)) ==
              (size == 1 ? MPI_SUCCESS : MPI_ERR_RMA_SYNC));
        CALL(MPI_Win_unlock(0, win));
        CHECK(class_of(MPI_Win_lock(99, 0, 0, win)) == MPI_ERR_LOCKTYPE);
    }
    CALL(MPI_Win_free(&win));
    CHECK(class_of(MPI_Win_fence(0, win)) == MPI_ERR_WIN);
    if (is_anyccl) {
        CHECK(class_of(MPI_Win_create(base, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)) == MPI_ERR_SIZE);
        CHECK(class_of(MPI_Win_create(NULL, 0, rank == 0 ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)) ==
              MPI_ERR_DISP);
    }
}

static void dynamic(void)
{
    enum { PIECES = 40 };
    int *pieces[PIECES], values[2] = {rank, rank + 1}, got[2], peer = (rank + 1) % size;
    MPI_Aint places[PIECES], theirs[PIECES];
    MPI_Win win;
    CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK(attribute_of(win, MPI_WIN_CREATE_FLAVOR) == MPI_WIN_FLAVOR_DYNAMIC);
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = (int *)calloc(2, sizeof(int));
        CALL(MPI_Win_attach(win, pieces[i], 2 * sizeof(int)));
        CALL(MPI_Get_address(pieces[i], &places[i]));
    }
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    CALL(MPI_Sendrecv(places, PIECES, MPI_AINT, before, 0, theirs, PIECES, MPI_AINT, next, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    CALL(MPI_Win_lock_all(0, win));
    for (int i = 0; i < PIECES; i++) {
        CALL(MPI_Put(values, 2, MPI_INT, peer, theirs[i], 2, MPI_INT, win));
    }
    CALL(MPI_Win_flush_all(win));
    CALL(MPI_Get(got, 2, MPI_INT, peer, theirs[PIECES - 1], 2, MPI_INT, win));
    CALL(MPI_Win_flush_all(win));
    CHECK(got[0] == rank && got[1] == rank + 1);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < PIECES; i++) {
        CHECK(pieces[i][0] == before && pieces[i][1] == before + 1);
        CALL(MPI_Win_detach(win, pieces[i]));
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (is_anyccl) {
        /* A rank of another host says so later. */
        int code = MPI_Put(values, 2, MPI_INT, peer, theirs[0], 2, MPI_INT, win), later = MPI_Win_flush(peer, win);
        CHECK(class_of(code == MPI_SUCCESS ? later : code) == MPI_ERR_RMA_RANGE);
        CHECK(class_of(MPI_Win_detach(win, pieces[0])) == MPI_ERR_BASE);
    }
    CALL(MPI_Win_unlock_all(win));
    CALL(MPI_Win_free(&win));
    for (int i = 0; i < PIECES; i++) {
        free(pieces[i]);
    }
}

/* An access that reaches from one attached piece to the next. MPICH's tests do that. */
static void adjacent(void)
{
    static int memory[4];
    int values[4] = {rank, rank + 1, rank + 2, rank + 3}, before = (rank + size - 1) % size;
    MPI_Aint place, theirs;
    MPI_Win win;
    if (!is_anyccl) {
        return;
    }
    CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CALL(MPI_Win_attach(win, memory + 2, 2 * sizeof(int)));
    CALL(MPI_Win_attach(win, memory, 2 * sizeof(int)));
    CALL(MPI_Get_address(memory, &place));
    CALL(MPI_Sendrecv(&place, 1, MPI_AINT, before, 0, &theirs, 1, MPI_AINT, (rank + 1) % size, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    CALL(MPI_Win_fence(0, win));
    CALL(MPI_Put(values, 4, MPI_INT, (rank + 1) % size, theirs, 4, MPI_INT, win));
    CALL(MPI_Win_fence(0, win));
    for (int i = 0; i < 4; i++) {
        CHECK(memory[i] == before + i);
    }
    CALL(MPI_Win_free(&win));
}

/* Accesses of many pieces: longer than what is packed, and more runs than a system call takes. */
static void large(int of_library)
{
    enum { COUNT = 600000 };
    double *memory, *base = NULL, *values = (double *)malloc(COUNT * sizeof(double));
    int peer = (rank + 1) % size, source = (rank + size - 1) % size;
    MPI_Datatype stepped;
    MPI_Win win;
    memory = (double *)malloc(2 * COUNT * sizeof(double));
    if (of_library) {
        win = allocated(2 * COUNT * (MPI_Aint)sizeof(double), sizeof(double), &base);
    } else {
        base = memory;
        CALL(MPI_Win_create(base, 2 * COUNT * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &win));
    }
    for (int i = 0; i < COUNT; i++) {
        values[i] = rank + i;
        base[2 * i] = base[2 * i + 1] = -1;
    }
    CALL(MPI_Type_vector(COUNT, 1, 2, MPI_DOUBLE, &stepped));
    CALL(MPI_Type_commit(&stepped));
    CALL(MPI_Win_fence(0, win));
    CALL(MPI_Put(values, COUNT, MPI_DOUBLE, peer, 0, 1, stepped, win));
    CALL(MPI_Win_fence(0, win));
    CALL(MPI_Accumulate(values, COUNT, MPI_DOUBLE, peer, 0, 1, stepped, MPI_SUM, win));
    CALL(MPI_Win_fence(0, win));
    for (int i = 0; i < COUNT; i++) {
        CHECK(base[2 * i] == 2.0 * (source + i) && base[2 * i + 1] == -1);
    }
    CALL(MPI_Win_fence(0, win));
    CALL(MPI_Get(values, COUNT, MPI_DOUBLE, peer, 0, 1, stepped, win));
    CALL(MPI_Win_fence(0, win));
    for (int i = 0; i < COUNT; i++) {
        CHECK(values[i] == 2.0 * (rank + i));
    }
    CALL(MPI_Type_free(&stepped));
    CALL(MPI_Win_free(&win));
    free(memory);
    free(values);
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    which_library();
    attributes();
    hints();
    shared_memory(0);
    shared_memory(1);
    if (is_anyccl) {
        first_memory();
    }
    if (is_anyccl && !is_one_host()) {
        MPI_Win win;
        int *base;
        CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        CHECK(class_of(MPI_Win_allocate_shared(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)) ==
              MPI_ERR_RMA_SHARED);
    }
    operators();
    computing_target();
    exclusion();
    failures();
    dynamic();
    adjacent();
    large(1);
    large(0);
    return report_end();
}
