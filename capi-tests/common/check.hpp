// Checks for tests of anyccl.hpp with exceptions, beside those of check.h.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstring>

#include <anyccl/anyccl.hpp>

#include "check.h"

// Checks that a call fails with this status, and that its sentence has these words.
template <class Call>
void throws(const char* file, int line, anyccl_status_t status, const char* words, Call call)
{
    const char* problem = "nothing was thrown";
    try {
        call();
    } catch (const anyccl::error& error) {
        if (error.status() == status && std::strstr(error.what(), words) != nullptr)
            return;
        std::fprintf(stderr, "%s:%d: status %d: %s\n", file, line, error.status(), error.what());
        problem = "thrown was something else";
    }
    std::fprintf(stderr, "%s:%d: expected status %d and \"%s\": %s\n", file, line, status, words, problem);
    std::_Exit(1);
}

#define CHECK_THROWS(call, status, words) throws(__FILE__, __LINE__, status, words, [&] { call; })

#endif
