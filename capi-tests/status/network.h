/* Makes the TCP connections between two processes of this host slow, or lets them swallow everything: no byte comes through,
 * and none of the ends learns of it. The kernel does it, by a filter of a socket and by a limit of its rate, for which no
 * rights are needed. */
#ifndef NETWORK_H
#define NETWORK_H

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

/* Bytes a second over a slow connection. */
#define SLOW_RATE (1u << 20)
#define MOST_CONNECTIONS 64

/* The numbers of the ports of a connection's ends. */
struct ports {
    int here, there;
};

static int connections[MOST_CONNECTIONS];
static int connection_count;

/* The port of an end of a TCP connection; 0 if the descriptor is none. */
static int port_of(int (*end)(int, struct sockaddr *, socklen_t *), int socket)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (end(socket, (struct sockaddr *)&address, &length) != 0)
        return 0;
    if (address.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *)&address)->sin_port);
    return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port) : 0;
}

/* Finds connections. Rank 0 takes all of its own, and writes their ports to a pipe. Rank 1 reads them, and takes those that lead
 * to rank 0. */
static void find_connections(int rank, int reader, int writer)
{
    static struct ports mine[MOST_CONNECTIONS], theirs[MOST_CONNECTIONS];
    static int sockets[MOST_CONNECTIONS];
    int count = 0;
    for (int socket = 0; socket < 1024 && count < MOST_CONNECTIONS; socket++) {
        struct ports ports = {port_of(getsockname, socket), port_of(getpeername, socket)};
        if (ports.here != 0 && ports.there != 0) {
            sockets[count] = socket;
            mine[count++] = ports;
        }
    }
    if (rank == 0)
        CHECK(write(writer, mine, sizeof mine) == sizeof mine);
    else
        CHECK(read(reader, theirs, sizeof theirs) == sizeof theirs);
    for (int at = 0; at < count; at++)
        for (int other = 0; other < MOST_CONNECTIONS; other++)
            if (rank == 0 || (mine[at].here == theirs[other].there && mine[at].there == theirs[other].here)) {
                connections[connection_count++] = sockets[at];
                break;
            }
    CHECK(connection_count > 0);
}

/* Lets what comes over the connections vanish, the receipts for what goes out among it. */
static void swallow(void)
{
    struct sock_filter nothing = {BPF_RET | BPF_K, 0, 0, 0};
    struct sock_fprog filter = {1, &nothing};
    for (int at = 0; at < connection_count; at++)
        CHECK(setsockopt(connections[at], SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0);
}

/* Makes what goes out over the connections slow. */
static void slow_down(void)
{
    unsigned rate = SLOW_RATE;
    for (int at = 0; at < connection_count; at++)
        CHECK(setsockopt(connections[at], SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate) == 0);
}

#endif
