// Settings of a communicator, and the unique id. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_CONFIG_HPP
#define ANYCCL_CPP_CONFIG_HPP

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A timeout without a limit.
inline constexpr std::chrono::milliseconds never{ANYCCL_TIMEOUT_NEVER};

// Settings of one communicator. A member that is not set has its default.
struct config {
    // Name of the communicator in messages and log lines.
    std::string name{};
    // Longest time that a call waits without progress. Zero: the value of the parent, or of
    // ANYCCL_TIMEOUT_MS.
    std::chrono::milliseconds timeout{0};
    // Level of the log lines that are written, for the whole process.
    anyccl_log_level log_level = ANYCCL_LOG_DEFAULT;
    // Network interfaces for TCP, as in ANYCCL_SOCKET_IFNAME: "eth0", "^docker". Empty: the value of that
    // variable.
    std::string interfaces{};
    // Engine that serves the calls, as in ANYCCL_BACKEND: "mpi", "cpu:oneccl|mpi|builtin". Empty: the value
    // of that variable.
    std::string backend{};
    // Whether the communicator is made for memory of GPUs: each collective then has its buffers on GPUs, on all
    // ranks, or on none.
    bool for_devices = false;
    // Whether reductions of floating-point numbers have the same bits in calls of any length and form. Empty:
    // as the communicator from which it is made, else the value of ANYCCL_DETERMINISTIC.
    std::optional<bool> deterministic{};
    // Format in which sums and averages of floats travel between hosts. ANYCCL_WIRE_DEFAULT: that of the
    // communicator from which it is made, else the value of ANYCCL_WIRE.
    anyccl_wire wire = ANYCCL_WIRE_DEFAULT;
};

namespace detail {

// The settings as a struct of the C API, which refers to the strings of `config`.
inline anyccl_config_t to_c(const config& config) noexcept
{
    anyccl_config_t c = ANYCCL_CONFIG_INIT;
    c.name = config.name.empty() ? nullptr : config.name.c_str();
    c.timeout_ms = config.timeout.count();
    c.log_level = config.log_level;
    c.for_devices = config.for_devices ? 1 : 0;
    if (config.deterministic) {
        c.deterministic = *config.deterministic ? 1 : -1;
    }
    c.wire = config.wire;
    c.interface = config.interfaces.empty() ? nullptr : config.interfaces.c_str();
    c.backend = config.backend.empty() ? nullptr : config.backend.c_str();
    return c;
}

}  // namespace detail

// Name of a communicator that is being created. It is plain bytes: give them to the other ranks by any means.
// They contain a secret.
class unique_id {
public:
    // Makes a new id. One rank calls it and gives the bytes to all ranks of the new communicator.
    static outcome<unique_id> make()
    {
        unique_id id;
        return detail::call("unique_id").get([&] { return anyccl_get_unique_id(&id.c_); }, [&] { return id; });
    }

    // All zero, and not an id yet: receive the bytes into it.
    unique_id() = default;
    // An id of the C API.
    explicit unique_id(const anyccl_unique_id_t& c) noexcept : c_(c) {}

    view<unsigned char> bytes() noexcept { return view<unsigned char>(c_.bytes, ANYCCL_UNIQUE_ID_BYTES); }
    view<const unsigned char> bytes() const noexcept { return {c_.bytes, ANYCCL_UNIQUE_ID_BYTES}; }
    // The id for calls of the C API.
    const anyccl_unique_id_t& c() const noexcept { return c_; }

private:
    anyccl_unique_id_t c_{};
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
