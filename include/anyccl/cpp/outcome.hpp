// The result of a call: a value or a failure. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_OUTCOME_HPP
#define ANYCCL_CPP_OUTCOME_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// The failure of a call. what() is the message of anyccl_last_error(): which function, what was wrong, what
// is accepted or which rank is missing.
class error : public std::runtime_error {
public:
    error(anyccl_status_t status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}

    // Status of the call, never ANYCCL_SUCCESS.
    anyccl_status_t status() const noexcept { return status_; }

    // Whether the communicator is still usable: the call was refused on this rank, and nothing was sent.
    bool was_refused() const noexcept
    {
        return status_ == ANYCCL_ERR_INVALID_ARGUMENT || status_ == ANYCCL_ERR_INVALID_USAGE ||
               status_ == ANYCCL_ERR_UNSUPPORTED;
    }

private:
    anyccl_status_t status_;
};

#if ANYCCL_CPP_THROWS

// Return type of a call that gives a T. In this mode it is the T itself, because failures are thrown.
template <class T>
using outcome = T;

#else

// A value of type T, or the failure of the call.
template <class T>
class [[nodiscard]] result {
public:
    result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    result(error failure) : content_(std::in_place_index<1>, std::move(failure)) {}

    explicit operator bool() const noexcept { return content_.index() == 0; }
    anyccl_status_t status() const noexcept { return *this ? ANYCCL_SUCCESS : std::get_if<1>(&content_)->status(); }
    // Message of the failure; empty without a failure. Valid as long as the result.
    const char* message() const noexcept { return *this ? "" : std::get_if<1>(&content_)->what(); }

    // The value. Without a value, it ends the process with the message.
    T& value() & { return *existing(); }
    T&& value() && { return std::move(*existing()); }
    T& operator*() & { return *existing(); }
    T&& operator*() && { return std::move(*existing()); }
    T* operator->() { return existing(); }

private:
    T* existing()
    {
        if (!*this) {
            std::fprintf(stderr, "%s\n", message());
            std::abort();
        }
        return std::get_if<0>(&content_);
    }

    std::variant<T, error> content_;
};

// Success, or the failure of the call.
template <>
class [[nodiscard]] result<void> {
public:
    result() = default;
    result(error failure) : failure_(std::move(failure)) {}

    explicit operator bool() const noexcept { return !failure_; }
    anyccl_status_t status() const noexcept { return failure_ ? failure_->status() : ANYCCL_SUCCESS; }
    // Message of the failure; empty without a failure. Valid as long as the result.
    const char* message() const noexcept { return failure_ ? failure_->what() : ""; }

private:
    std::optional<error> failure_;
};

// Return type of a call that gives a T.
template <class T>
using outcome = result<T>;

#endif

namespace detail {

// One call of the C API: checks before it, the call, and the handling of its status.
class call {
public:
    // The name of the call, for the messages of the checks.
    explicit call(const char* name) noexcept : name_(name) {}

    // Refuses the call if a buffer does not have the required number of elements.
    call& holds(const char* buffer, std::size_t has, std::size_t needs, const char* rule)
    {
        if (!refused_ && has != needs) {
            refused_.emplace(ANYCCL_ERR_INVALID_ARGUMENT, std::string(name_) + ": " + buffer + " has " +
                                                              std::to_string(has) + " elements, must have " +
                                                              std::to_string(needs) + ": " + rule);
        }
        return *this;
    }

    // Refuses the call if a buffer cannot be cut into `parts` equal parts.
    call& divides(const char* buffer, std::size_t has, std::size_t parts)
    {
        // Without a communicator there are no ranks, and the library has a message for that.
        if (!refused_ && parts != 0 && has % parts != 0) {
            refused_.emplace(ANYCCL_ERR_INVALID_ARGUMENT, std::string(name_) + ": " + buffer + " has " +
                                                              std::to_string(has) +
                                                              " elements, must have the same number for each of " +
                                                              std::to_string(parts) + " ranks");
        }
        return *this;
    }

    // Refuses the call if a buffer is too short.
    call& has_room(const char* buffer, std::size_t has, std::size_t needs)
    {
        if (!refused_ && has < needs) {
            refused_.emplace(ANYCCL_ERR_INVALID_ARGUMENT, std::string(name_) + ": " + buffer + " has " +
                                                              std::to_string(has) + " elements, must have at least " +
                                                              std::to_string(needs));
        }
        return *this;
    }

    // Calls `function`, unless a check has refused the call.
    template <class Function>
    outcome<void> run(Function function)
    {
        if (auto failure = attempt(function)) {
#if ANYCCL_CPP_THROWS
            throw *std::move(failure);
#else
            return *std::move(failure);
#endif
        }
        return outcome<void>();
    }

    // Like `run`. After a success it returns the value of `make`, which uses the outputs of the call.
    template <class Function, class Make>
    auto get(Function function, Make make) -> outcome<std::decay_t<decltype(make())>>
    {
        if (auto failure = attempt(function)) {
#if ANYCCL_CPP_THROWS
            throw *std::move(failure);
#else
            return *std::move(failure);
#endif
        }
        return make();
    }

private:
    template <class Function>
    std::optional<error> attempt(Function& function)
    {
        if (refused_)
            return std::move(refused_);
        const anyccl_status_t status = function();
        if (status == ANYCCL_SUCCESS)
            return std::nullopt;
        return error(status, anyccl_last_error());
    }

    const char* name_;
    std::optional<error> refused_;
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
