/* Calls of the CUDA driver in tests, which find it by its usual name and need no header of CUDA. */
#ifndef ANYCCL_TESTS_CUDA_H
#define ANYCCL_TESTS_CUDA_H

#include <dlfcn.h>
#include <stdint.h>

#include "check.h"

typedef int cuda_function();

/* The library. A test opens it first. */
static void *driver;

/* Calls a function of the driver, whose arguments are passed as they are. */
#define CUDA(name, ...)                                                                                                \
    do {                                                                                                               \
        cuda_function *entry;                                                                                          \
        *(void **)&entry = dlsym(driver, name);                                                                        \
        CHECK(entry != NULL);                                                                                          \
        CHECK(entry(__VA_ARGS__) == 0);                                                                                \
    } while (0)

/* The driver knows device memory by numbers, the library by pointers. */
static inline void *address(uint64_t device)
{
    return (void *)(uintptr_t)device;
}

#endif
