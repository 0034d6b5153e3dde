/* Tests of the tool information interface: strings, control and performance variables, categories, and errors, which
 * are codes and call no error handler. */
#include "common/report.h"

/* Whether the library is anyccl. The variables of other libraries are others. */
static int is_ours;

#define OWN(condition)                                                                                                 \
    do {                                                                                                               \
        if (is_ours) {                                                                                                 \
            CHECK(condition);                                                                                          \
        }                                                                                                              \
    } while (0)

static void control(void)
{
    int n = 0, length, needed, full, verbosity, bind, scope, index, count;
    char name[256], desc[4096], cut[8];
    MPI_Datatype type;
    MPI_T_enum items;
    CALL(MPI_T_cvar_get_num(&n));
    CHECK(n > 0);
    for (int i = 0; i < n; i++) {
        length = 0;
        CALL(MPI_T_cvar_get_info(i, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        full = needed = length;
        length = sizeof name;
        int desc_length = sizeof desc;
        CALL(MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &items, desc, &desc_length, &bind, &scope));
        CHECK(length == needed && (int)strlen(name) == needed - 1);
        CHECK((int)strlen(desc) < desc_length);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
        CHECK(bind >= MPI_T_BIND_NO_OBJECT);
        CALL(MPI_T_cvar_get_index(name, &index));
        CHECK(index == i);
        needed = sizeof cut;
        CALL(MPI_T_cvar_get_info(i, cut, &needed, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK(full < 9 || (strlen(cut) == 7 && !strncmp(cut, name, 7)));
        OWN(needed == full && type == MPI_CHAR && items == MPI_T_ENUM_NULL && scope == MPI_T_SCOPE_READONLY);
        OWN(bind == MPI_T_BIND_NO_OBJECT);
    }
    OWN(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    OWN(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    OWN(MPI_T_cvar_get_index("no such variable", &index) == MPI_T_ERR_INVALID_NAME);
    if (is_ours) {
        MPI_T_cvar_handle handle;
        CALL(MPI_T_cvar_get_index("ANYCCL_LOG", &index));
        CALL(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
        char *value = (char *)malloc((size_t)count);
        CALL(MPI_T_cvar_read(handle, value));
        CHECK((int)strlen(value) == count - 1);
        CHECK(MPI_T_cvar_write(handle, value) == MPI_T_ERR_CVAR_SET_NEVER);
        free(value);
        MPI_T_cvar_handle copy = handle;
        CALL(MPI_T_cvar_handle_free(&handle));
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
        CHECK(MPI_T_cvar_handle_free(&copy) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_cvar_read(handle, cut) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_cvar_handle_alloc(n, NULL, &handle, &count) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
    }
}

/* Reads a variable of anyccl, once for all sessions of this call. */
static unsigned long long value_of(const char *wanted, int var_class, void *object)
{
    int index = -1, count = 0;
    unsigned long long value = ~0ULL;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    CALL(MPI_T_pvar_get_index(wanted, var_class, &index));
    CALL(MPI_T_pvar_session_create(&session));
    CALL(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count));
    CHECK(count == 1);
    CALL(MPI_T_pvar_read(session, handle, &value));
    CALL(MPI_T_pvar_handle_free(session, &handle));
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
    CALL(MPI_T_pvar_session_free(&session));
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    return value;
}

static void performance(int is_initialized)
{
    int n = 0, length, index, var_class, bind, readonly, continuous, atomic, verbosity;
    char name[256], desc[4096];
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_pvar_session session, other;
    MPI_T_pvar_handle handle;
    CALL(MPI_T_pvar_get_num(&n));
    for (int i = 0; i < n; i++) {
        int desc_length = sizeof desc;
        length = sizeof name;
        int code = MPI_T_pvar_get_info(i, name, &length, &verbosity, &var_class, &type, &items, desc, &desc_length,
                                       &bind, &readonly, &continuous, &atomic);
        OWN(code == MPI_SUCCESS);
        if (code != MPI_SUCCESS) {
            continue;
        }
        CALL(MPI_T_pvar_get_index(name, var_class, &index));
        CHECK(index == i);
        CHECK(var_class >= MPI_T_PVAR_CLASS_STATE && var_class <= MPI_T_PVAR_CLASS_GENERIC);
        OWN(type == MPI_UNSIGNED_LONG_LONG && readonly && continuous && !atomic && items == MPI_T_ENUM_NULL);
        OWN(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM);
    }
    OWN(MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_T_ERR_INVALID_NAME);
    if (!is_ours) {
        return;
    }
    CHECK(MPI_T_pvar_get_index("anyccl_requests", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_T_ERR_INVALID_NAME);
    unsigned long long before = value_of("anyccl_requests", MPI_T_PVAR_CLASS_LEVEL, NULL), got;
    if (is_initialized) {
        MPI_Request request;
        MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL;
        int value = 0, count;
        CALL(MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request));
        got = value_of("anyccl_requests", MPI_T_PVAR_CLASS_LEVEL, NULL);
        CHECK(got == before + 1);
        CALL(MPI_Request_free(&request));
        got = value_of("anyccl_requests", MPI_T_PVAR_CLASS_LEVEL, NULL);
        CHECK(got == before);
        got = value_of("anyccl_direct_buffers_copied", MPI_T_PVAR_CLASS_COUNTER, &world);
        CHECK(got == 0);
        CALL(MPI_T_pvar_session_create(&session));
        CALL(MPI_T_pvar_get_index("anyccl_direct_buffers_copied", MPI_T_PVAR_CLASS_COUNTER, &index));
        CHECK(MPI_T_pvar_handle_alloc(session, index, &none, &handle, &count) == MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_T_ERR_INVALID_HANDLE);
        CALL(MPI_T_pvar_session_free(&session));
    }
    CALL(MPI_T_pvar_session_create(&session));
    CALL(MPI_T_pvar_session_create(&other));
    CALL(MPI_T_pvar_get_index("anyccl_sessions", MPI_T_PVAR_CLASS_LEVEL, &index));
    int count;
    CALL(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CALL(MPI_T_pvar_read(session, handle, &got));
    CHECK(got == 0);
    CHECK(MPI_T_pvar_read(other, handle, &got) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, handle, &got) == MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_pvar_start(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_stop(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_reset(session, handle) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_write(session, handle, &got) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_readreset(session, handle, &got) == MPI_T_ERR_PVAR_NO_ATOMIC);
    CALL(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    CALL(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    CALL(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    CALL(MPI_T_pvar_session_free(&session));
    CALL(MPI_T_pvar_session_free(&other));
}

static void categories(void)
{
    int n = 0, cvars, pvars, others, index, length, changed, list[8];
    char name[256], desc[4096];
    CALL(MPI_T_category_get_num(&n));
    for (int i = 0; i < n; i++) {
        int desc_length = sizeof desc;
        length = sizeof name;
        CALL(MPI_T_category_get_info(i, name, &length, desc, &desc_length, &cvars, &pvars, &others));
        CALL(MPI_T_category_get_index(name, &index));
        CHECK(index == i);
        CALL(MPI_T_category_get_cvars(i, cvars < 8 ? cvars : 8, list));
        CALL(MPI_T_category_get_pvars(i, pvars < 8 ? pvars : 8, list));
        CALL(MPI_T_category_get_categories(i, others < 8 ? others : 8, list));
    }
    CALL(MPI_T_category_changed(&changed));
    OWN(MPI_T_category_get_index("no such category", &index) == MPI_T_ERR_INVALID_NAME);
    OWN(MPI_T_category_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
}

static void events(void)
{
#if HAVE_MPI_4
    int n = -1;
    CALL(MPI_T_event_get_num(&n));
    OWN(n == 0);
    CALL(MPI_T_source_get_num(&n));
    if (is_ours) {
        MPI_Count stamp;
        MPI_T_event_registration registration;
        CHECK(n == 0 && MPI_T_source_get_timestamp(0, &stamp) == MPI_T_ERR_INVALID_INDEX);
        CHECK(MPI_T_event_get_index("any", &n) == MPI_T_ERR_INVALID_NAME);
        CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration) == MPI_T_ERR_INVALID_INDEX);
        CALL(MPI_T_category_get_num_events(0, &n));
        CHECK(n == 0);
    }
#endif
}

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], text[MPI_MAX_ERROR_STRING];
    int length, provided = -1, n, status;
    MPI_Get_library_version(version, &length);
    is_ours = !strncmp(version, "anyccl", 6);
    /* Before MPI_Init, an error handler would end the job. */
    OWN(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
    OWN(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    CALL(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    control();
    performance(0);
    CALL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CALL(MPI_T_finalize());
    control();
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    if (is_ours) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    }
    control();
    performance(1);
    categories();
    events();
    CALL(MPI_Error_string(MPI_T_ERR_INVALID_INDEX, text, &length));
    OWN(strstr(text, "MPI_T_ERR_INVALID_INDEX") != NULL);
    say("all of them");
    status = report_end();
    report_failures = 0;
    report_text = NULL;
    report_length = report_room = 0;
    CHECK(MPI_T_cvar_get_num(&n) == MPI_SUCCESS);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    OWN(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
    return status || report_failures;
}
