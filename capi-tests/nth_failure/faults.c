/* Loaded before libc's functions (LD_PRELOAD): lets one call of the library into libc fail.
 *
 *   NTH_RANK       the rank in which it fails
 *   NTH_FUNCTION   the function
 *   NTH_CALL       which call of it, from 1 on; without it, no call fails
 *   NTH_COUNTS     a file to which the rank writes at its end how often it has called each function
 *
 * Only calls out of anyccl's own libraries count, and none of the program or of libc itself. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A function, and the error with which it fails. */
#define FUNCTIONS(X)                                                                                                   \
    X(socket, EMFILE)                                                                                                  \
    X(socketpair, EMFILE)                                                                                              \
    X(bind, EADDRNOTAVAIL)                                                                                             \
    X(listen, EADDRINUSE)                                                                                              \
    X(accept4, EMFILE)                                                                                                 \
    X(connect, ECONNREFUSED)                                                                                           \
    X(getsockname, ENOBUFS)                                                                                            \
    X(getpeername, ENOTCONN)                                                                                           \
    X(getsockopt, ENOBUFS)                                                                                             \
    X(setsockopt, ENOPROTOOPT)                                                                                         \
    X(send, ECONNRESET)                                                                                                \
    X(sendmsg, ECONNRESET)                                                                                             \
    X(recv, ECONNRESET)                                                                                                \
    X(recvmsg, ECONNRESET)                                                                                             \
    X(read, EIO)                                                                                                       \
    X(write, ENOSPC)                                                                                                   \
    X(writev, ECONNRESET)                                                                                              \
    X(open64, EMFILE)                                                                                                  \
    X(fstat64, EIO)                                                                                                    \
    X(fstatfs, EIO)                                                                                                    \
    X(ftruncate, ENOSPC)                                                                                               \
    X(memfd_create, ENFILE)                                                                                            \
    X(eventfd, EMFILE)                                                                                                 \
    X(fcntl, EMFILE)                                                                                                   \
    X(ppoll, ENOMEM)                                                                                                   \
    X(poll, ENOMEM)                                                                                                    \
    X(mmap, ENOMEM)                                                                                                    \
    X(mprotect, ENOMEM)                                                                                                \
    X(madvise, EINVAL)                                                                                                 \
    X(fallocate, ENOSPC)                                                                                               \
    X(process_vm_readv, EPERM)                                                                                         \
    X(getifaddrs, ENOMEM)                                                                                              \
    X(readlink, EACCES)                                                                                                \
    X(pthread_create, EAGAIN)                                                                                          \
    X(getaddrinfo, EAI_AGAIN)

enum {
#define ENTRY(name, error) CALL_##name,
    FUNCTIONS(ENTRY)
#undef ENTRY
        FUNCTIONS_COUNT
};

static const char *const names[] = {
#define ENTRY(name, error) #name,
    FUNCTIONS(ENTRY)
#undef ENTRY
};
static const int errors[] = {
#define ENTRY(name, error) error,
    FUNCTIONS(ENTRY)
#undef ENTRY
};

static atomic_long counts[FUNCTIONS_COUNT];

static int is_victim(void)
{
    static const char *const variables[] = {"ANYCCL_RANK", "PMI_RANK", "RANK"};
    const char *wanted = getenv("NTH_RANK");
    for (size_t i = 0; wanted != NULL && i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank != NULL)
            return strcmp(rank, wanted) == 0;
    }
    return 0;
}

static int is_of_library(const void *caller)
{
    static const char *const libraries[] = {"/libanyccl.so", "/libnccl.so", "/libmpi"};
    Dl_info info;
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
        return 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strstr(info.dli_fname, libraries[i]) != NULL)
            return 1;
    return 0;
}

/* Whether this call is the one that fails. */
static int is_due(int function, const void *caller)
{
    static _Thread_local int is_inside;
    const char *wanted = getenv("NTH_FUNCTION"), *number = getenv("NTH_CALL");
    if (is_inside)
        return 0;
    is_inside = 1;
    int counts_here = is_victim() && is_of_library(caller);
    is_inside = 0;
    if (!counts_here)
        return 0;
    const long call = atomic_fetch_add(&counts[function], 1) + 1;
    return wanted != NULL && number != NULL && strcmp(wanted, names[function]) == 0 && call == atol(number);
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("NTH_COUNTS");
    if (path == NULL || !is_victim())
        return;
    FILE *file = fopen(path, "w");
    for (int i = 0; file != NULL && i < FUNCTIONS_COUNT; i++)
        if (counts[i] > 0)
            fprintf(file, "%s %ld\n", names[i], (long)counts[i]);
    if (file != NULL)
        fclose(file);
}

/* Defines a function that fails by errno, and one that fails by what it returns. */
#define FAILS(result, name, failure, parameters, arguments)                                                            \
    result name parameters                                                                                             \
    {                                                                                                                  \
        static result(*real) parameters;                                                                               \
        if (real == NULL)                                                                                              \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        if (is_due(CALL_##name, __builtin_return_address(0))) {                                                        \
            errno = errors[CALL_##name];                                                                               \
            return failure;                                                                                            \
        }                                                                                                              \
        return real arguments;                                                                                         \
    }
#define RETURNS_ERROR(name, parameters, arguments) FAILS(int, name, errors[CALL_##name], parameters, arguments)

FAILS(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
FAILS(int, socketpair, -1, (int domain, int type, int protocol, int pair[2]), (domain, type, protocol, pair))
FAILS(int, bind, -1, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
FAILS(int, listen, -1, (int fd, int backlog), (fd, backlog))
FAILS(int, accept4, -1, (int fd, struct sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags))
FAILS(int, connect, -1, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
FAILS(int, getsockname, -1, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length))
FAILS(int, getpeername, -1, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length))
FAILS(int, getsockopt, -1, (int fd, int level, int name, void *value, socklen_t *length),
      (fd, level, name, value, length))
FAILS(int, setsockopt, -1, (int fd, int level, int name, const void *value, socklen_t length),
      (fd, level, name, value, length))
FAILS(ssize_t, send, -1, (int fd, const void *data, size_t bytes, int flags), (fd, data, bytes, flags))
FAILS(ssize_t, sendmsg, -1, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
FAILS(ssize_t, recv, -1, (int fd, void *data, size_t bytes, int flags), (fd, data, bytes, flags))
FAILS(ssize_t, recvmsg, -1, (int fd, struct msghdr *message, int flags), (fd, message, flags))
FAILS(ssize_t, read, -1, (int fd, void *data, size_t bytes), (fd, data, bytes))
FAILS(ssize_t, write, -1, (int fd, const void *data, size_t bytes), (fd, data, bytes))
FAILS(ssize_t, writev, -1, (int fd, const struct iovec *parts, int count), (fd, parts, count))
FAILS(int, fstat64, -1, (int fd, struct stat64 *status), (fd, status))
FAILS(int, fstatfs, -1, (int fd, struct statfs *status), (fd, status))
FAILS(int, ftruncate, -1, (int fd, off_t length), (fd, length))
FAILS(int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
FAILS(int, eventfd, -1, (unsigned initial, int flags), (initial, flags))
FAILS(int, ppoll, -1, (struct pollfd * fds, nfds_t count, const struct timespec *time, const sigset_t *mask),
      (fds, count, time, mask))
FAILS(int, poll, -1, (struct pollfd * fds, nfds_t count, int time), (fds, count, time))
FAILS(void *, mmap, MAP_FAILED, (void *start, size_t length, int protection, int flags, int fd, off_t offset),
      (start, length, protection, flags, fd, offset))
FAILS(int, mprotect, -1, (void *start, size_t length, int protection), (start, length, protection))
FAILS(int, madvise, -1, (void *start, size_t length, int advice), (start, length, advice))
FAILS(int, fallocate, -1, (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length))
FAILS(ssize_t, process_vm_readv, -1,
      (pid_t process, const struct iovec *local, unsigned long locals, const struct iovec *remote,
       unsigned long remotes, unsigned long flags),
      (process, local, locals, remote, remotes, flags))
FAILS(int, getifaddrs, -1, (struct ifaddrs * *found), (found))
FAILS(ssize_t, readlink, -1, (const char *path, char *target, size_t bytes), (path, target, bytes))
RETURNS_ERROR(pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*body)(void *), void *argument),
              (thread, how, body, argument))
RETURNS_ERROR(getaddrinfo,
              (const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found),
              (name, service, hints, found))

int open64(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "open64");
    if (is_due(CALL_open64, __builtin_return_address(0))) {
        errno = errors[CALL_open64];
        return -1;
    }
    return real(path, flags, mode);
}

int fcntl(int fd, int command, ...)
{
    static int (*real)(int, int, ...);
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fcntl");
    if (is_due(CALL_fcntl, __builtin_return_address(0))) {
        errno = errors[CALL_fcntl];
        return -1;
    }
    return real(fd, command, argument);
}
