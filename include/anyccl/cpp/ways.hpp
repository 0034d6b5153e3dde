// The two ways to make a collective call: wait for its end, or start it. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_WAYS_HPP
#define ANYCCL_CPP_WAYS_HPP

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/request.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// A way is given both functions of the C API, and calls its own with the arguments they share.
class blocking {
public:
    explicit blocking(const char* name) noexcept : checked_(name) {}
    call& checked() noexcept { return checked_; }

    template <class Blocking, class Starting, class... Arguments>
    outcome<void> operator()(Blocking function, Starting, Arguments... arguments)
    {
        return checked_.run([&] { return function(arguments...); });
    }

private:
    call checked_;
};

class starting {
public:
    explicit starting(const char* name) noexcept : checked_(name) {}
    call& checked() noexcept { return checked_; }

    template <class Blocking, class Starting, class... Arguments>
    outcome<request> operator()(Blocking, Starting function, Arguments... arguments)
    {
        return started(checked_, [&](anyccl_request_t* request) { return function(arguments..., request); });
    }

private:
    call checked_;
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
