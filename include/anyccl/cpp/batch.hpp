// Calls that are started together, and calls that are estimated. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_BATCH_HPP
#define ANYCCL_CPP_BATCH_HPP

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A batch: until `end`, calls of this thread do not block. Each returns when it is started, and they may
// stand in any order. Buffers and outputs of the calls must live until the end, so they cannot be
// temporaries. A batch that goes out of scope ends as well, and its failure is lost.
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

    // Waits until all calls of the batch are complete.
    outcome<void> end()
    {
        is_open_ = false;
        return detail::call("batch").run([] { return anyccl_batch_end(); });
    }

private:
    bool is_open_ = true;
};

// An estimate: until `end`, calls of this thread are not made. Their time is predicted.
class [[nodiscard]] estimate {
public:
    // Fails in `end` if this thread has an estimate open already.
    estimate() noexcept : is_open_(anyccl_estimate_begin() == ANYCCL_SUCCESS) {}
    estimate(const estimate&) = delete;
    estimate& operator=(const estimate&) = delete;
    ~estimate()
    {
        double microseconds;
        if (is_open_)
            (void)anyccl_estimate_end(&microseconds);
    }

    // Microseconds that the calls would have taken, one after the other.
    outcome<double> end()
    {
        is_open_ = false;
        double microseconds = 0;
        return detail::call("estimate")
            .get([&] { return anyccl_estimate_end(&microseconds); }, [&] { return microseconds; });
    }

private:
    bool is_open_;
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
