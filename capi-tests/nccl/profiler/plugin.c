/* A profiler plugin of NCCL's interface, version 5, or 4 with -DVERSION=4. At the end of a communicator it writes its events to a
 * file of the folder PROFILED, one line each, in the order in which they began: "AllReduce 300 ncclFloat32 root 0 in coll_api".
 * Like NCCL's example, it asks for events once, and keeps what it gets at the begin of a communicator.
 *
 * The layouts are written down here a second time, so that those of the library are checked. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VERSION
#define VERSION 5
#endif

enum { GROUP = 1, COLL = 2, P2P = 4, GROUP_API = 256, COLL_API = 512, P2P_API = 1024 };

struct description {
#if VERSION == 4
    uint8_t type;
#else
    uint64_t type;
#endif
    void *parent;
    int rank;
    union {
        struct {
            int graph_captured, depth;
        } group_api;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            int root;
            void *stream;
            bool graph_captured;
        } coll_api;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            void *stream;
            bool graph_captured;
        } p2p_api;
        struct {
            uint64_t number;
            const char *func;
            const void *send;
            void *recv;
            size_t count;
            int root;
            const char *datatype;
            uint8_t channels, warps;
            const char *algo, *proto;
            void *parent_group;
        } coll;
        struct {
            const char *func;
            void *buffer;
            const char *datatype;
            size_t count;
            int peer;
            uint8_t channels;
            void *parent_group;
        } p2p;
    };
};

#define MOST 1000

struct event {
    struct comm *comm;
    const char *kind;
    bool has_ended;
    char line[200];
};

struct comm {
    const char *name;
    int rank, begun;
    struct event events[MOST];
};

static _Atomic(int *) mask;

static int begin(struct comm **comm, int *wanted, const char *name, uint64_t number, int nodes, int size, int rank,
                 void (*log)(int, unsigned long, const char *, int, const char *, ...))
{
    assert(strlen(name) > 0 && number != 0 && nodes == 1 && size > 0 && rank < size);
    log(3, 0, __FILE__, __LINE__, "rank %d begins\n", rank);
    *comm = calloc(1, sizeof **comm);
    (*comm)->rank = rank;
    (*comm)->name = name;
    int *none = NULL;
    if (atomic_compare_exchange_strong(&mask, &none, wanted))
        *wanted = COLL | P2P;
    assert(atomic_load(&mask) == wanted);
    return 0;
}

static int start(struct comm *comm, struct event **made, const struct description *about)
{
    assert(about->rank == comm->rank && comm->begun < MOST);
    struct event *event = *made = &comm->events[comm->begun++], *parent = about->parent;
    event->comm = comm;
    assert(!parent || (parent->comm == comm && !parent->has_ended));
    const char *in = parent ? parent->kind : "nothing";
    switch ((uint64_t)about->type) {
    case GROUP:
        event->kind = "group";
        snprintf(event->line, sizeof event->line, "group in %s", in);
        break;
    case COLL: {
        event->kind = "coll";
        assert(about->coll.send && about->coll.recv && about->coll.algo && about->coll.proto);
#if VERSION == 5
        struct event *group = about->coll.parent_group;
        assert(group && strcmp(group->kind, "group") == 0 && !group->has_ended);
#endif
        snprintf(event->line, sizeof event->line, "%s %zu %s root %d, number %d, in %s", about->coll.func,
                 about->coll.count, about->coll.datatype, about->coll.root, (int)about->coll.number, in);
        break;
    }
    case P2P:
        event->kind = "p2p";
        assert(about->p2p.buffer);
        snprintf(event->line, sizeof event->line, "%s %zu %s peer %d in %s", about->p2p.func, about->p2p.count,
                 about->p2p.datatype, about->p2p.peer, in);
        break;
    case GROUP_API:
        event->kind = "group_api";
        snprintf(event->line, sizeof event->line, "group_api depth %d in %s", about->group_api.depth, in);
        break;
    case COLL_API:
        event->kind = "coll_api";
        snprintf(event->line, sizeof event->line, "coll_api %s %zu %s root %d in %s", about->coll_api.func,
                 about->coll_api.count, about->coll_api.datatype, about->coll_api.root, in);
        break;
    case P2P_API:
        event->kind = "p2p_api";
        snprintf(event->line, sizeof event->line, "p2p_api %s %zu %s in %s", about->p2p_api.func, about->p2p_api.count,
                 about->p2p_api.datatype, in);
        break;
    default:
        assert(!"an event of a known kind");
    }
    return 0;
}

static int stop(struct event *event)
{
    assert(event && !event->has_ended);
    event->has_ended = true;
    return 0;
}

static int record(struct event *event, int state, void *arguments)
{
    (void)event, (void)state, (void)arguments;
    return 0;
}

static int finish(struct comm *comm)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/%s-%d", getenv("PROFILED"), comm->name, comm->rank);
    FILE *file = fopen(name, "w");
    assert(file);
    for (int at = 0; at < comm->begun; at++) {
        assert(comm->events[at].has_ended);
        fprintf(file, "%s\n", comm->events[at].line);
    }
    fclose(file);
    free(comm);
    return 0;
}

typedef void (*function)(void);

struct plugin {
    const char *name;
    function init, start, stop, record, finish;
};

#if VERSION == 4
const struct plugin ncclProfiler_v4 = {"test",         (function)begin,  (function)start,
                                       (function)stop, (function)record, (function)finish};
#else
static int begin5(struct comm **comm, uint64_t number, int *wanted, const char *name, int nodes, int size, int rank,
                  void (*log)(int, unsigned long, const char *, int, const char *, ...))
{
    return begin(comm, wanted, name, number, nodes, size, rank, log);
}

const struct plugin ncclProfiler_v5 = {"test",         (function)begin5, (function)start,
                                       (function)stop, (function)record, (function)finish};
#endif
