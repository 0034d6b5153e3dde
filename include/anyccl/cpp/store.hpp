// Bootstrap by a store of the program, or by a file. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_STORE_HPP
#define ANYCCL_CPP_STORE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/config.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A key/value store of the program, such as one of its own launcher. Derive from it, and give the object to
// communicator::create.
class store {
public:
    using bytes = std::vector<unsigned char>;

    virtual ~store() = default;
    // Sets a value, and replaces an earlier one.
    virtual outcome<void> set(const std::string& key, view<const unsigned char> value) = 0;
    // Waits until a key is set and gives its value; no value if it was not set in time.
    virtual outcome<std::optional<bytes>> get(const std::string& key, std::chrono::milliseconds timeout) = 0;
};

namespace detail {

// Writes the error message of a store callback, cut to the room for it.
inline void tell(char* message, const char* sentence) noexcept
{
    std::strncpy(message, sentence, ANYCCL_STORE_MESSAGE_BYTES - 1);
    message[ANYCCL_STORE_MESSAGE_BYTES - 1] = 0;
}

constexpr int store_failed = 2;

// Runs the body of a store callback. No exception leaves it: the text of one goes to `message`.
template <class Function>
int answered(char* message, Function function) noexcept
{
#if ANYCCL_CPP_THROWS
    try {
        return function();
    } catch (const std::exception& failure) {
        tell(message, failure.what());
    } catch (...) {
        tell(message, "an exception that is no std::exception");
    }
    return store_failed;
#else
    (void)message;
    return function();
#endif
}

inline int store_set(void* context, const char* key, const void* value, std::size_t size, char* message) noexcept
{
    return answered(message, [&]() -> int {
        auto& own = *static_cast<store*>(context);
        const view<const unsigned char> bytes(static_cast<const unsigned char*>(value), size);
#if ANYCCL_CPP_THROWS
        own.set(key, bytes);
#else
        if (const auto done = own.set(key, bytes); !done) {
            tell(message, done.message());
            return store_failed;
        }
#endif
        return ANYCCL_STORE_OK;
    });
}

inline int store_get(void* context, const char* key, std::int64_t timeout_ms, void* value, std::size_t capacity,
                     std::size_t* size, char* message) noexcept
{
    return answered(message, [&]() -> int {
        auto& own = *static_cast<store*>(context);
        auto found = own.get(key, std::chrono::milliseconds(timeout_ms));
#if ANYCCL_CPP_THROWS
        const std::optional<store::bytes>& bytes = found;
#else
        if (!found) {
            tell(message, found.message());
            return store_failed;
        }
        const std::optional<store::bytes>& bytes = *found;
#endif
        if (!bytes)
            return ANYCCL_STORE_TIMEOUT;
        if (bytes->size() > capacity) {
            tell(message, "the value is longer than any that was set");
            return store_failed;
        }
        if (!bytes->empty())
            std::memcpy(value, bytes->data(), bytes->size());
        *size = bytes->size();
        return ANYCCL_STORE_OK;
    });
}

// The store as a struct of the C API, which refers to it.
inline anyccl_store_t to_c(store& store) noexcept
{
    anyccl_store_t c = ANYCCL_STORE_INIT;
    c.context = &store;
    c.set = store_set;
    c.get = store_get;
    return c;
}

}  // namespace detail

// Result of unique_id_exchange_by_file.
struct exchanged_id {
    // The id for communicator::create, the same on all ranks.
    unique_id id;
    // Numeric address of rank 0.
    std::string address;
};

// Gives all ranks a unique id and the address of rank 0, by a file that all of them see; see
// anyccl_unique_id_exchange_by_file().
inline outcome<exchanged_id> unique_id_exchange_by_file(const std::string& path, int size, int rank,
                                                        const config& config = {})
{
    anyccl_unique_id_t id{};
    char address[ANYCCL_ADDRESS_BYTES] = "";
    return detail::call("unique_id_exchange_by_file")
        .get(
            [&] {
                const anyccl_config_t c = detail::to_c(config);
                return anyccl_unique_id_exchange_by_file(path.c_str(), size, rank, &c, &id, address);
            },
            [&] { return exchanged_id{unique_id(id), address}; });
}

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
