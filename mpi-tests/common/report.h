/* Output and checks of the test programs.
 *
 * Each rank collects lines. report_end() sends them to rank 0, which prints the lines of rank 0 first, then those of
 * rank 1, and so on. So the output is the same in every run, and by every MPI that conforms to the standard.
 * With REPORT_NOW in the environment, each line also goes to standard error at once. This helps with a program that
 * hangs.
 *
 * HAVE_MPI_4 is 1 if a program may use functions that are newer than MPI 3.1. It is 0 for Open MPI's ABI, and for the
 * form of a program that MPI 3.1 allows.
 */
#ifndef REPORT_H
#define REPORT_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4 && !defined(MPI_3_1_ONLY)
#define HAVE_MPI_4 1
#else
#define HAVE_MPI_4 0
#endif

static int rank, size;

static char *report_text;
static size_t report_length, report_room;
static int report_failures;

/* Adds a line. */
static inline void say(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2) {
        length = sizeof line - 2;
    }
    line[length++] = '\n';
    line[length] = 0;
    if (getenv("REPORT_NOW")) {
        fprintf(stderr, "%d: %s", rank, line);
    }
    if (report_length + (size_t)length > report_room) {
        report_room = 2 * report_room + 4096;
        report_text = (char *)realloc(report_text, report_room);
    }
    memcpy(report_text + report_length, line, (size_t)length);
    report_length += (size_t)length;
}

static inline int report_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines after the first `mark` bytes. For lines that may come in any order. */
static inline void report_sort(size_t mark)
{
    enum { LINES = 64 };
    char *copy, *lines[LINES], *at;
    int n = 0;
    if (report_length == mark) {
        return;
    }
    copy = (char *)calloc(report_length - mark + 1, 1);
    memcpy(copy, report_text + mark, report_length - mark);
    for (at = strtok(copy, "\n"); at && n < LINES; at = strtok(NULL, "\n")) {
        lines[n++] = at;
    }
    qsort(lines, (size_t)n, sizeof *lines, report_compare);
    at = report_text + mark;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(lines[i]);
        memcpy(at, lines[i], length);
        at[length] = '\n';
        at += length + 1;
    }
    free(copy);
}

/* Name of the class of an error code. Its number depends on the ABI, its name does not. */
static inline const char *class_name(int code)
{
    static const struct {
        int class_;
        const char *name;
    } names[] = {
        {MPI_SUCCESS, "SUCCESS"},
        {MPI_ERR_BUFFER, "BUFFER"},
        {MPI_ERR_COUNT, "COUNT"},
        {MPI_ERR_TYPE, "TYPE"},
        {MPI_ERR_TAG, "TAG"},
        {MPI_ERR_COMM, "COMM"},
        {MPI_ERR_RANK, "RANK"},
        {MPI_ERR_REQUEST, "REQUEST"},
        {MPI_ERR_ROOT, "ROOT"},
        {MPI_ERR_GROUP, "GROUP"},
        {MPI_ERR_OP, "OP"},
        {MPI_ERR_TOPOLOGY, "TOPOLOGY"},
        {MPI_ERR_DIMS, "DIMS"},
        {MPI_ERR_ARG, "ARG"},
        {MPI_ERR_UNKNOWN, "UNKNOWN"},
        {MPI_ERR_TRUNCATE, "TRUNCATE"},
        {MPI_ERR_OTHER, "OTHER"},
        {MPI_ERR_INTERN, "INTERN"},
        {MPI_ERR_IN_STATUS, "IN_STATUS"},
        {MPI_ERR_PENDING, "PENDING"},
        {MPI_ERR_KEYVAL, "KEYVAL"},
        {MPI_ERR_INFO, "INFO"},
        {MPI_ERR_INFO_KEY, "INFO_KEY"},
        {MPI_ERR_INFO_NOKEY, "INFO_NOKEY"},
        {MPI_ERR_INFO_VALUE, "INFO_VALUE"},
        {MPI_ERR_NO_MEM, "NO_MEM"},
        {MPI_ERR_WIN, "WIN"},
        {MPI_ERR_FILE, "FILE"},
        {MPI_ERR_SPAWN, "SPAWN"},
        {MPI_ERR_NAME, "NAME"},
    };
    int class_ = -1;
    MPI_Error_class(code, &class_);
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (names[at].class_ == class_) {
            return names[at].name;
        }
    }
    return "another class";
}

static inline void report_failure(const char *file, int line, const char *what)
{
    const char *name = strrchr(file, '/');
    report_failures++;
    if (report_failures <= 20) {
        say("FAILED %s:%d: %s", name ? name + 1 : file, line, what);
    }
}

/* Checks a condition. */
#define CHECK(condition) ((condition) ? (void)0 : report_failure(__FILE__, __LINE__, #condition))

/* Makes a call that must succeed. */
#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        int code_ = (call);                                                                                            \
        if (code_ != MPI_SUCCESS) {                                                                                    \
            char text_[MPI_MAX_ERROR_STRING], both_[MPI_MAX_ERROR_STRING + 512];                                       \
            int length_ = 0;                                                                                           \
            MPI_Error_string(code_, text_, &length_);                                                                  \
            snprintf(both_, sizeof both_, "%.400s: %s", #call, text_);                                                 \
            report_failure(__FILE__, __LINE__, both_);                                                                 \
        }                                                                                                              \
    } while (0)

/* Starts MPI. Errors on MPI_COMM_WORLD, MPI_COMM_SELF, and communicators made from them are returned. */
static inline int report_begin(int *argc, char ***argv, int threads)
{
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(argc, argv, threads, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return provided;
}

/* Prints the lines of all ranks and ends MPI. Returns the exit status, 0 if all checks passed. */
static inline int report_end(void)
{
    enum { TAG = 32000 };
    int failures = report_failures;
    if (rank == 0) {
        for (int from = 0; from < size; from++) {
            int length = (int)report_length, count;
            char *text = report_text;
            if (from > 0) {
                MPI_Recv(&length, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(&count, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                failures += count;
                text = (char *)malloc((size_t)length + 1);
                MPI_Recv(text, length, MPI_CHAR, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            for (char *line = text, *end; line < text + length; line = end + 1) {
                end = (char *)memchr(line, '\n', (size_t)(text + length - line));
                printf("%d: %.*s\n", from, (int)(end - line), line);
            }
            if (from > 0) {
                free(text);
            }
        }
        printf("%s\n", failures ? "FAILED" : "passed");
        fflush(stdout);
    } else {
        int length = (int)report_length;
        MPI_Send(&length, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(&report_failures, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(report_text, length, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    }
    free(report_text);
    MPI_Finalize();
    return failures ? 1 : 0;
}

#endif
