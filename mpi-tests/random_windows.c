/* Random one-sided programs, compared with a model of all windows that each rank keeps.
 *
 * All ranks draw the same numbers, so each knows what all ranks do. In a round, the blocks of each window are written by
 * one rank each, or combined by all ranks with an operator whose order does not matter, or read. The program
 * synchronizes by fences, by locks, or by post, start, complete and wait. The environment has their number in WINDOWS_SEEDS.
 */
#include "common/report.h"

enum { BLOCKS = 8, LENGTH = 60, ELEMENTS = BLOCKS * LENGTH, ROUNDS = 6, MOST = 16 };
enum { FENCE, LOCK_ALL, LOCK, EXCLUSIVE, ACTIVE, SYNCHRONIZATIONS };
enum { CREATED, MPI_MEMORY, ALLOCATED, SHARED, DYNAMIC, FLAVORS };

static unsigned long long state;
/* The windows of all ranks, as they must be. */
static unsigned model[MOST][ELEMENTS];
static MPI_Win win;
static unsigned *memory;
static int flavor, synchronization;
/* Where the windows begin: 0, or addresses in a dynamic window. */
static MPI_Aint bases[MOST];

/* Whether all ranks share memory, so that MPI_Win_allocate_shared works. */
static int is_one_host;

static void look_at_hosts(void)
{
    MPI_Comm host;
    int of_host;
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
    CALL(MPI_Comm_size(host, &of_host));
    CALL(MPI_Comm_free(&host));
    CALL(MPI_Allreduce(MPI_IN_PLACE, &of_host, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    const char *transport = getenv("ANYCCL_TRANSPORT");
    is_one_host = of_host == size && !(transport && strcmp(transport, "tcp") == 0);
}

static int drawn(int below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)below);
}

static void make_window(void)
{
    MPI_Aint bytes = ELEMENTS * (MPI_Aint)sizeof(unsigned), own = 0;
    MPI_Info info;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "alloc_shared_noncontig", drawn(2) ? "true" : "false"));
    switch (flavor) {
    case CREATED:
    case DYNAMIC:
        memory = (unsigned *)malloc((size_t)bytes);
        break;
    case MPI_MEMORY:
        CALL(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory));
        break;
    }
    if (flavor == ALLOCATED) {
        CALL(MPI_Win_allocate(bytes, sizeof(unsigned), info, MPI_COMM_WORLD, &memory, &win));
    } else if (flavor == SHARED) {
        CALL(MPI_Win_allocate_shared(bytes, sizeof(unsigned), info, MPI_COMM_WORLD, &memory, &win));
    } else if (flavor == DYNAMIC) {
        CALL(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
        CALL(MPI_Win_attach(win, memory, bytes));
        CALL(MPI_Get_address(memory, &own));
    } else {
        CALL(MPI_Win_create(memory, bytes, sizeof(unsigned), info, MPI_COMM_WORLD, &win));
    }
    CALL(MPI_Info_free(&info));
    CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CALL(MPI_Allgather(&own, 1, MPI_AINT, bases, 1, MPI_AINT, MPI_COMM_WORLD));
}

static void free_window(void)
{
    if (flavor == DYNAMIC) {
        CALL(MPI_Win_detach(win, memory));
    }
    CALL(MPI_Win_free(&win));
    if (flavor == CREATED || flavor == DYNAMIC) {
        free(memory);
    } else if (flavor == MPI_MEMORY) {
        CALL(MPI_Free_mem(memory));
    }
}

static MPI_Aint place(int target, int element)
{
    return flavor == DYNAMIC ? bases[target] + element * (MPI_Aint)sizeof(unsigned) : element;
}

static void all_ranks(int (*call)(MPI_Group, int, MPI_Win))
{
    MPI_Group group;
    CALL(MPI_Win_get_group(win, &group));
    CALL(call(group, 0, win));
    CALL(MPI_Group_free(&group));
}

static void begin(void)
{
    if (synchronization == FENCE) {
        CALL(MPI_Win_fence(drawn(2) ? MPI_MODE_NOPRECEDE : 0, win));
    } else if (synchronization == LOCK_ALL) {
        CALL(MPI_Win_lock_all(0, win));
    } else if (synchronization == ACTIVE) {
        all_ranks(MPI_Win_post);
        all_ranks(MPI_Win_start);
    }
}

static void end(void)
{
    if (synchronization == FENCE) {
        CALL(MPI_Win_fence(drawn(2) ? MPI_MODE_NOSUCCEED : 0, win));
    } else if (synchronization == LOCK_ALL) {
        CALL(MPI_Win_flush_all(win));
        CALL(MPI_Win_unlock_all(win));
    } else if (synchronization == ACTIVE) {
        CALL(MPI_Win_complete(win));
        int flag = 0;
        while (drawn(2) == 0 && !flag) {
            CALL(MPI_Win_test(win, &flag));
        }
        if (!flag) {
            CALL(MPI_Win_wait(win));
        }
    }
    /* How often a test was made differs between ranks. */
    CALL(MPI_Bcast(&state, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD));
}

static void lock(int target)
{
    if (synchronization == LOCK || synchronization == EXCLUSIVE) {
        CALL(MPI_Win_lock(synchronization == LOCK ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
    }
}

static void unlock(int target, MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL) {
        CALL(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
    if (synchronization == LOCK || synchronization == EXCLUSIVE) {
        CALL(MPI_Win_unlock(target, win));
    }
}

static int is_passive(void)
{
    return synchronization != FENCE && synchronization != ACTIVE;
}

/* Draws the elements of a block that are accessed: their places in order, and a datatype for them. */
static int layout(int places[LENGTH], MPI_Datatype *type)
{
    int n = 0, lengths[LENGTH], starts[LENGTH], parts = 0;
    switch (drawn(3)) {
    case 0:
        n = 1 + drawn(LENGTH);
        for (int i = 0; i < n; i++) {
            places[i] = i;
        }
        CALL(MPI_Type_contiguous(n, MPI_UNSIGNED, type));
        break;
    case 1:
        n = 1 + drawn(LENGTH / 3);
        for (int i = 0; i < n; i++) {
            places[i] = 3 * i;
        }
        CALL(MPI_Type_vector(n, 1, 3, MPI_UNSIGNED, type));
        break;
    default:
        for (int at = drawn(3); at < LENGTH - 5; at += 1 + drawn(4)) {
            starts[parts] = at;
            lengths[parts] = 1 + drawn(4);
            for (int i = 0; i < lengths[parts]; i++) {
                places[n++] = at++;
            }
            parts++;
        }
        CALL(MPI_Type_indexed(parts, lengths, starts, MPI_UNSIGNED, type));
    }
    CALL(MPI_Type_commit(type));
    return n;
}

static unsigned value(int round, int origin, int at)
{
    return (unsigned)(round * 7919 + origin * 104729 + at * 31 + 1);
}

static unsigned combined(int op, unsigned a, unsigned b)
{
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return a * b;
    case 2:
        return a > b ? a : b;
    case 3:
        return a < b ? a : b;
    case 4:
        return a ^ b;
    case 5:
        return a | b;
    default:
        return a & b;
    }
}

static MPI_Op operator(int op)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_BOR, MPI_BAND};
    return ops[op];
}

/* Accesses a block of a target from this rank, with `n` values in every `step`-th element. */
static void access_block(int kind, int op, int n, int step, unsigned *values, int target, MPI_Aint disp,
                         MPI_Datatype type)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype stepped;
    static unsigned old[2 * LENGTH];
    int with_request = is_passive() && drawn(2);
    CALL(MPI_Type_vector(n, 1, step, MPI_UNSIGNED, &stepped));
    CALL(MPI_Type_commit(&stepped));
    lock(target);
    if (kind == 0 && with_request) {
        CALL(MPI_Rput(values, 1, stepped, target, disp, 1, type, win, &request));
    } else if (kind == 0) {
        CALL(MPI_Put(values, 1, stepped, target, disp, 1, type, win));
    } else if (kind == 1 && with_request) {
        CALL(MPI_Raccumulate(values, 1, stepped, target, disp, 1, type, operator(op), win, &request));
    } else if (kind == 1) {
        CALL(MPI_Accumulate(values, 1, stepped, target, disp, 1, type, operator(op), win));
    } else if (kind == 2 && with_request) {
        CALL(MPI_Rget(values, 1, stepped, target, disp, 1, type, win, &request));
    } else if (kind == 2) {
        CALL(MPI_Get(values, 1, stepped, target, disp, 1, type, win));
    } else if (kind == 3 && with_request) {
        CALL(MPI_Rget_accumulate(NULL, 0, MPI_UNSIGNED, values, 1, stepped, target, disp, 1, type, MPI_NO_OP, win,
                                 &request));
    } else if (kind == 3) {
        CALL(MPI_Get_accumulate(NULL, 0, MPI_UNSIGNED, values, 1, stepped, target, disp, 1, type, MPI_NO_OP, win));
    } else if (with_request) {
        CALL(MPI_Rget_accumulate(values, 1, stepped, old, 1, stepped, target, disp, 1, type, operator(op), win,
                                 &request));
    } else {
        CALL(MPI_Get_accumulate(values, 1, stepped, old, 1, stepped, target, disp, 1, type, operator(op), win));
    }
    unlock(target, &request);
    CALL(MPI_Type_free(&stepped));
}

/* One block of one target: all ranks draw what is done, some do it. Ends with a check of what was read. */
static void block(int round, int kind, int target, int first)
{
    static unsigned values[MOST][BLOCKS][2 * LENGTH];
    int places[LENGTH], op = drawn(7), owner = drawn(size), step = 1 + drawn(2);
    MPI_Datatype type;
    int n = layout(places, &type);
    unsigned *own = values[target][first / LENGTH];
    for (int origin = 0; origin < size; origin++) {
        int is_reader = kind == 2 || kind == 3;
        if ((kind == 0 || is_reader) && origin != owner) {
            continue;
        }
        unsigned long long kept = state;
        if (origin == rank) {
            for (int i = 0; i < n; i++) {
                own[step * i] = is_reader ? 0 : value(round, origin, i);
            }
            access_block(kind, op, n, step, own, target, place(target, first), type);
        }
        /* Only the rank that accesses draws there. */
        state = kept;
        for (int i = 0; i < n && !is_reader; i++) {
            unsigned *element = &model[target][first + places[i]];
            *element = kind == 0 ? value(round, origin, i) : combined(op, *element, value(round, origin, i));
        }
    }
    if ((kind == 2 || kind == 3) && owner == rank) {
        /* Within a fence or a start, the values are there after the end only. */
        if (!is_passive()) {
            end();
            begin();
        } else if (synchronization == LOCK_ALL) {
            CALL(MPI_Win_flush(target, win));
        }
        for (int i = 0; i < n; i++) {
            CHECK(own[step * i] == model[target][first + places[i]]);
        }
    } else if ((kind == 2 || kind == 3) && !is_passive()) {
        end();
        begin();
    }
    CALL(MPI_Type_free(&type));
}

/* All ranks count up one element, by fetch_and_op or by compare_and_swap. */
static void counting(int target, int element, int swaps)
{
    unsigned sum = 0, all, before = model[target][element], old, new, want, n = 3;
    MPI_Aint disp = place(target, element);
    CALL(MPI_Win_lock_all(0, win));
    for (unsigned i = 0; i < n; i++) {
        old = before;
        do {
            want = old;
            new = want + 1;
            if (swaps) {
                CALL(MPI_Compare_and_swap(&new, &want, &old, MPI_UNSIGNED, target, disp, win));
            } else {
                new = 1;
                CALL(MPI_Fetch_and_op(&new, &old, MPI_UNSIGNED, target, disp, MPI_SUM, win));
            }
            CALL(MPI_Win_flush(target, win));
        } while (swaps && old != want);
        sum += old - before;
    }
    CALL(MPI_Win_unlock_all(win));
    model[target][element] += n * (unsigned)size;
    CALL(MPI_Allreduce(&sum, &all, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD));
    unsigned total = n * (unsigned)size;
    CHECK(all == total * (total - 1) / 2);
}

static void compare(void)
{
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    for (int i = 0; i < ELEMENTS; i++) {
        CHECK(memory[i] == model[rank][i]);
    }
    CALL(MPI_Win_unlock(rank, win));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
}

static void program(int seed)
{
    state = (unsigned long long)seed * 7919 + 17;
    flavor = drawn(FLAVORS);
    if (flavor == SHARED && !is_one_host) {
        flavor = ALLOCATED;
    }
    make_window();
    for (int target = 0; target < size; target++) {
        for (int i = 0; i < ELEMENTS; i++) {
            model[target][i] = (unsigned)(seed + target * 1000 + i);
        }
    }
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    memcpy(memory, model[rank], sizeof model[rank]);
    CALL(MPI_Win_unlock(rank, win));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < ROUNDS; round++) {
        int kind = drawn(6);
        synchronization = drawn(SYNCHRONIZATIONS);
        if (kind == 5) {
            int target = drawn(size), element = drawn(ELEMENTS);
            counting(target, element, drawn(2));
        } else {
            begin();
            for (int target = 0; target < size; target++) {
                for (int first = 0; first < ELEMENTS; first += LENGTH) {
                    if (drawn(2)) {
                        block(round, kind, target, first);
                    }
                }
            }
            end();
        }
        compare();
    }
    free_window();
}

int main(int argc, char **argv)
{
    const char *seeds = getenv("WINDOWS_SEEDS");
    int n = seeds ? atoi(seeds) : 30;
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    look_at_hosts();
    for (int seed = 0, failed = 0; seed < n && !failed; seed++) {
        program(seed);
        CALL(MPI_Allreduce(&report_failures, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        if (failed) {
            say("FAILED program %d", seed);
        }
    }
    say("%d programs", n);
    return report_end();
}
