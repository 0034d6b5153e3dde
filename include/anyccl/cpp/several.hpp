// Several started operations at once. Part of anyccl.hpp.
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
// Those that have ended already are skipped.

// Waits for the end of all of them. The failure is the first one in their order, after all have ended.
template <class Requests>
outcome<void> wait_all(Requests&& requests)
{
    detail::handles all(requests);
    return detail::call("wait_all").run([&] { return anyccl_wait_all(all.count(), all.data()); });
}

namespace detail {

// A place in an array of the C API, if it is one.
inline std::optional<std::size_t> place(std::size_t index) noexcept
{
    constexpr auto none = static_cast<std::size_t>(-1);  // ANYCCL_NO_INDEX, without a cast in the manner of C
    return index == none ? std::nullopt : std::optional<std::size_t>(index);
}

}  // namespace detail

// Waits for the end of one of them, and tells which; none where all had ended. A failure is that of the one
// that has ended.
template <class Requests>
outcome<std::optional<std::size_t>> wait_any(Requests&& requests)
{
    std::size_t index = 0;
    detail::handles all(requests);
    return detail::call("wait_any")
        .get([&] { return anyccl_wait_any(all.count(), all.data(), &index); }, [&] { return detail::place(index); });
}

// Whether one of them has ended, and which. Does not wait; moves the operations of their communicators on.
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

// Whether all of them have ended: then each is taken, else none is. Does not wait.
template <class Requests>
outcome<bool> test_all(Requests&& requests)
{
    int done = 0;
    detail::handles all(requests);
    return detail::call("test_all")
        .get([&] { return anyccl_test_all(all.count(), all.data(), &done); }, [&] { return done != 0; });
}

// Waits until one of them has ended, at least, and takes none: `test` tells which.
template <class Requests>
outcome<void> wait_ready(Requests&& requests)
{
    detail::handles all(requests);
    return detail::call("wait_ready").run([&] { return anyccl_wait_ready(all.count(), all.data()); });
}

// An operation that has ended, and how.
struct ended {
    // Its place among the requests.
    std::size_t index;
    // ANYCCL_SUCCESS, or why it failed.
    anyccl_status_t status;
};

// Waits until one of them has ended, at least; tells of all that have by then, in their order. None where all
// had ended before. An operation that failed is told of here, and is no failure of this call.
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
        // Written: the failure is one of those in the list.
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
