/* Collective writes and reads through random views, compared with a file that rank 0 makes alone.
 *
 * The file is cut into random blocks, each of which belongs to one rank or to none. A rank's view has its blocks, and its
 * memory is contiguous or has holes. Blocks of no rank must keep what was there.
 */
#include "common/report.h"

#include <unistd.h>

enum { SEEDS = 40, BLOCKS = 300, LONGEST = 400, LENGTH = BLOCKS * LONGEST };

static unsigned long long state;
static int is_anyccl;

static int drawn(int below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)below);
}

static unsigned char value(int seed, int owner, int at)
{
    return (unsigned char)(seed * 31 + owner * 57 + at * 7 + at / 256);
}

/* The hints of a seed, equal on all ranks. */
static MPI_Info hints(void)
{
    MPI_Info info;
    char text[20];
    CALL(MPI_Info_create(&info));
    snprintf(text, sizeof text, "%d", 4096 + drawn(60000));
    CALL(MPI_Info_set(info, "cb_buffer_size", text));
    snprintf(text, sizeof text, "%d", 1 + drawn(size));
    CALL(MPI_Info_set(info, "cb_nodes", text));
    return info;
}

static void one(int seed, const char *path)
{
    static unsigned char expected[LENGTH], whole[LENGTH], mine[LENGTH], memory[2 * LENGTH], got[2 * LENGTH];
    int lengths[BLOCKS], places[BLOCKS], n = 0, total = 0, end = 0, last = 0, step = 1 + seed % 2, count;
    MPI_Datatype filetype, stepped;
    MPI_Status status;
    MPI_Offset bytes;
    MPI_File file;
    state = (unsigned long long)seed * 977 + 1;
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < BLOCKS; i++) {
        int length = 1 + drawn(drawn(3) ? 20 : LONGEST), owner = drawn(size + 1) - 1;
        for (int at = end; owner >= 0 && at < end + length; at++) {
            expected[at] = value(seed, owner, at);
            last = at + 1;
        }
        if (owner == rank) {
            lengths[n] = length;
            places[n++] = end;
            for (int at = end; at < end + length; at++) {
                mine[total] = value(seed, owner, at);
                memory[step * total] = mine[total];
                total++;
            }
        }
        end += length;
    }
    MPI_Info info = hints();
    CALL(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file));
    /* Behind the end of a file, MPICH writes anything into blocks of no rank. */
    int is_long = !is_anyccl || seed % 3;
    if (is_long) {
        CALL(MPI_File_set_size(file, LENGTH));
    }
    CALL(MPI_Type_indexed(n, lengths, places, MPI_BYTE, &filetype));
    CALL(MPI_Type_commit(&filetype));
    CALL(MPI_Type_vector(total, 1, step, MPI_BYTE, &stepped));
    CALL(MPI_Type_commit(&stepped));
    CALL(MPI_File_set_view(file, 0, MPI_BYTE, filetype, "native", info));
    CALL(MPI_File_write_all(file, memory, total > 0, stepped, &status));
    CALL(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == total);
    memset(got, 0, sizeof got);
    CALL(MPI_File_read_at_all(file, 0, got, total > 0, stepped, &status));
    for (int i = 0; i < total; i++) {
        CHECK(got[step * i] == mine[i]);
    }
    memset(got, 0, sizeof got);
    if (total > 0) {
        int from = drawn(total);
        CALL(MPI_File_read_at(file, from, got, total - from, MPI_BYTE, &status));
        CHECK(memcmp(got, mine + from, (size_t)(total - from)) == 0);
    }
    CALL(MPI_File_sync(file));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
    CALL(MPI_File_read_at_all(file, 0, whole, rank == 0 ? last : 0, MPI_BYTE, &status));
    CHECK(rank > 0 || memcmp(whole, expected, (size_t)last) == 0);
    CALL(MPI_File_get_size(file, &bytes));
    CHECK(bytes == (is_long ? LENGTH : last));
    CALL(MPI_Info_free(&info));
    CALL(MPI_Type_free(&filetype));
    CALL(MPI_Type_free(&stepped));
    CALL(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    char path[100], version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    CALL(MPI_Get_library_version(version, &length));
    is_anyccl = strncmp(version, "anyccl", 6) == 0;
    int pid = (int)getpid(), seeds = argc > 1 ? atoi(argv[1]) : SEEDS;
    CALL(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    snprintf(path, sizeof path, "/tmp/anyccl-random-files-%d", pid);
    for (int seed = 0; seed < seeds; seed++) {
        one(seed, path);
    }
    return report_end();
}
