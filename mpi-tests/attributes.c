/* Tests of attributes: calls of the callbacks, their arguments, and the effects of their results.
 *
 * An implementation may copy and delete the attributes of one object in any order, except at the end of MPI. So the
 * lines of the callbacks are sorted.
 */
#include "common/report.h"

static int deleted[16], deletions;
static int fail_copy, fail_delete;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    if (fail_copy) {
        return MPI_ERR_OTHER;
    }
    say("copy: key %s, extra %d, value %d", key == MPI_KEYVAL_INVALID ? "invalid" : "valid", *(int *)extra, *(int *)in);
    CHECK(comm != MPI_COMM_NULL);
    *(void **)out = in;
    *flag = *(int *)extra != 2;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    CHECK(comm != MPI_COMM_NULL && key != MPI_KEYVAL_INVALID);
    say("delete: extra %d, value %d", *(int *)extra, *(int *)value);
    deleted[deletions++ % 16] = *(int *)value;
    return fail_delete ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int type_copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key;
    CHECK(type != MPI_DATATYPE_NULL);
    say("type copy: extra %d, value %d", *(int *)extra, *(int *)in);
    /* The copy gets another value. */
    *(void **)out = (int *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int type_drop(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)key;
    CHECK(type != MPI_DATATYPE_NULL);
    say("type delete: extra %d, value %d", *(int *)extra, *(int *)value);
    return MPI_SUCCESS;
}

static void show(const char *what, MPI_Comm comm, int key)
{
    int flag = 0, *value = NULL;
    CALL(MPI_Comm_get_attr(comm, key, &value, &flag));
    if (flag) {
        say("%s: %d", what, *value);
    } else {
        say("%s: none", what);
    }
}

static void communicators(void)
{
    static int extras[] = {0, 1, 2, 3}, values[] = {10, 11, 12, 13, 14};
    int keys[5], flag, plain;
    MPI_Comm comm, other;
    size_t mark;
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Comm_create_keyval(copy, drop, &keys[i], &extras[i]));
    }
    CALL(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[3], NULL));
    CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &keys[4], &extras[3]));
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    show("before", comm, keys[0]);
    for (int i = 0; i < 5; i++) {
        CALL(MPI_Comm_set_attr(comm, keys[i], &values[i]));
    }
    show("after", comm, keys[0]);
    CALL(MPI_Comm_set_attr(comm, keys[1], &values[0]));
    show("replaced", comm, keys[1]);
    CALL(MPI_Comm_delete_attr(comm, keys[1]));
    show("deleted", comm, keys[1]);
    CALL(MPI_Comm_set_attr(comm, keys[1], &values[1]));
    say("duplicating");
    mark = report_length;
    CALL(MPI_Comm_dup(comm, &other));
    report_sort(mark);
    for (int i = 0; i < 5; i++) {
        show("in the duplicate", other, keys[i]);
    }
    plain = keys[0];
    CALL(MPI_Comm_free_keyval(&keys[0]));
    say("key freed: %d", keys[0] == MPI_KEYVAL_INVALID);
    show("yet there", other, plain);
    say("freeing the duplicate");
    mark = report_length;
    CALL(MPI_Comm_free(&other));
    report_sort(mark);
    CALL(MPI_Comm_split(comm, 0, rank, &other));
    show("a part has none", other, keys[3]);
    CALL(MPI_Comm_free(&other));
    fail_delete = 1;
    say("a delete that fails: %d", MPI_Comm_delete_attr(comm, keys[1]) != MPI_SUCCESS);
    fail_delete = 0;
    show("the value stays", comm, keys[1]);
    fail_copy = 1;
    other = comm;
    say("a copy that fails: %d", MPI_Comm_dup(comm, &other) != MPI_SUCCESS);
    fail_copy = 0;
    say("freeing the communicator");
    mark = report_length;
    CALL(MPI_Comm_free(&comm));
    report_sort(mark);
    for (int i = 1; i < 5; i++) {
        CALL(MPI_Comm_free_keyval(&keys[i]));
    }
    int bad = MPI_KEYVAL_INVALID;
    say("invalid key: %s", class_name(MPI_Comm_get_attr(MPI_COMM_WORLD, bad, &flag, &flag)));
}

static void types(void)
{
    static int extra = 7, values[] = {20, 21, 22};
    int key, flag, *value;
    MPI_Datatype type, other;
    size_t mark;
    CALL(MPI_Type_create_keyval(type_copy, type_drop, &key, &extra));
    CALL(MPI_Type_contiguous(4, MPI_INT, &type));
    CALL(MPI_Type_set_attr(type, key, &values[0]));
    CALL(MPI_Type_dup(type, &other));
    CALL(MPI_Type_get_attr(other, key, &value, &flag));
    say("in the duplicated type: %d, %d", flag, flag ? *value : -1);
    /* MPI may keep a freed type, with its attributes, until the types that were made of it are freed. */
    mark = report_length;
    CALL(MPI_Type_free(&type));
    CALL(MPI_Type_delete_attr(other, key));
    CALL(MPI_Type_get_attr(other, key, &value, &flag));
    say("deleted: %d", flag);
    CALL(MPI_Type_set_attr(other, key, &values[2]));
    CALL(MPI_Type_free(&other));
    report_sort(mark);
    CALL(MPI_Type_set_attr(MPI_INT, key, &values[1]));
    CALL(MPI_Type_get_attr(MPI_INT, key, &value, &flag));
    say("of a predefined type: %d, %d", flag, flag ? *value : -1);
    CALL(MPI_Type_delete_attr(MPI_INT, key));
    CALL(MPI_Type_free_keyval(&key));
}

#ifdef MPICH_VERSION
/* What MPICH's library for Fortran calls. `form` 1 asks for an integer of the size of an address. */
int MPII_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag, int form);

/* Predefined keys of Fortran's mpif.h are those of C plus one. */
static void in_fortran(void)
{
    MPI_Aint value = -1;
    int flag = 0, *in_c;
    CALL(MPII_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB + 1, &value, &flag, 1));
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &in_c, &flag));
    CHECK(flag && value == *in_c);
    value = -1;
    CALL(MPII_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL + 1, &value, &flag, 1));
    CHECK(!flag || value == 0 || value == 1);
}
#endif

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    printf("ends: %d\n", *(int *)value);
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static int values[] = {1, 2, 3};
    int key;
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    communicators();
    types();
#ifdef MPICH_VERSION
    in_fortran();
#endif
    if (rank == 0) {
        /* MPI_Finalize first deletes the attributes of MPI_COMM_SELF, in reverse order. */
        for (int i = 0; i < 3; i++) {
            CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL));
            CALL(MPI_Comm_set_attr(MPI_COMM_SELF, key, &values[i]));
        }
    }
    return report_end();
}
