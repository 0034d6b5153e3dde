// Calls that are started together. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_BATCH_HPP
#define ANYCCL_CPP_BATCH_HPP

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// From here to `end`, calls of this thread do not block: each returns as soon as it is started, and they may
// stand in any order. What they are given, buffers and `told`, must live until the end: temporaries do not. A
// batch that goes out of scope ends, too, and its failure is lost.
class [[nodiscard]] batch {
public:
    batch() noexcept { (void)anyccl_batch_begin(); }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch()
    {
        if (is_open_)
            (void)anyccl_batch_end();
    }

    // Waits until everything that was called inside is done.
    outcome<void> end()
    {
        is_open_ = false;
        return detail::call("batch").run([] { return anyccl_batch_end(); });
    }

private:
    bool is_open_ = true;
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
