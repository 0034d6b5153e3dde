// The forms of a call: blocking, nonblocking, persistent. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_WAYS_HPP
#define ANYCCL_CPP_WAYS_HPP

#include <cstddef>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// The functions of the C API for one call. Not every call has a persistent form.
template <class Blocking, class Starting, class Preparing = std::nullptr_t>
struct forms {
    forms(Blocking now, Starting soon, Preparing later = nullptr) noexcept
        : blocking(now), starting(soon), preparing(later)
    {
    }
    Blocking blocking;
    Starting starting;
    Preparing preparing;
};

// A way gets the forms of a call, and calls one of them with the arguments that they share.
class blocking {
public:
    explicit blocking(const char* name) noexcept : checked_(name) {}
    call& checked() noexcept { return checked_; }

    template <class Forms, class... Arguments>
    outcome<void> operator()(const Forms& forms, Arguments... arguments)
    {
        return checked_.run([&] { return forms.blocking(arguments...); });
    }

private:
    call checked_;
};

class starting {
public:
    explicit starting(const char* name) noexcept : checked_(name) {}
    call& checked() noexcept { return checked_; }

    template <class Forms, class... Arguments>
    outcome<request> operator()(const Forms& forms, Arguments... arguments)
    {
        return started(checked_, [&](anyccl_request_t* request) { return forms.starting(arguments..., request); });
    }

private:
    call checked_;
};

class preparing {
public:
    explicit preparing(const char* name) noexcept : checked_(name) {}
    call& checked() noexcept { return checked_; }

    template <class Forms, class... Arguments>
    outcome<persistent> operator()(const Forms& forms, Arguments... arguments)
    {
        return prepared(checked_, [&](anyccl_request_t* request) { return forms.preparing(arguments..., request); });
    }

private:
    call checked_;
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
