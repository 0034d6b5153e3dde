/* Random one-sided programs, compared with a model of all windows that each rank keeps.
 *
 * All ranks draw the same numbers, so each knows what all ranks do. In a round, each block of a window is written by one
 * rank, or combined by several with an operator whose order does not matter, or read, or one rank makes several accesses
 * to it whose order is defined. So the standard defines all results. Ranks synchronize by fences, by locks with and
 * without flushes, or by post, start, complete and wait among some of them. Other rounds count, by atomic functions or by
 * reading and writing under a lock.
 *
 * The environment has the number of programs in WINDOWS_SEEDS, the first one in WINDOWS_FIRST and the distance from each
 * to the next in WINDOWS_STEP.
 */
#include "common/report.h"

enum { BLOCKS = 8, SHORT = 60, LONG = 80000, ROUNDS = 6, MOST = 16, STEPS = 5 };
enum { FENCE, LOCK_ALL, LOCK, EXCLUSIVE, LOCK_EACH, ACTIVE, SYNCHRONIZATIONS };
enum { CREATED, MPI_MEMORY, ALLOCATED, SHARED, DYNAMIC, FLAVORS };
enum { PUT, ACCUMULATE, GET, GET_ONLY, GET_ACCUMULATE, ORDERED, FLUSHED, KINDS };
enum { SUM, PROD, MAX, MIN, BXOR, BOR, BAND, REPLACE, OPERATORS };

/* What all ranks draw from, and what each draws from alone. */
static unsigned long long state, own_state;
/* The windows of all ranks, as they must be. */
static unsigned *model[MOST];
static MPI_Win win;
static unsigned *memory;
static int flavor, synchronization, length, elements;
/* Where the windows begin: 0, or addresses in a dynamic window. */
static MPI_Aint bases[MOST];
/* With post and start: whether a rank may access another one. */
static int may_access[MOST][MOST];

/* What was read in this round, to be compared at its end. */
struct reading {
    unsigned *values, *expected;
    int n, step;
};
static struct reading *readings;
static int n_readings;
/* Other memory that is in use until the end of the round. */
static void **kept;
static int n_kept;

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

static int drawn_from(unsigned long long *from, int below)
{
    *from = *from * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((*from >> 33) % (unsigned)below);
}

static int drawn(int below)
{
    return drawn_from(&state, below);
}

/* For what the other ranks need not know. */
static int drawn_alone(int below)
{
    return drawn_from(&own_state, below);
}

static void *memory_of_round(size_t bytes)
{
    void *new = calloc(bytes + 1, 1);
    kept = (void **)realloc(kept, (size_t)(n_kept + 1) * sizeof *kept);
    kept[n_kept++] = new;
    return new;
}

static void make_window(void)
{
    MPI_Aint bytes = elements * (MPI_Aint)sizeof(unsigned), own = 0;
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

/* Calls MPI_Win_start with the ranks that this one may access, or MPI_Win_post with those that may access it. Returns
 * whether there are any. */
static int with_group(int (*call)(MPI_Group, int, MPI_Win), int is_origin)
{
    MPI_Group all, some;
    int ranks[MOST], n = 0;
    for (int other = 0; other < size; other++) {
        if (is_origin ? may_access[rank][other] : may_access[other][rank]) {
            ranks[n++] = other;
        }
    }
    if (n > 0) {
        CALL(MPI_Win_get_group(win, &all));
        CALL(MPI_Group_incl(all, n, ranks, &some));
        CALL(call(some, 0, win));
        CALL(MPI_Group_free(&some));
        CALL(MPI_Group_free(&all));
    }
    return n > 0;
}

static int is_exposed, is_started;

static void begin(void)
{
    if (synchronization == FENCE) {
        CALL(MPI_Win_fence(drawn(2) ? MPI_MODE_NOPRECEDE : 0, win));
    } else if (synchronization == LOCK_ALL) {
        CALL(MPI_Win_lock_all(0, win));
    } else if (synchronization == LOCK_EACH) {
        for (int target = 0; target < size; target++) {
            CALL(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        }
    } else if (synchronization == ACTIVE) {
        int all = drawn(2);
        for (int origin = 0; origin < size; origin++) {
            for (int target = 0; target < size; target++) {
                may_access[origin][target] = drawn(2) || all;
            }
        }
        is_exposed = with_group(MPI_Win_post, 0);
        is_started = with_group(MPI_Win_start, 1);
    }
}

static void end(void)
{
    if (synchronization == FENCE) {
        CALL(MPI_Win_fence(drawn(2) ? MPI_MODE_NOSUCCEED : 0, win));
    } else if (synchronization == LOCK_ALL) {
        if (drawn_alone(2)) {
            CALL(MPI_Win_flush_all(win));
        }
        CALL(MPI_Win_unlock_all(win));
    } else if (synchronization == LOCK_EACH) {
        for (int target = size - 1; target >= 0; target--) {
            CALL(MPI_Win_unlock(target, win));
        }
    } else if (synchronization == ACTIVE) {
        int flag = !is_exposed;
        if (is_started) {
            CALL(MPI_Win_complete(win));
        }
        while (drawn_alone(2) == 0 && !flag) {
            CALL(MPI_Win_test(win, &flag));
        }
        if (!flag) {
            CALL(MPI_Win_wait(win));
        }
    }
    for (int i = 0; i < n_readings; i++) {
        const struct reading *reading = &readings[i];
        for (int at = 0; at < reading->n; at++) {
            CHECK(reading->values[reading->step * at] == reading->expected[at]);
        }
    }
    n_readings = 0;
    while (n_kept > 0) {
        free(kept[--n_kept]);
    }
}

static void lock(int target)
{
    if (synchronization == LOCK || synchronization == EXCLUSIVE) {
        CALL(MPI_Win_lock(synchronization == LOCK ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
    }
}

static void unlock(int target)
{
    if (synchronization == LOCK || synchronization == EXCLUSIVE) {
        CALL(MPI_Win_unlock(target, win));
    }
}

static int is_passive(void)
{
    return synchronization != FENCE && synchronization != ACTIVE;
}

/* Elements of a block that are accessed: their places in order, and a datatype for them. */
struct layout {
    const int *places;
    int n;
    MPI_Datatype type;
};

static void draw_layout(struct layout *layout)
{
    static int places[LONG], lengths[LONG], starts[LONG];
    int n = 0, parts = 0;
    switch (drawn(3)) {
    case 0:
        n = 1 + drawn(length);
        for (int i = 0; i < n; i++) {
            places[i] = i;
        }
        CALL(MPI_Type_contiguous(n, MPI_UNSIGNED, &layout->type));
        break;
    case 1:
        n = 1 + drawn(length / 3);
        for (int i = 0; i < n; i++) {
            places[i] = 3 * i;
        }
        CALL(MPI_Type_vector(n, 1, 3, MPI_UNSIGNED, &layout->type));
        break;
    default:
        for (int at = drawn(3); at < length - 5; at += 1 + drawn(4)) {
            starts[parts] = at;
            lengths[parts] = 1 + drawn(4);
            for (int i = 0; i < lengths[parts]; i++) {
                places[n++] = at++;
            }
            parts++;
        }
        CALL(MPI_Type_indexed(parts, lengths, starts, MPI_UNSIGNED, &layout->type));
    }
    CALL(MPI_Type_commit(&layout->type));
    layout->places = places;
    layout->n = n;
}

static unsigned value(int round, int origin, int at)
{
    return (unsigned)(round * 7919 + origin * 104729 + at * 31 + 1);
}

static unsigned combined(int op, unsigned a, unsigned b)
{
    switch (op) {
    case SUM:
        return a + b;
    case PROD:
        return a * b;
    case MAX:
        return a > b ? a : b;
    case MIN:
        return a < b ? a : b;
    case BXOR:
        return a ^ b;
    case BOR:
        return a | b;
    case BAND:
        return a & b;
    default:
        return b;
    }
}

static MPI_Op operator(int op)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_BOR, MPI_BAND, MPI_REPLACE};
    return ops[op];
}

/* The elements of a target that an access of this rank is about. */
struct access {
    struct layout layout;
    int target, first, step;
    MPI_Datatype stepped;
};

/* Room for the elements of an access, and the values of a round in it. */
static unsigned *buffer(const struct access *access, int round)
{
    unsigned *values = (unsigned *)memory_of_round((size_t)(access->step * access->layout.n) * sizeof(unsigned));
    for (int i = 0; i < access->layout.n; i++) {
        values[access->step * i] = value(round, rank, i);
    }
    return values;
}

/* Notes that memory must have the elements, as the model has them now, when the round ends. Returns the memory. */
static unsigned *expect(const struct access *access)
{
    const int n = access->layout.n;
    struct reading reading = {buffer(access, 0), NULL, n, access->step};
    reading.expected = (unsigned *)memory_of_round((size_t)n * sizeof(unsigned));
    for (int i = 0; i < n; i++) {
        reading.expected[i] = model[access->target][access->first + access->layout.places[i]];
    }
    readings = (struct reading *)realloc(readings, (size_t)(n_readings + 1) * sizeof reading);
    readings[n_readings++] = reading;
    return reading.values;
}

/* Makes one access. `values` are sent, `read` is filled; either may be NULL. */
static void make_access(int kind, int op, const struct access *access, unsigned *values, unsigned *read)
{
    const MPI_Datatype own = access->stepped, its = access->layout.type;
    const MPI_Aint disp = place(access->target, access->first);
    const int target = access->target, with_request = is_passive() && drawn_alone(2);
    MPI_Request request = MPI_REQUEST_NULL;
    if (kind == PUT && with_request) {
        CALL(MPI_Rput(values, 1, own, target, disp, 1, its, win, &request));
    } else if (kind == PUT) {
        CALL(MPI_Put(values, 1, own, target, disp, 1, its, win));
    } else if (kind == ACCUMULATE && with_request) {
        CALL(MPI_Raccumulate(values, 1, own, target, disp, 1, its, operator(op), win, &request));
    } else if (kind == ACCUMULATE) {
        CALL(MPI_Accumulate(values, 1, own, target, disp, 1, its, operator(op), win));
    } else if (kind == GET && with_request) {
        CALL(MPI_Rget(read, 1, own, target, disp, 1, its, win, &request));
    } else if (kind == GET) {
        CALL(MPI_Get(read, 1, own, target, disp, 1, its, win));
    } else if (kind == GET_ONLY && with_request) {
        CALL(MPI_Rget_accumulate(NULL, 0, MPI_UNSIGNED, read, 1, own, target, disp, 1, its, MPI_NO_OP, win, &request));
    } else if (kind == GET_ONLY) {
        CALL(MPI_Get_accumulate(NULL, 0, MPI_UNSIGNED, read, 1, own, target, disp, 1, its, MPI_NO_OP, win));
    } else if (with_request) {
        CALL(MPI_Rget_accumulate(values, 1, own, read, 1, own, target, disp, 1, its, operator(op), win, &request));
    } else {
        CALL(MPI_Get_accumulate(values, 1, own, read, 1, own, target, disp, 1, its, operator(op), win));
    }
    if (request != MPI_REQUEST_NULL) {
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

/* Changes the model as `origin` changes the window. */
static void change(const struct access *access, int op, int round, int origin)
{
    for (int i = 0; i < access->layout.n; i++) {
        unsigned *element = &model[access->target][access->first + access->layout.places[i]];
        *element = combined(op, *element, value(round, origin, i));
    }
}

/* The first of the elements alone. */
static struct access first_of(const struct access *access)
{
    struct access one = *access;
    one.layout.n = 1;
    return one;
}

/* Adds 1 to the first element by compare and swap, or swaps nothing. */
static void swap(const struct access *access, int is_equal, int owner)
{
    const int at = access->first + access->layout.places[0];
    unsigned *element = &model[access->target][at];
    if (rank == owner) {
        const struct access one = first_of(access);
        unsigned *both = (unsigned *)memory_of_round(2 * sizeof *both);
        both[0] = *element + 1;
        both[1] = is_equal ? *element : ~*element;
        CALL(MPI_Compare_and_swap(&both[0], &both[1], expect(&one), MPI_UNSIGNED, access->target,
                                  place(access->target, at), win));
    }
    *element += is_equal ? 1u : 0u;
}

/* Combines the first element with another one, and reads it. */
static void fetch(const struct access *access, int op, int round, int owner)
{
    const int at = access->first + access->layout.places[0];
    if (rank == owner) {
        const struct access one = first_of(access);
        CALL(MPI_Fetch_and_op(buffer(&one, round), expect(&one), MPI_UNSIGNED, access->target,
                              place(access->target, at), operator(op), win));
    }
    model[access->target][at] = combined(op, model[access->target][at], value(round, owner, 0));
}

/* Accumulates by one rank to the same elements happen in their order, where they have the same operator, or none. */
static void ordered(const struct access *access, int round, int owner)
{
    const int op = drawn(OPERATORS);
    for (int step = 0; step < STEPS; step++) {
        const int what = drawn(4), of = round + 10 * step;
        if (what == 3) {
            fetch(access, op, of, owner);
            continue;
        }
        const int kind = what == 0 ? ACCUMULATE : what == 1 ? GET_ACCUMULATE : GET_ONLY;
        if (rank == owner) {
            make_access(kind, op, access, buffer(access, of), kind == ACCUMULATE ? NULL : expect(access));
        }
        if (kind != GET_ONLY) {
            change(access, op, of, owner);
        }
    }
}

/* Any accesses by one rank happen in their order, where a flush is between them. */
static void flushed(const struct access *access, int round, int owner)
{
    for (int step = 0; step < STEPS; step++) {
        const int kind = drawn(KINDS), op = kind == PUT ? REPLACE : drawn(OPERATORS), of = round + 10 * step;
        if (kind == ORDERED) {
            swap(access, drawn(2), owner);
        } else if (kind == FLUSHED) {
            fetch(access, op, of, owner);
        } else {
            const int reads = kind != PUT && kind != ACCUMULATE;
            if (rank == owner) {
                make_access(kind, op, access, buffer(access, of), reads ? expect(access) : NULL);
            }
            if (kind != GET && kind != GET_ONLY) {
                change(access, op, of, owner);
            }
        }
        if (rank == owner) {
            CALL(drawn_alone(2) ? MPI_Win_flush(access->target, win) : MPI_Win_flush_all(win));
        }
    }
}

/* What ranks do to one block. All of them draw it. */
static void block(int round, int target, int first)
{
    struct access access = {{NULL, 0, MPI_DATATYPE_NULL}, target, first, 1 + drawn(2), MPI_DATATYPE_NULL};
    int kind = drawn(KINDS), op = kind == PUT ? REPLACE : drawn(REPLACE), owner = drawn(size);
    const int is_by_all = kind == ACCUMULATE || kind == GET_ACCUMULATE;
    draw_layout(&access.layout);
    CALL(MPI_Type_vector(access.layout.n, 1, access.step, MPI_UNSIGNED, &access.stepped));
    CALL(MPI_Type_commit(&access.stepped));
    for (int origin = 0; origin < size; origin++) {
        if ((!is_by_all && origin != owner) || (synchronization == ACTIVE && !may_access[origin][target])) {
            continue;
        }
        if (origin == rank) {
            lock(target);
        }
        if (kind == ORDERED || (kind == FLUSHED && !is_passive())) {
            ordered(&access, round, origin);
        } else if (kind == FLUSHED) {
            flushed(&access, round, origin);
        } else {
            if (origin == rank) {
                /* What other ranks have combined meanwhile, this one cannot know. */
                unsigned *old = kind == GET_ACCUMULATE ? buffer(&access, 0) : NULL;
                unsigned *read = kind == GET || kind == GET_ONLY ? expect(&access) : old;
                make_access(kind, op, &access, buffer(&access, round), read);
            }
            if (is_by_all || kind == PUT) {
                change(&access, op, round, origin);
            }
        }
        if (origin == rank) {
            unlock(target);
        }
    }
    CALL(MPI_Type_free(&access.stepped));
    CALL(MPI_Type_free(&access.layout.type));
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

/* All ranks count up a block by reading and writing it, which an exclusive lock keeps together. */
static void guarded(int target, int first)
{
    const int n = 1 + drawn(length), times = 3;
    unsigned *values = (unsigned *)calloc((size_t)n, sizeof *values);
    for (int i = 0; i < times; i++) {
        CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        CALL(MPI_Get(values, n, MPI_UNSIGNED, target, place(target, first), n, MPI_UNSIGNED, win));
        CALL(MPI_Win_flush(target, win));
        for (int at = 0; at < n; at++) {
            values[at] += (unsigned)rank + 1;
        }
        CALL(MPI_Put(values, n, MPI_UNSIGNED, target, place(target, first), n, MPI_UNSIGNED, win));
        CALL(MPI_Win_unlock(target, win));
    }
    for (int at = 0; at < n; at++) {
        model[target][first + at] += (unsigned)(times * size * (size + 1) / 2);
    }
    free(values);
}

static void compare(void)
{
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    for (int i = 0; i < elements; i++) {
        CHECK(memory[i] == model[rank][i]);
    }
    CALL(MPI_Win_unlock(rank, win));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
}

static void program(int seed)
{
    state = (unsigned long long)seed * 7919 + 17;
    own_state = state + 1000003u * (unsigned)(rank + 1);
    flavor = drawn(FLAVORS);
    if (flavor == SHARED && !is_one_host) {
        flavor = ALLOCATED;
    }
    length = drawn(25) ? SHORT : LONG;
    elements = BLOCKS * length;
    make_window();
    for (int target = 0; target < size; target++) {
        model[target] = (unsigned *)malloc((size_t)elements * sizeof(unsigned));
        for (int i = 0; i < elements; i++) {
            model[target][i] = (unsigned)(seed + target * 1000 + i);
        }
    }
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    memcpy(memory, model[rank], (size_t)elements * sizeof(unsigned));
    CALL(MPI_Win_unlock(rank, win));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < ROUNDS; round++) {
        const int what = drawn(8), target = drawn(size);
        synchronization = drawn(SYNCHRONIZATIONS);
        if (what == 0) {
            counting(target, drawn(elements), drawn(2));
        } else if (what == 1) {
            guarded(target, drawn(BLOCKS) * length);
        } else {
            begin();
            for (int at = 0; at < size; at++) {
                for (int first = 0; first < elements; first += length) {
                    if (drawn(length == LONG ? 8 : 2) == 0) {
                        block(round, at, first);
                    }
                }
            }
            end();
        }
        compare();
    }
    free_window();
    for (int target = 0; target < size; target++) {
        free(model[target]);
    }
}

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int main(int argc, char **argv)
{
    const int n = setting("WINDOWS_SEEDS", 30), first = setting("WINDOWS_FIRST", 0), step = setting("WINDOWS_STEP", 1);
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    look_at_hosts();
    for (int i = 0, failed = 0; i < n && !failed; i++) {
        program(first + step * i);
        CALL(MPI_Allreduce(&report_failures, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        if (failed) {
            say("FAILED program %d", first + step * i);
        }
    }
    free(readings);
    free(kept);
    say("%d programs", n);
    return report_end();
}
