// Communicators: borrowed and owned. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_COMMUNICATOR_HPP
#define ANYCCL_CPP_COMMUNICATOR_HPP

#include <chrono>
#include <exception>
#include <utility>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/config.hpp"
#include "anyccl/cpp/handle.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/neighbors.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/store.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

class communicator;

// A communicator that another object owns. Functions that communicate take it as a parameter. It is copied
// like a pointer, and is valid as long as the communicator. It has all calls: see also detail::collectives,
// detail::unequal, detail::lists, detail::neighbors and detail::transfers.
class communicator_ref : public detail::neighbors {
public:
    // No communicator: its calls are refused.
    communicator_ref() = default;

    // Refers to a communicator of the C API; ANYCCL_WORLD is the world.
    static outcome<communicator_ref> of(anyccl_comm_t handle)
    {
        communicator_ref found;
        return detail::call("communicator_ref")
            .get([&] { return detail::describe(handle, found); }, [&] { return found; });
    }

    // Position of this rank among the ranks of the communicator on its host, and their number.
    outcome<int> local_rank() const
    {
        int rank = 0;
        return detail::call("local_rank")
            .get([&] { return anyccl_comm_local_rank(handle(), &rank); }, [&] { return rank; });
    }
    outcome<int> local_size() const
    {
        int size = 0;
        return detail::call("local_size")
            .get([&] { return anyccl_comm_local_size(handle(), &size); }, [&] { return size; });
    }

    // Splits the communicator: ranks with the same color form a new one, in ascending order of `key`. The
    // result for the color ANYCCL_COLOR_NONE is no communicator.
    outcome<communicator> split(int color, int key = 0, const config& config = {}) const;
    // Splits the communicator by host.
    outcome<communicator> split_by_host(const config& config = {}) const;
    // Makes a communicator of the same ranks whose calls are separate.
    outcome<communicator> dup(const config& config = {}) const;
    // Makes a communicator of some ranks, in this order. Every rank gives the same list. The result on a rank
    // that is not in the list is no communicator.
    template <class Ranks>
    outcome<communicator> create_from_ranks(const Ranks& ranks, const config& config = {}) const;
    // Makes a communicator of the ranks that are still alive, after a failure.
    outcome<communicator> shrink(const config& config = {}) const;

    // Success if the communicator is usable, otherwise the failure.
    outcome<void> failure() const
    {
        return detail::call("failure").run([&] { return anyccl_comm_failure(handle()); });
    }
    // Sets how long calls that begin from now on may wait without progress. Local.
    outcome<void> set_timeout(std::chrono::milliseconds timeout) const
    {
        return detail::call("set_timeout").run([&] { return anyccl_comm_set_timeout(handle(), timeout.count()); });
    }
    // Orders the calls that have buffers in memory of a GPU on a CUDA stream; see anyccl_comm_set_stream().
    outcome<void> set_stream(void* stream) const
    {
        return detail::call("set_stream").run([&] { return anyccl_comm_set_stream(handle(), stream); });
    }
    // Ends the effect of set_stream().
    outcome<void> unset_stream() const
    {
        return detail::call("unset_stream").run([&] { return anyccl_comm_unset_stream(handle()); });
    }
    // Makes the communicator fail on all its ranks. Their errors quote the reason.
    outcome<void> abort(const char* reason = "abort was called") const
    {
        return detail::call("abort").run([&] { return anyccl_comm_abort_with(handle(), reason); });
    }
};

// A communicator that this object owns and destroys. Requests must end before it: declare them after it. When
// an exception destroys the object, the communicator is aborted first. The other ranks then fail at once, and
// this rank does not wait for them.
class communicator : public communicator_ref {
public:
    // No communicator.
    communicator() = default;

    // Joins the communicator that a unique id names; see anyccl_comm_create().
    static outcome<communicator> create(const unique_id& id, int size, int rank, const config& config = {})
    {
        return made("create", [&](anyccl_comm_t* comm) {
            const anyccl_config_t c = detail::to_c(config);
            return anyccl_comm_create(&id.c(), size, rank, &c, comm);
        });
    }

    // Joins the communicator of the ranks that share a store; see anyccl_comm_create_with_store().
    static outcome<communicator> create(store& shared_store, int size, int rank, const config& config = {})
    {
        return made("create", [&](anyccl_comm_t* comm) {
            const anyccl_config_t c = detail::to_c(config);
            const anyccl_store_t place = detail::to_c(shared_store);
            return anyccl_comm_create_with_store(&place, size, rank, &c, comm);
        });
    }

    // Takes ownership of a communicator of the C API.
    static outcome<communicator> adopt(anyccl_comm_t handle)
    {
        return made("adopt", [&](anyccl_comm_t* comm) {
            *comm = handle;
            return ANYCCL_SUCCESS;
        });
    }

    communicator(communicator&& other) noexcept : communicator_ref(other), throwing_(other.throwing_)
    {
        other.forget();
    }
    communicator& operator=(communicator&& other) noexcept
    {
        communicator taken(std::move(other));
        std::swap(static_cast<communicator_ref&>(*this), static_cast<communicator_ref&>(taken));
        return *this;
    }
    communicator(const communicator&) = delete;
    communicator& operator=(const communicator&) = delete;

    ~communicator()
    {
        if (!*this)
            return;
        if (std::uncaught_exceptions() > throwing_)
            (void)anyccl_comm_abort_with(handle(), "a C++ exception ended the scope of its communicator");
        (void)anyccl_comm_destroy(handle());
    }

    // Leaves the communicator and reports the result. Refused while a request is unfinished.
    outcome<void> destroy()
    {
        return detail::call("destroy").run([this] {
            const anyccl_status_t status = anyccl_comm_destroy(handle());
            // A refused call has changed nothing. After any other result the communicator is gone.
            if (status != ANYCCL_ERR_INVALID_ARGUMENT && status != ANYCCL_ERR_INVALID_USAGE)
                forget();
            return status;
        });
    }

    // Gives up ownership: the C API must destroy the handle.
    anyccl_comm_t release() noexcept
    {
        const anyccl_comm_t released = handle();
        forget();
        return released;
    }

private:
    friend class communicator_ref;

    explicit communicator(const communicator_ref& owned) noexcept : communicator_ref(owned) {}

    // The communicator that `make` gives, with its rank and size.
    template <class Make>
    static outcome<communicator> made(const char* name, Make make)
    {
        communicator_ref found;
        return detail::call(name).get(
            [&] {
                anyccl_comm_t comm = detail::no_communicator();
                const anyccl_status_t status = make(&comm);
                return status == ANYCCL_SUCCESS ? detail::describe(comm, found) : status;
            },
            [&] { return communicator(found); });
    }

    // Number of exceptions that were unwinding when this object was made.
    int throwing_ = std::uncaught_exceptions();
};

inline outcome<communicator> communicator_ref::split(int color, int key, const config& config) const
{
    return communicator::made("split", [&](anyccl_comm_t* comm) {
        const anyccl_config_t c = detail::to_c(config);
        return anyccl_comm_split(handle(), color, key, &c, comm);
    });
}

inline outcome<communicator> communicator_ref::split_by_host(const config& config) const
{
    return communicator::made("split_by_host", [&](anyccl_comm_t* comm) {
        const anyccl_config_t c = detail::to_c(config);
        return anyccl_comm_split_by_host(handle(), &c, comm);
    });
}

inline outcome<communicator> communicator_ref::dup(const config& config) const
{
    return communicator::made("dup", [&](anyccl_comm_t* comm) {
        const anyccl_config_t c = detail::to_c(config);
        return anyccl_comm_dup(handle(), &c, comm);
    });
}

template <class Ranks>
outcome<communicator> communicator_ref::create_from_ranks(const Ranks& ranks, const config& config) const
{
    const view<const int> list = ranks;
    return communicator::made("create_from_ranks", [&](anyccl_comm_t* comm) {
        const anyccl_config_t c = detail::to_c(config);
        return anyccl_comm_create_from_ranks(handle(), list.data(), static_cast<int>(list.size()), &c, comm);
    });
}

inline outcome<communicator> communicator_ref::shrink(const config& config) const
{
    return communicator::made("shrink", [&](anyccl_comm_t* comm) {
        const anyccl_config_t c = detail::to_c(config);
        return anyccl_comm_shrink(handle(), &c, comm);
    });
}

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
