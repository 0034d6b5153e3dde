// Settings of a communicator, and the id by which one is joined. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_CONFIG_HPP
#define ANYCCL_CPP_CONFIG_HPP

#include <chrono>
#include <cstddef>
#include <string>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A deadline that never comes.
inline constexpr std::chrono::milliseconds never{ANYCCL_TIMEOUT_NEVER};

// Settings of one communicator. What is left as it is has its default.
struct config {
    // What messages call the communicator.
    std::string name{};
    // Deadline of every wait. Zero: the parent's, or what ANYCCL_TIMEOUT_MS says.
    std::chrono::milliseconds timeout{0};
    // Which log lines are written, for the whole process.
    anyccl_log_level log_level = ANYCCL_LOG_DEFAULT;
    // Interfaces for TCP, as in ANYCCL_SOCKET_IFNAME: "eth0", "^docker". Empty: what that variable says.
    std::string interfaces{};
    // Which engine serves calls, as in ANYCCL_BACKEND: "mpi", "cpu:oneccl|mpi|builtin". Empty: what that
    // variable says.
    std::string backend{};
};

namespace detail {

// The same in C; refers to the texts in `config`.
inline anyccl_config_t to_c(const config& config) noexcept
{
    anyccl_config_t c = ANYCCL_CONFIG_INIT;
    c.name = config.name.empty() ? nullptr : config.name.c_str();
    c.timeout_ms = config.timeout.count();
    c.log_level = config.log_level;
    c.interface = config.interfaces.empty() ? nullptr : config.interfaces.c_str();
    c.backend = config.backend.empty() ? nullptr : config.backend.c_str();
    return c;
}

}  // namespace detail

// The name of a communicator to be: bytes, to be given to the other ranks by any means. They contain the
// job's secret.
class unique_id {
public:
    // Makes a new id. One rank calls it and gives the bytes to all ranks of the communicator to be.
    static outcome<unique_id> make()
    {
        unique_id id;
        return detail::call("unique_id").get([&] { return anyccl_get_unique_id(&id.c_); }, [&] { return id; });
    }

    // All zero, and no id: to receive one by `bytes`.
    unique_id() = default;
    // One of the C API.
    explicit unique_id(const anyccl_unique_id_t& c) noexcept : c_(c) {}

    view<unsigned char> bytes() noexcept { return view<unsigned char>(c_.bytes, ANYCCL_UNIQUE_ID_BYTES); }
    view<const unsigned char> bytes() const noexcept { return {c_.bytes, ANYCCL_UNIQUE_ID_BYTES}; }
    // For calls of the C API.
    const anyccl_unique_id_t& c() const noexcept { return c_; }

private:
    anyccl_unique_id_t c_{};
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
