// Several requests at once. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_SEVERAL_HPP
#define ANYCCL_CPP_SEVERAL_HPP

#include <cstddef>
#include <optional>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/request.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// In each of these calls `requests` is any range of request with a size, of one or several communicators.
// Requests that have already ended are skipped.

// Waits for the end of all requests. The failure is the first one in their order, after all have ended.
template <class Requests>
outcome<void> wait_all(Requests&& requests)
{
    detail::handles all(requests);
    return detail::call("wait_all").run([&] { return anyccl_wait_all(all.count(), all.data()); });
}

namespace detail {

// A place in an array of the C API, if there is one.
inline std::optional<std::size_t> place(std::size_t index) noexcept
{
    constexpr auto none = static_cast<std::size_t>(-1);  // ANYCCL_NO_INDEX, without a cast in the manner of C
    return index == none ? std::nullopt : std::optional<std::size_t>(index);
}

}  // namespace detail

// Waits for the end of one request and gives its index; no value if all had already ended. A failure is the
// failure of that request.
template <class Requests>
outcome<std::optional<std::size_t>> wait_any(Requests&& requests)
{
    std::size_t index = 0;
    detail::handles all(requests);
    return detail::call("wait_any")
        .get([&] { return anyccl_wait_any(all.count(), all.data(), &index); }, [&] { return detail::place(index); });
}

// Index of a request that has ended, if there is one. It does not block, and lets the operations of the
// communicators progress.
template <class Requests>
outcome<std::optional<std::size_t>> test_any(Requests&& requests)
{
    std::size_t index = 0;
    int done = 0;
    detail::handles all(requests);
    return detail::call("test_any")
        .get([&] { return anyccl_test_any(all.count(), all.data(), &index, &done); },
             [&] { return detail::place(index); });
}

// Whether all requests have ended. If so, all are taken; otherwise none is. It does not block.
template <class Requests>
outcome<bool> test_all(Requests&& requests)
{
    int done = 0;
    detail::handles all(requests);
    return detail::call("test_all")
        .get([&] { return anyccl_test_all(all.count(), all.data(), &done); }, [&] { return done != 0; });
}

// Waits until at least one request has ended and takes none: `test` tells which one.
template <class Requests>
outcome<void> wait_ready(Requests&& requests)
{
    detail::handles all(requests);
    return detail::call("wait_ready").run([&] { return anyccl_wait_ready(all.count(), all.data()); });
}

// A request that has ended, and its result.
struct ended {
    // Index of the request.
    std::size_t index;
    // ANYCCL_SUCCESS, or the status of the failure.
    anyccl_status_t status;
};

// Waits until at least one request has ended, and gives all that have ended, in their order. The list is
// empty if all had already ended. A failed operation is reported in the list, and is not a failure of this
// call.
template <class Requests>
outcome<std::vector<ended>> wait_some(Requests&& requests)
{
    detail::handles all(requests);
    constexpr std::size_t untouched = static_cast<std::size_t>(-1);
    std::size_t count = untouched;
    std::vector<std::size_t> places(all.count());
    std::vector<anyccl_status_t> statuses(all.count());
    const auto wait = [&] {
        const anyccl_status_t status =
            anyccl_wait_some(all.count(), all.data(), &count, places.data(), statuses.data());
        // The outputs are written: the failure is one of those in the list.
        return count == untouched ? status : ANYCCL_SUCCESS;
    };
    return detail::call("wait_some").get(wait, [&] {
        std::vector<ended> found;
        found.reserve(count);
        for (std::size_t i = 0; i < count; i++)
            found.push_back({places[i], statuses[i]});
        return found;
    });
}

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
