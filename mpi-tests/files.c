/* Tests of files: opening, views, accesses of one rank and of all, file pointers, and errors. */
#define _GNU_SOURCE
#include "common/memory_kinds.h"
#include "common/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char path[256];
/* Whether the library is anyccl. MPICH's ranks do not get one error, and it counts too many bytes of some reads that
 * reach the end of the file. */
static int is_anyccl;

/* The errors of close and fsync on this program's file, as of a file system that learns late that a write has failed. */
static int close_error, sync_error;

/* Makes a system call on a descriptor, and fails with an error if the descriptor is one of this program's file. */
static int call_on(long number, int descriptor, int error)
{
    char link[64], name[256];
    ssize_t length = -1;
    if (error) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        length = readlink(link, name, sizeof name);
    }
    int outcome = (int)syscall(number, descriptor);
    if (length < 0 || (size_t)length != strlen(path) || memcmp(name, path, (size_t)length) != 0) {
        return outcome;
    }
    errno = error;
    return -1;
}

/* The MPI library finds these two instead of those of the C library. */
int close(int descriptor)
{
    return call_on(SYS_close, descriptor, close_error);
}

int fsync(int descriptor)
{
    return call_on(SYS_fsync, descriptor, sync_error);
}

/* Agrees on a path for this program's file. */
static void choose_path(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int pid = (int)getpid(), length;
    CALL(MPI_Get_library_version(version, &length));
    is_anyccl = strncmp(version, "anyccl", 6) == 0;
    CALL(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    snprintf(path, sizeof path, "/tmp/anyccl-files-%d", pid);
}

static MPI_File opened(int amode)
{
    MPI_File file = MPI_FILE_NULL;
    CALL(MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file));
    return file;
}

/* Closes and deletes a file, and waits until it is deleted. */
static void removed(MPI_File *file)
{
    CALL(MPI_File_close(file));
    CHECK(*file == MPI_FILE_NULL);
    if (rank == 0) {
        CALL(MPI_File_delete(path, MPI_INFO_NULL));
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
}

static int count_of(MPI_Status *status, MPI_Datatype type)
{
    int count = -1;
    CALL(MPI_Get_count(status, type, &count));
    return count;
}

static int class_of(int code)
{
    int class_ = -1;
    MPI_Error_class(code, &class_);
    return class_;
}

static void opening(void)
{
    MPI_File file = MPI_FILE_NULL;
    MPI_Group group, world;
    MPI_Offset bytes;
    MPI_Info info;
    int amode, same, flag;
    char prefixed[300];
    CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) == MPI_ERR_NO_SUCH_FILE);
    CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, path, 0, MPI_INFO_NULL, &file)) == MPI_ERR_AMODE);
    CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file)) ==
          MPI_ERR_AMODE);
    CHECK(class_of(MPI_File_delete(path, MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL);
    CALL(MPI_File_get_amode(file, &amode));
    CHECK(amode == (MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL));
    CALL(MPI_File_get_group(file, &group));
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CALL(MPI_Group_compare(group, world, &same));
    CHECK(same == MPI_IDENT);
    CALL(MPI_Group_free(&group));
    CALL(MPI_Group_free(&world));
    CALL(MPI_File_set_size(file, 1000));
    CALL(MPI_File_get_size(file, &bytes));
    say("%d bytes", (int)bytes);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_set_size(file, 10));
    CALL(MPI_File_preallocate(file, 5000));
    CALL(MPI_File_get_size(file, &bytes));
    say("%d bytes", (int)bytes);
    CALL(MPI_File_get_atomicity(file, &flag));
    say("atomic: %d", flag);
    CALL(MPI_File_set_atomicity(file, 1));
    CALL(MPI_File_get_atomicity(file, &flag));
    say("atomic: %d", flag);
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "cb_buffer_size", "65536"));
    CALL(MPI_Info_set(info, "striping_unit", "4096"));
    CALL(MPI_Info_set(info, "nobody_knows_this", "yes"));
    CALL(MPI_File_set_info(file, info));
    CALL(MPI_Info_free(&info));
    CALL(MPI_File_get_info(file, &info));
    CHECK(info != MPI_INFO_NULL);
    check_memory_kinds(info);
    CALL(MPI_Info_free(&info));
    CALL(MPI_File_sync(file));
    CALL(MPI_File_close(&file));
    amode = MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL;
    int code = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file);
    CHECK(is_anyccl ? class_of(code) == MPI_ERR_FILE_EXISTS : code != MPI_SUCCESS);
    snprintf(prefixed, sizeof prefixed, "ufs:%s", path);
    CALL(MPI_File_open(MPI_COMM_WORLD, prefixed, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CALL(MPI_File_close(&file));
    CHECK(access(path, F_OK) == -1);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "file_perm", "0640"));
    CALL(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
    CALL(MPI_Info_free(&info));
    struct stat found;
    CHECK(stat(path, &found) == 0 && (!is_anyccl || (found.st_mode & 0777) == 0640));
    removed(&file);
}

static void pointers(void)
{
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    MPI_Offset place;
    int words[10], got[20];
    for (int i = 0; i < 10; i++) {
        words[i] = 100 * rank + i;
    }
    CALL(MPI_File_seek(file, 40 * (MPI_Offset)rank, MPI_SEEK_SET));
    CALL(MPI_File_write(file, words, 4, MPI_INT, &status));
    CALL(MPI_File_write(file, words + 4, 6, MPI_INT, MPI_STATUS_IGNORE));
    say("wrote %d", count_of(&status, MPI_INT));
    CALL(MPI_File_get_position(file, &place));
    say("at %d", (int)place);
    CALL(MPI_File_sync(file));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_sync(file));
    CALL(MPI_File_read_at(file, 40 * (MPI_Offset)((rank + 1) % size), got, 10, MPI_INT, &status));
    say("read %d: %d %d", count_of(&status, MPI_INT), got[0], got[9]);
    CALL(MPI_File_seek(file, -8, MPI_SEEK_END));
    CALL(MPI_File_read(file, got, 20, MPI_INT, &status));
    say("at the end: %d, %d", count_of(&status, MPI_INT), got[0]);
    CALL(MPI_File_read(file, got, 20, MPI_INT, &status));
    say("behind the end: %d", count_of(&status, MPI_INT));
    CALL(MPI_File_seek(file, 4, MPI_SEEK_SET));
    CALL(MPI_File_seek(file, 8, MPI_SEEK_CUR));
    CALL(MPI_File_get_position(file, &place));
    say("at %d", (int)place);
    CHECK(MPI_File_seek(file, -50, MPI_SEEK_CUR) != MPI_SUCCESS);
    CHECK(MPI_File_write_at(file, -1, words, 1, MPI_INT, &status) != MPI_SUCCESS);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    removed(&file);
    file = opened(MPI_MODE_WRONLY | MPI_MODE_CREATE);
    CHECK(class_of(MPI_File_read(file, got, 1, MPI_INT, &status)) == MPI_ERR_ACCESS);
    CALL(MPI_File_close(&file));
    file = opened(MPI_MODE_RDONLY);
    CHECK(class_of(MPI_File_write(file, got, 1, MPI_INT, &status)) == MPI_ERR_READ_ONLY);
    removed(&file);
}

/* Each rank sees every size-th pair of ints. */
static void views(int buffered)
{
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype pair, tile, holes, etype, filetype;
    MPI_Status status;
    MPI_Offset place;
    MPI_Info info;
    MPI_Aint extent;
    char name[MPI_MAX_DATAREP_STRING];
    enum { PAIRS = 50 };
    int words[4 * PAIRS], got[4 * PAIRS];
    CALL(MPI_Type_contiguous(2, MPI_INT, &pair));
    CALL(MPI_Type_commit(&pair));
    CALL(MPI_Type_create_resized(pair, 0, 8 * (MPI_Aint)size, &tile));
    CALL(MPI_Type_commit(&tile));
    CALL(MPI_Type_vector(2 * PAIRS, 1, 2, MPI_INT, &holes));
    CALL(MPI_Type_commit(&holes));
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "cb_buffer_size", "4096"));
    CALL(MPI_Info_set(info, "collective_buffering", buffered ? "true" : "false"));
    CALL(MPI_File_set_view(file, 16 + 8 * (MPI_Offset)rank, MPI_INT, tile, "native", info));
    CALL(MPI_Info_free(&info));
    CALL(MPI_File_get_view(file, &place, &etype, &filetype, name));
    CHECK(place == 16 + 8 * rank && etype == MPI_INT && strcmp(name, "native") == 0);
    if (filetype != tile) {
        CALL(MPI_Type_free(&filetype));
    }
    CALL(MPI_File_get_byte_offset(file, 3, &place));
    CHECK(place == 16 + 8 * rank + 8 * size + 4);
    CALL(MPI_File_get_type_extent(file, tile, &extent));
    CHECK(extent == 8 * size);
    for (int i = 0; i < 4 * PAIRS; i++) {
        words[i] = 1000 * rank + i;
        got[i] = -1;
    }
    CALL(MPI_File_write_all(file, words, 1, holes, &status));
    say("wrote %d", count_of(&status, MPI_INT));
    CALL(MPI_File_get_position(file, &place));
    CHECK(place == 2 * PAIRS);
    CALL(MPI_File_seek(file, 0, MPI_SEEK_END));
    CALL(MPI_File_get_position(file, &place));
    CHECK(place == 2 * PAIRS);
    CALL(MPI_File_read_at_all(file, 0, got, 2 * PAIRS, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 2 * PAIRS);
    for (int i = 0; i < 2 * PAIRS; i++) {
        CHECK(got[i] == words[2 * i]);
    }
    CALL(MPI_File_read_at(file, 2, got, 3, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 3 && got[0] == words[4] && got[2] == words[8]);
    CALL(MPI_File_read_at_all(file, 2 * PAIRS - 3, got, 10, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 3 && got[2] == words[4 * PAIRS - 2]);
    CALL(MPI_File_write_at_all(file, 0, words, rank % 2 ? 0 : 4, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == (rank % 2 ? 0 : 4));
    CHECK(MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL) != MPI_SUCCESS);
    CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "nobody's", MPI_INFO_NULL)) ==
          MPI_ERR_UNSUPPORTED_DATAREP);
    CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    int all = 2 * PAIRS * size + 4, *whole = (int *)malloc(sizeof(int) * ((size_t)all + 10));
    CALL(MPI_File_read_all(file, whole, all + 10, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == all);
    for (int i = 4; i < all; i++) {
        int from = (i - 4) / 2 % size, at = (i - 4) / (2 * size) * 2 + i % 2;
        CHECK(whole[i] == 1000 * from + (at < 4 && from % 2 == 0 ? at : 2 * at));
    }
    say("whole[0] = %d", whole[0]);
    free(whole);
    CALL(MPI_Type_free(&pair));
    CALL(MPI_Type_free(&tile));
    CALL(MPI_Type_free(&holes));
    removed(&file);
}

/* Large interleaved blocks, in several rounds of the aggregators, and a range that ends behind the file. */
static void rounds(void)
{
    enum { BLOCK = 3001, BLOCKS = 40 };
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype blocks, filetype;
    MPI_Info info;
    MPI_Status status;
    unsigned char *bytes = (unsigned char *)malloc(BLOCK * BLOCKS), *got = (unsigned char *)calloc(BLOCK * BLOCKS, 2);
    for (int i = 0; i < BLOCK * BLOCKS; i++) {
        bytes[i] = (unsigned char)(i * 7 + rank * 31 + i / 256);
    }
    CALL(MPI_Type_vector(BLOCKS, BLOCK, BLOCK * size, MPI_BYTE, &blocks));
    CALL(MPI_Type_create_resized(blocks, 0, (MPI_Aint)BLOCK * BLOCKS * size, &filetype));
    CALL(MPI_Type_free(&blocks));
    CALL(MPI_Type_commit(&filetype));
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "cb_buffer_size", "10000"));
    CALL(MPI_Info_set(info, "cb_nodes", "2"));
    CALL(MPI_File_set_view(file, BLOCK * (MPI_Offset)rank, MPI_BYTE, filetype, "native", info));
    CALL(MPI_Info_free(&info));
    CALL(MPI_File_write_all(file, bytes, BLOCK * BLOCKS, MPI_BYTE, &status));
    CHECK(count_of(&status, MPI_BYTE) == BLOCK * BLOCKS);
    CALL(MPI_File_read_at_all(file, BLOCK, got, 2 * BLOCK * BLOCKS - BLOCK, MPI_BYTE, &status));
    CHECK(count_of(&status, MPI_BYTE) == BLOCK * (BLOCKS - 1));
    CALL(MPI_File_read_at(file, BLOCK + 1, got, 2 * BLOCK * BLOCKS - BLOCK - 1, MPI_BYTE, &status));
    CHECK(!is_anyccl || count_of(&status, MPI_BYTE) == BLOCK * (BLOCKS - 1) - 1);
    CHECK(got[0] == bytes[BLOCK + 1]);
    CALL(MPI_File_read_at_all(file, BLOCK, got, BLOCK * (BLOCKS - 1), MPI_BYTE, &status));
    CHECK(memcmp(got, bytes + BLOCK, BLOCK * (BLOCKS - 1)) == 0);
    CHECK(got[BLOCK * (BLOCKS - 1)] == 0);
    CALL(MPI_Type_free(&filetype));
    free(bytes);
    free(got);
    removed(&file);
}

static void shared(void)
{
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    MPI_Offset place;
    int word = rank + 1, got[2], sum = 0, total;
    CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CALL(MPI_File_write_shared(file, &word, 1, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 1);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_get_position_shared(file, &place));
    CHECK(place == size);
    CALL(MPI_File_sync(file));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_read_shared(file, &sum, 1, MPI_INT, &status));
    CALL(MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    say("sum %d", total);
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_END));
    int pair[2] = {10 * rank, 10 * rank + 1};
    CALL(MPI_File_write_ordered(file, pair, rank % 2 + 1, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == rank % 2 + 1);
    CALL(MPI_File_seek_shared(file, size, MPI_SEEK_SET));
    CALL(MPI_File_read_ordered(file, got, rank % 2 + 1, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == rank % 2 + 1 && got[0] == 10 * rank);
    removed(&file);
    int lines = 3 * (rank + 1);
    file = opened(MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_APPEND);
    CALL(MPI_File_write_ordered(file, "aaabbbcccdddeee", lines, MPI_CHAR, MPI_STATUS_IGNORE));
    CALL(MPI_File_close(&file));
    file = opened(MPI_MODE_WRONLY | MPI_MODE_APPEND);
    CALL(MPI_File_get_position(file, &place));
    say("appends at %d", (int)place);
    removed(&file);
}

static void atomic(void)
{
    enum { LENGTH = 100000, TURNS = 20 };
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    char *mine = (char *)malloc(LENGTH), *got = (char *)malloc(LENGTH);
    memset(mine, 'a' + rank, LENGTH);
    CALL(MPI_File_set_atomicity(file, 1));
    CALL(MPI_File_write_at_all(file, 0, mine, LENGTH, MPI_CHAR, MPI_STATUS_IGNORE));
    for (int turn = 0; turn < TURNS; turn++) {
        CALL(MPI_File_write_at(file, 0, mine, LENGTH, MPI_CHAR, MPI_STATUS_IGNORE));
        CALL(MPI_File_read_at(file, 0, got, LENGTH, MPI_CHAR, MPI_STATUS_IGNORE));
        int same = 1;
        for (int i = 1; i < LENGTH; i++) {
            same &= got[i] == got[0];
        }
        CHECK(same);
    }
    free(mine);
    free(got);
    removed(&file);
}

/* Data in external32: big-endian. */
static void external(void)
{
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    int words[3] = {1, 0x01020304, -2}, got[3] = {0, 0, 0};
    unsigned char bytes[4];
    CALL(MPI_File_set_view(file, 12 * (MPI_Offset)rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    CALL(MPI_File_write_at_all(file, 0, words, 3, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 3);
    CALL(MPI_File_read_at_all(file, 0, got, 3, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 3 && memcmp(got, words, sizeof words) == 0);
    CALL(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CALL(MPI_File_read_at(file, 12 * (MPI_Offset)rank + 4, bytes, 4, MPI_BYTE, &status));
    say("%d %d %d %d", bytes[0], bytes[1], bytes[2], bytes[3]);
    if (is_anyccl) {
        /* Two and a half elements of three ints each are there. */
        MPI_Datatype three;
        MPI_Aint places[3] = {0, 8, 16};
        int elements, many[18], numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        CALL(MPI_Type_create_hindexed_block(3, 1, places, MPI_INT, &three));
        CALL(MPI_Type_commit(&three));
        CALL(MPI_File_set_size(file, 0));
        CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
        CALL(MPI_File_write_at_all(file, 0, numbers, rank == 0 ? 8 : 0, MPI_INT, &status));
        CALL(MPI_File_sync(file));
        memset(many, -1, sizeof many);
        CALL(MPI_File_read_at(file, 0, many, 3, three, &status));
        CALL(MPI_Get_elements(&status, three, &elements));
        CHECK(elements == 8 && count_of(&status, three) == MPI_UNDEFINED);
        /* The extent of an element is that of five ints. */
        CHECK(many[0] == 1 && many[10] == 7 && many[12] == 8 && many[14] == -1);
        CALL(MPI_Type_free(&three));
    }
    removed(&file);
}

/* A full device, and a limit that is in the midst of a write: all ranks get one error. */
static void failures(void)
{
    MPI_File file;
    MPI_Status status;
    char text[MPI_MAX_ERROR_STRING];
    enum { LENGTH = 20000 };
    char *bytes = (char *)calloc(LENGTH, 1);
    int code, length, least, most;
    CALL(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    code = MPI_File_write_at_all(file, 0, bytes, rank == size - 1 ? 1 : 0, MPI_BYTE, &status);
    if (is_anyccl) {
        CHECK(class_of(code) == MPI_ERR_NO_SPACE);
        MPI_Error_string(code, text, &length);
        CHECK(strstr(text, "/dev/full"));
    }
    CALL(MPI_File_close(&file));
    file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    struct rlimit old, small = {10000, 10000};
    signal(SIGXFSZ, SIG_IGN);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    code = MPI_File_write_at_all(file, 0, bytes, rank == 0 ? LENGTH : 0, MPI_BYTE, &status);
    setrlimit(RLIMIT_FSIZE, &old);
    CALL(MPI_Allreduce(&code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    CALL(MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK(is_anyccl ? least != MPI_SUCCESS && least == most : most != MPI_SUCCESS);
    MPI_Offset there;
    CALL(MPI_File_get_size(file, &there));
    say("%d bytes are there", (int)there);
    removed(&file);
    free(bytes);
}

/* Errors that close and fsync report on one rank: all ranks get them. */
static void late_failures(void)
{
    int codes[] = {ENOSPC, EDQUOT, EIO}, classes[] = {MPI_ERR_NO_SPACE, MPI_ERR_QUOTA, MPI_ERR_IO};
    for (int i = 0; i < 3; i++) {
        MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
        sync_error = rank == size - 1 ? codes[i] : 0;
        CHECK(class_of(MPI_File_sync(file)) == classes[i]);
        sync_error = 0;
        close_error = rank == size - 1 ? codes[i] : 0;
        CHECK(class_of(MPI_File_close(&file)) == classes[i]);
        close_error = 0;
        CHECK(file == MPI_FILE_NULL);
        file = opened(MPI_MODE_RDWR);
        removed(&file);
    }
}

static struct rlimit memory_before;

/* Lets the process allocate so many bytes more. */
static void limit_memory(rlim_t more)
{
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    CHECK(sizes && fscanf(sizes, "%lu", &pages) == 1);
    fclose(sizes);
    getrlimit(RLIMIT_AS, &memory_before);
    struct rlimit now = {pages * (rlim_t)sysconf(_SC_PAGESIZE) + more, memory_before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &now) == 0);
}

/* All ranks read one range: the aggregator must not keep a copy for each. Where memory is short, all get an error. */
static void memory(void)
{
    /* The large one does not fit into what glibc has reserved for a thread, which is not limited. */
    enum { LENGTH = 16 << 20, LARGE = 96 << 20 };
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Status status;
    MPI_Info info;
    char *bytes = (char *)malloc(LARGE);
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "cb_nodes", "1"));
    CALL(MPI_File_set_info(file, info));
    memset(bytes, 7, LENGTH);
    CALL(MPI_File_write_at_all(file, 0, bytes, rank == 0 ? LENGTH : 0, MPI_CHAR, &status));
    memset(bytes, 0, LENGTH);
    CALL(MPI_Info_set(info, "cb_buffer_size", "268435456"));
    CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", info));
    limit_memory(8 << 20);
    int code = MPI_File_read_at(file, 0, bytes, LARGE / 4, MPI_INT, &status);
    setrlimit(RLIMIT_AS, &memory_before);
    CHECK(class_of(code) == MPI_ERR_NO_MEM);
    CALL(MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", info));
    limit_memory(8 << 20);
    code = MPI_File_read_at_all(file, 0, bytes, LENGTH, MPI_CHAR, &status);
    setrlimit(RLIMIT_AS, &memory_before);
    CHECK(class_of(code) == (size > 1 ? MPI_ERR_NO_MEM : MPI_SUCCESS));
    CALL(MPI_Info_set(info, "cb_buffer_size", "16777216"));
    CALL(MPI_File_set_info(file, info));
    limit_memory(100 << 20);
    CALL(MPI_File_read_at_all(file, 0, bytes, LENGTH, MPI_CHAR, &status));
    setrlimit(RLIMIT_AS, &memory_before);
    CHECK(count_of(&status, MPI_CHAR) == LENGTH && bytes[0] == 7 && bytes[LENGTH - 1] == 7);
    CALL(MPI_Info_free(&info));
    free(bytes);
    removed(&file);
}

/* Few bytes in a range that is far larger than what the aggregators could go through in pieces. */
static void sparse(void)
{
    enum { WORDS = 8 };
    const MPI_Aint step = (MPI_Aint)1 << 36;
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype tile;
    MPI_Status status;
    MPI_Info info;
    int words[WORDS], got[WORDS];
    for (int i = 0; i < WORDS; i++) {
        words[i] = 100 * rank + i;
    }
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "cb_buffer_size", "4096"));
    CALL(MPI_Info_set(info, "cb_nodes", "1"));
    CALL(MPI_Type_create_resized(MPI_INT, 0, step, &tile));
    CALL(MPI_Type_commit(&tile));
    CALL(MPI_File_set_view(file, 4 * (MPI_Offset)rank, MPI_INT, tile, "native", info));
    CALL(MPI_File_write_all(file, words, WORDS, MPI_INT, &status));
    CALL(MPI_File_read_at_all(file, 0, got, WORDS, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == WORDS && memcmp(got, words, sizeof words) == 0);
    CALL(MPI_Type_free(&tile));
    CALL(MPI_Info_free(&info));
    removed(&file);
}

/* Ends of views that show bytes more than once, or backwards. */
static void ends(void)
{
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype twice, back, plain;
    MPI_Offset place;
    CALL(MPI_File_set_size(file, 20));
    CALL(MPI_File_close(&file));
    file = opened(MPI_MODE_RDONLY);
    /* Ints 0 1 2 | 1 2 3 | 2 3 4 | 3 4 5, of which the last is not there. */
    CALL(MPI_Type_contiguous(3, MPI_INT, &plain));
    CALL(MPI_Type_create_resized(plain, 0, 4, &twice));
    CALL(MPI_Type_create_resized(MPI_INT, 0, -4, &back));
    CALL(MPI_Type_commit(&twice));
    CALL(MPI_Type_commit(&back));
    CALL(MPI_File_set_view(file, 0, MPI_INT, twice, "native", MPI_INFO_NULL));
    CALL(MPI_File_seek(file, 0, MPI_SEEK_END));
    CALL(MPI_File_get_position(file, &place));
    CHECK(place == 11);
    CALL(MPI_File_set_view(file, 8, MPI_INT, back, "native", MPI_INFO_NULL));
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_END) != MPI_SUCCESS);
    int got[4];
    MPI_Status status;
    CALL(MPI_File_read_at(file, 0, got, 3, MPI_INT, &status));
    CHECK(count_of(&status, MPI_INT) == 3);
    CHECK(class_of(MPI_File_read_at(file, 0, got, 4, MPI_INT, &status)) == MPI_ERR_ARG);
    CALL(MPI_Type_free(&plain));
    CALL(MPI_Type_free(&twice));
    CALL(MPI_Type_free(&back));
    removed(&file);
}

/* Non-blocking and split accesses. */
static void nonblocking(void)
{
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype tile;
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    int words[4] = {rank, rank + 1, rank + 2, rank + 3}, got[6];
    CALL(MPI_Type_create_resized(MPI_INT, 0, 4 * (MPI_Aint)size, &tile));
    CALL(MPI_Type_commit(&tile));
    CALL(MPI_File_set_view(file, 4 * (MPI_Offset)rank, MPI_INT, tile, "native", MPI_INFO_NULL));
    CALL(MPI_Type_free(&tile));
    CALL(MPI_File_iwrite(file, words, 1, MPI_INT, &requests[0]));
    CALL(MPI_File_iwrite_at(file, 1, words + 1, 1, MPI_INT, &requests[1]));
    CALL(MPI_Waitall(2, requests, statuses));
    CHECK(count_of(&statuses[0], MPI_INT) == 1 && count_of(&statuses[1], MPI_INT) == 1);
    CALL(MPI_File_iwrite_at_all(file, 2, words + 2, 1, MPI_INT, &requests[0]));
    CALL(MPI_File_seek(file, 3, MPI_SEEK_SET));
    CALL(MPI_File_iwrite_all(file, words + 3, 1, MPI_INT, &requests[1]));
    CALL(MPI_Wait(&requests[1], &status));
    CHECK(count_of(&status, MPI_INT) == 1);
    CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    /* The ranks need not come at the same time. */
    CALL(MPI_File_iread_at_all(file, 0, got, is_anyccl ? 6 : 4, MPI_INT, &requests[0]));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Wait(&requests[0], &status));
    CHECK(count_of(&status, MPI_INT) == 4 && memcmp(got, words, sizeof words) == 0);
    CALL(MPI_File_seek(file, 1, MPI_SEEK_SET));
    CALL(MPI_File_iread_all(file, got, 2, MPI_INT, &requests[0]));
    CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CALL(MPI_File_iread(file, got + 2, 2, MPI_INT, &requests[0]));
    CALL(MPI_Wait(&requests[0], &status));
    CHECK(!is_anyccl || count_of(&status, MPI_INT) == 1);
    say("iread: %d %d %d", got[0], got[1], got[2]);
    CALL(MPI_File_iread_at(file, 3, got, 1, MPI_INT, &requests[0]));
    CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    say("iread_at: %d", got[0]);
    CALL(MPI_File_write_at_all_begin(file, 4, words, 2, MPI_INT));
    CALL(MPI_File_write_at_all_end(file, words, &status));
    CHECK(count_of(&status, MPI_INT) == 2);
    CALL(MPI_File_seek(file, 4, MPI_SEEK_SET));
    CALL(MPI_File_read_all_begin(file, got, is_anyccl ? 6 : 2, MPI_INT));
    CALL(MPI_File_read_all_end(file, got, &status));
    CHECK(count_of(&status, MPI_INT) == 2 && got[1] == words[1]);
    CALL(MPI_File_write_all_begin(file, words, 2, MPI_INT));
    CALL(MPI_File_write_all_end(file, words, &status));
    CALL(MPI_File_read_at_all_begin(file, 6, got, 2, MPI_INT));
    if (is_anyccl) {
        CHECK(MPI_File_read_all_end(file, got, &status) != MPI_SUCCESS);
        CHECK(MPI_File_read_all_begin(file, got, 1, MPI_INT) != MPI_SUCCESS);
    }
    CALL(MPI_File_read_at_all_end(file, got, &status));
    CHECK(count_of(&status, MPI_INT) == 2 && got[1] == words[1]);
    CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CALL(MPI_File_iwrite_shared(file, words, 2, MPI_INT, &requests[0]));
    CALL(MPI_Wait(&requests[0], &status));
    CHECK(count_of(&status, MPI_INT) == 2);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_iread_shared(file, got, 2, MPI_INT, &requests[0]));
    CALL(MPI_Wait(&requests[0], &status));
    CHECK(count_of(&status, MPI_INT) == 2 && got[1] == got[0] + 1);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_write_ordered_begin(file, words, 2, MPI_INT));
    CALL(MPI_File_write_ordered_end(file, words, &status));
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CALL(MPI_File_read_ordered_begin(file, got, 2, MPI_INT));
    CALL(MPI_File_read_ordered_end(file, got, &status));
    CHECK(count_of(&status, MPI_INT) == 2 && got[0] == rank);
    removed(&file);
    if (is_anyccl) {
        CALL(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
        CALL(MPI_File_iwrite_at_all(file, 0, words, rank == size - 1, MPI_INT, &requests[0]));
        CHECK(class_of(MPI_Wait(&requests[0], &status)) == MPI_ERR_NO_SPACE);
        CALL(MPI_File_close(&file));
    }
}

static MPI_File failed_file;
static int failed_calls;

static void count_failure(MPI_File *file, int *code, ...)
{
    failed_file = *file;
    failed_calls++;
    CHECK(*code != MPI_SUCCESS);
}

static void handlers(void)
{
    MPI_Errhandler handler, got;
    MPI_File file = MPI_FILE_NULL;
    CALL(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CALL(MPI_File_create_errhandler(count_failure, &handler));
    CALL(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK(failed_calls == 1 && failed_file == MPI_FILE_NULL);
    CALL(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    CALL(MPI_File_get_errhandler(file, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CALL(MPI_File_set_errhandler(file, handler));
    CALL(MPI_Errhandler_free(&handler));
    MPI_File_seek(file, -1, MPI_SEEK_SET);
    CHECK(failed_calls == 2 && failed_file == file);
    CALL(MPI_File_call_errhandler(file, MPI_ERR_IO));
    CHECK(failed_calls == 3);
    MPI_Fint number = MPI_File_c2f(file);
    CHECK(MPI_File_f2c(number) == file);
    CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    removed(&file);
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    choose_path();
    opening();
    pointers();
    views(1);
    views(0);
    rounds();
    shared();
    atomic();
    external();
    failures();
    nonblocking();
    handlers();
    if (is_anyccl) {
        late_failures();
        memory();
        sparse();
        ends();
    }
    return report_end();
}
