/* Loaded before libc's functions (LD_PRELOAD): lets one call of the library into libc fail.
 *
 *   NTH_RANK       the rank in which it fails
 *   NTH_FUNCTION   the function
 *   NTH_CALL       which call of it, from 1 on; without it, no call fails
 *   NTH_COUNTS     a file to which the rank writes at its end how often it has called each function
 *
 * Only calls out of anyccl's own libraries count, and none of the program or of libc itself. So an interpreter may make thousands of
 * its own. Of the functions that allocate, only those of LARGE bytes count: Rust ends the process where a small one fails. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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
    X(getaddrinfo, EAI_AGAIN)                                                                                          \
    X(open, EMFILE)                                                                                                    \
    X(dup3, EMFILE)                                                                                                    \
    X(flock, ENOLCK)                                                                                                   \
    X(fsync, EIO)                                                                                                      \
    X(fstat, EIO)                                                                                                      \
    X(stat64, EACCES)                                                                                                  \
    X(lstat64, EACCES)                                                                                                 \
    X(statx, EACCES)                                                                                                   \
    X(opendir, EMFILE)                                                                                                 \
    X(readdir64, EIO)                                                                                                  \
    X(mkdir, ENOSPC)                                                                                                   \
    X(linkat, EPERM)                                                                                                   \
    X(rename, ENOSPC)                                                                                                  \
    X(unlink, EACCES)                                                                                                  \
    X(realpath, EACCES)                                                                                                \
    X(ioctl, ENODEV)                                                                                                   \
    X(shutdown, ENOTCONN)                                                                                              \
    X(mmap64, ENOMEM)                                                                                                  \
    X(mincore, EAGAIN)                                                                                                 \
    X(sched_getaffinity, EPERM)                                                                                        \
    X(syscall, ENOSYS)                                                                                                 \
    X(getrandom, ENOSYS)                                                                                               \
    X(gethostname, ENAMETOOLONG)                                                                                       \
    X(malloc, ENOMEM)                                                                                                  \
    X(calloc, ENOMEM)                                                                                                  \
    X(realloc, ENOMEM)                                                                                                 \
    X(posix_memalign, ENOMEM)                                                                                          \
    X(cpp_new, ENOMEM)                                                                                                 \
    X(cpp_thread, EAGAIN)                                                                                              \
    X(store, 0)

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

/* Bytes from which on an allocation counts. What the library makes for itself, such as a thousand places for requests of
 * MPI, is smaller. */
enum { LARGE = 192 << 10 };

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

static int is_name_of_library(const char *name)
{
    static const char *const libraries[] = {"/libanyccl.so", "/libnccl.so", "/libmpi", "/anyccl/_C.",
                                            "/anyccl/_fast_path."};
    /* PyTorch brings NVIDIA's own. */
    if (strstr(name, "/site-packages/nvidia/") != NULL)
        return 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strstr(name, libraries[i]) != NULL)
            return 1;
    return 0;
}

struct found {
    uintptr_t caller;
    int is_of_library;
};

/* Returns 1 for the object that has the caller. dladdr would also look through all names of PyTorch's libraries. */
static int find_object(struct dl_phdr_info *object, size_t bytes, void *context)
{
    struct found *found = context;
    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && found->caller - (object->dlpi_addr + part->p_vaddr) < part->p_memsz) {
            found->is_of_library = is_name_of_library(object->dlpi_name);
            return 1;
        }
    }
    return 0;
}

static int is_of_library(const void *caller)
{
    struct found found = {(uintptr_t)caller, 0};
    dl_iterate_phdr(find_object, &found);
    return found.is_of_library;
}

/* Whether this call is the one that fails. Without a caller it is the program's, and counts. */
static int is_due(int function, const void *caller)
{
    static _Thread_local int is_inside;
    const char *wanted = getenv("NTH_FUNCTION"), *number = getenv("NTH_CALL");
    if (is_inside)
        return 0;
    is_inside = 1;
    int counts_here = is_victim() && (caller == NULL || is_of_library(caller));
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
FAILS(int, dup3, -1, (int fd, int wanted, int flags), (fd, wanted, flags))
FAILS(int, flock, -1, (int fd, int operation), (fd, operation))
FAILS(int, fsync, -1, (int fd), (fd))
FAILS(int, fstat, -1, (int fd, struct stat *status), (fd, status))
FAILS(int, stat64, -1, (const char *path, struct stat64 *status), (path, status))
FAILS(int, lstat64, -1, (const char *path, struct stat64 *status), (path, status))
FAILS(int, statx, -1, (int folder, const char *path, int flags, unsigned mask, struct statx *status),
      (folder, path, flags, mask, status))
FAILS(DIR *, opendir, NULL, (const char *path), (path))
FAILS(struct dirent64 *, readdir64, NULL, (DIR * folder), (folder))
FAILS(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
FAILS(int, linkat, -1, (int from, const char *old, int to, const char *name, int flags), (from, old, to, name, flags))
FAILS(int, rename, -1, (const char *old, const char *name), (old, name))
FAILS(int, unlink, -1, (const char *path), (path))
FAILS(char *, realpath, NULL, (const char *path, char *resolved), (path, resolved))
FAILS(int, shutdown, -1, (int fd, int how), (fd, how))
FAILS(void *, mmap64, MAP_FAILED, (void *start, size_t length, int protection, int flags, int fd, off64_t offset),
      (start, length, protection, flags, fd, offset))
FAILS(int, mincore, -1, (void *start, size_t length, unsigned char *pages), (start, length, pages))
FAILS(int, sched_getaffinity, -1, (pid_t process, size_t bytes, cpu_set_t *set), (process, bytes, set))
FAILS(ssize_t, getrandom, -1, (void *data, size_t bytes, unsigned flags), (data, bytes, flags))
FAILS(int, gethostname, -1, (char *name, size_t bytes), (name, bytes))
RETURNS_ERROR(pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*body)(void *), void *argument),
              (thread, how, body, argument))
RETURNS_ERROR(getaddrinfo,
              (const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found),
              (name, service, hints, found))

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        static int (*real)(const char *, int, ...);                                                                    \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                           \
        va_end(rest);                                                                                                  \
        if (real == NULL)                                                                                              \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        if (is_due(CALL_##name, __builtin_return_address(0))) {                                                        \
            errno = errors[CALL_##name];                                                                               \
            return -1;                                                                                                 \
        }                                                                                                              \
        return real(path, flags, mode);                                                                                \
    }
OPENS(open)
OPENS(open64)

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

int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    if (is_due(CALL_ioctl, __builtin_return_address(0))) {
        errno = errors[CALL_ioctl];
        return -1;
    }
    return real(fd, request, argument);
}

/* A futex cannot fail in a way that anyone could tell. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long arguments[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(rest, long);
    va_end(rest);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    if (number != SYS_futex && is_due(CALL_syscall, __builtin_return_address(0))) {
        errno = errors[CALL_syscall];
        return -1;
    }
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/* glibc's own names, because dlsym may allocate. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static int lacks_memory(int function, size_t bytes, const void *caller)
{
    if (bytes < LARGE || !is_due(function, caller))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return lacks_memory(CALL_malloc, bytes, __builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return lacks_memory(CALL_calloc, count * bytes, __builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return lacks_memory(CALL_realloc, bytes, __builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

int posix_memalign(void **start, size_t alignment, size_t bytes)
{
    static int (*real)(void **, size_t, size_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "posix_memalign");
    return lacks_memory(CALL_posix_memalign, bytes, __builtin_return_address(0)) ? ENOMEM
                                                                                 : real(start, alignment, bytes);
}

/* Calls a function of libstdc++ that throws. */
static void throw_by(const char *name, int error)
{
    void (*thrower)(int);
    *(void **)&thrower = dlsym(RTLD_DEFAULT, name);
    if (thrower != NULL)
        thrower(error);
}

/* `new` of C++ throws, so small ones count as well. */
void *cpp_new(size_t bytes) __asm__("_Znwm");
void *cpp_new(size_t bytes)
{
    static void *(*real)(size_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "_Znwm");
    if (is_due(CALL_cpp_new, __builtin_return_address(0)))
        throw_by("_ZSt17__throw_bad_allocv", 0);
    return real(bytes);
}

/* The constructor of std::thread. */
void cpp_thread(void *thread, void *state, void (*depend)(void)) __asm__(
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
void cpp_thread(void *thread, void *state, void (*depend)(void))
{
    static void (*real)(void *, void *, void (*)(void));
    if (real == NULL)
        *(void **)&real =
            dlsym(RTLD_NEXT, "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
    if (is_due(CALL_cpp_thread, __builtin_return_address(0)))
        throw_by("_ZSt20__throw_system_errori", EAGAIN);
    real(thread, state, depend);
}

/* Programs with a store of their own ask this in each of its calls. */
int nth_call_of_store_fails(void)
{
    return is_due(CALL_store, NULL);
}
