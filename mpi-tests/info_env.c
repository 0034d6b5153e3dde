/* Tests of info objects and of environment queries. */
#include "common/memory_kinds.h"
#include "common/report.h"

static void infos(void)
{
    MPI_Info info, copy;
    char value[100], key[MPI_MAX_INFO_KEY + 1];
    int flag, n, length;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "one", "1"));
    CALL(MPI_Info_set(info, "two", "the number two"));
    CALL(MPI_Info_set(info, "three", "3"));
    CALL(MPI_Info_set(info, "one", "I"));
    CALL(MPI_Info_get_nkeys(info, &n));
    say("%d keys", n);
    for (int i = 0; i < n; i++) {
        CALL(MPI_Info_get_nthkey(info, i, key));
        CALL(MPI_Info_get(info, key, 99, value, &flag));
        CALL(MPI_Info_get_valuelen(info, key, &length, &flag));
        say("key %d: %s = %s, of %d", i, key, value, length);
    }
    strcpy(value, "as before");
    CALL(MPI_Info_get(info, "four", 99, value, &flag));
    say("missing: %s, %d", value, flag);
    CALL(MPI_Info_dup(info, &copy));
    CALL(MPI_Info_delete(info, "two"));
    CALL(MPI_Info_get_nkeys(info, &n));
    say("after delete: %d keys", n);
    CALL(MPI_Info_get_nkeys(copy, &n));
    say("in the copy: %d keys", n);
#if HAVE_MPI_4
    length = 4;
    CALL(MPI_Info_get_string(copy, "two", &length, value, &flag));
    say("get_string: %s, %d, needs %d", value, flag, length);
    length = 0;
    CALL(MPI_Info_get_string(copy, "two", &length, value, &flag));
    say("get_string of no room needs %d", length);
#endif
    CALL(MPI_Info_free(&info));
    CALL(MPI_Info_free(&copy));
    CHECK(info == MPI_INFO_NULL);
    MPI_Comm comm;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "anyccl_test_unknown_hint", "yes"));
    CALL(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CALL(MPI_Comm_get_info(comm, &copy));
    CHECK(copy != MPI_INFO_NULL);
    check_memory_kinds(copy);
    CALL(MPI_Info_free(&copy));
    CALL(MPI_Comm_set_info(comm, info));
    CALL(MPI_Comm_get_info(MPI_COMM_WORLD, &copy));
    check_memory_kinds(copy);
    CALL(MPI_Info_free(&copy));
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Info_free(&info));
}

static void names(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CALL(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    say("%s, %d", name, length);
    CALL(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    say("%s, %d", name, length);
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CALL(MPI_Comm_get_name(comm, name, &length));
    say("duplicate: \"%s\", %d", name, length);
    CALL(MPI_Comm_set_name(comm, "a communicator"));
    CALL(MPI_Comm_get_name(comm, name, &length));
    say("%s, %d", name, length);
    CALL(MPI_Comm_free(&comm));
    MPI_Datatype named[] = {
        MPI_INT,     MPI_DOUBLE, MPI_CHAR, MPI_BYTE,        MPI_UNSIGNED_LONG,   MPI_2INT, MPI_DOUBLE_INT, MPI_PACKED,
        MPI_INT64_T, MPI_C_BOOL, MPI_AINT, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT, MPI_WCHAR};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        CALL(MPI_Type_get_name(named[i], name, &length));
        say("%s, %d", name, length);
    }
    CALL(MPI_Type_contiguous(3, MPI_INT, &type));
    CALL(MPI_Type_get_name(type, name, &length));
    say("type: \"%s\", %d", name, length);
    CALL(MPI_Type_set_name(type, "three"));
    CALL(MPI_Type_get_name(type, name, &length));
    say("type: \"%s\", %d", name, length);
    CALL(MPI_Type_free(&type));
}

#if HAVE_MPI_4
/* Whether a key has one value, or none, in both. */
static int agree(MPI_Info a, MPI_Info b, const char *key)
{
    char values[2][1000] = {"", ""};
    int flags[2], lengths[2] = {1000, 1000};
    CALL(MPI_Info_get_string(a, key, &lengths[0], values[0], &flags[0]));
    CALL(MPI_Info_get_string(b, key, &lengths[1], values[1], &flags[1]));
    return flags[0] == flags[1] && strcmp(values[0], values[1]) == 0;
}

/* MPI_Info_create_env says before MPI_Init what it says after it. `early` is from before. */
static void start(int argc, char **argv, MPI_Info early)
{
    static const char *const keys[] = {"command", "argv", "maxprocs", "soft", "host", "arch", "wdir", "thread_level"};
    MPI_Info now;
    CALL(MPI_Info_create_env(argc, argv, &now));
    for (int i = 0; i < 8; i++) {
        CHECK(agree(early, now, keys[i]));
    }
    CALL(MPI_Info_free(&now));
    CALL(MPI_Info_free(&early));
}
#endif

int main(int argc, char **argv)
{
    int flag, provided, version, subversion, length, *value;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    int before = flag;
    MPI_Get_version(&version, &subversion);
#if HAVE_MPI_4
    MPI_Info early;
    MPI_Info_create_env(argc, argv, &early);
#endif
    report_begin(&argc, &argv, MPI_THREAD_FUNNELED);
#if HAVE_MPI_4
    start(argc, argv, early);
#endif
    say("initialized before: %d, version as in mpi.h %d", before, version >= 3);
    MPI_Initialized(&flag);
    MPI_Finalized(&length);
    say("initialized: %d, finalized: %d", flag, length);
    CALL(MPI_Query_thread(&provided));
    CHECK(provided >= MPI_THREAD_FUNNELED);
    CALL(MPI_Is_thread_main(&flag));
    say("main thread: %d", flag);
    CALL(MPI_Get_library_version(text, &length));
    CHECK(length == (int)strlen(text) && length > 0);
    CALL(MPI_Get_processor_name(text, &length));
    CHECK(length == (int)strlen(text) && length > 0);
    double start = MPI_Wtime();
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 0.1 && MPI_Wtime() >= start);
    void *memory;
    CALL(MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory));
    memset(memory, 1, 1000);
    CALL(MPI_Free_mem(memory));
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    say("tag_ub: %d, %d", flag, flag && *value >= 32767);
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    say("wtime_is_global: %d", flag);
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
    say("io: %d", flag);
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    say("lastusedcode: %d, %d", flag, flag && *value >= MPI_ERR_LASTCODE);
    MPI_Aint first, second;
    int array[10];
    CALL(MPI_Get_address(&array[2], &first));
    CALL(MPI_Get_address(&array[5], &second));
    say("addresses: %d, %d", (int)MPI_Aint_diff(second, first), MPI_Aint_add(first, 12) == second);
    CALL(MPI_Pcontrol(1));
    infos();
    names();
    return report_end();
}
