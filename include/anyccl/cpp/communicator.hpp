// Communicators: borrowed, owned, and the world. Part of anyccl.hpp.
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

// A communicator that somebody else owns: what a function takes that communicates. Copied like a pointer;
// valid as long as the communicator. Has all calls: see also detail::collectives, detail::unequal,
// detail::lists, detail::neighbors and detail::transfers.
class communicator_ref : public detail::neighbors {
public:
    // None: calls on it are refused.
    communicator_ref() = default;

    // Refers to a communicator of the C API; ANYCCL_WORLD is the world.
    static outcome<communicator_ref> of(anyccl_comm_t handle)
    {
        communicator_ref found;
        return detail::call("communicator_ref")
            .get([&] { return detail::describe(handle, found); }, [&] { return found; });
    }

    // This rank's position among the ranks on its host, and their number.
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

    // Splits it: ranks that pass the same color form a communicator, numbered in ascending order of `key`. Where the
    // color is ANYCCL_COLOR_NONE, the communicator that comes back is none.
    outcome<communicator> split(int color, int key = 0, const config& config = {}) const;
    // Splits it by hosts.
    outcome<communicator> split_by_host(const config& config = {}) const;
    // The same ranks with a context of its own.
    outcome<communicator> dup(const config& config = {}) const;
    // Some of its ranks, in this order; the same list on every rank. None on a rank that is not in the list.
    template <class Ranks>
    outcome<communicator> create_from_ranks(const Ranks& ranks, const config& config = {}) const;
    // The ranks that are still there after a failure.
    outcome<communicator> shrink(const config& config = {}) const;

    // Success when it works, else why it has failed.
    outcome<void> failure() const
    {
        return detail::call("failure").run([&] { return anyccl_comm_failure(handle()); });
    }
    // How long calls that begin from now on may go without progress. Local.
    outcome<void> set_timeout(std::chrono::milliseconds timeout) const
    {
        return detail::call("set_timeout").run([&] { return anyccl_comm_set_timeout(handle(), timeout.count()); });
    }
    // Fails it on all its ranks.
    outcome<void> abort() const
    {
        return detail::call("abort").run([&] { return anyccl_comm_abort(handle()); });
    }
};

// A communicator that this object owns and destroys. Requests must end before it: declare them after it.
// When an exception destroys it, it is aborted first, so that the other ranks fail at once and this one does
// not wait for them.
class communicator : public communicator_ref {
public:
    // None.
    communicator() = default;

    // Joins the communicator that an id names; see anyccl_comm_create.
    static outcome<communicator> create(const unique_id& id, int size, int rank, const config& config = {})
    {
        return made("create", [&](anyccl_comm_t* comm) {
            const anyccl_config_t c = detail::to_c(config);
            return anyccl_comm_create(&id.c(), size, rank, &c, comm);
        });
    }

    // Joins the communicator of the ranks that share a store; see anyccl_comm_create_with_store.
    static outcome<communicator> create(store& shared_store, int size, int rank, const config& config = {})
    {
        return made("create", [&](anyccl_comm_t* comm) {
            const anyccl_config_t c = detail::to_c(config);
            const anyccl_store_t place = detail::to_c(shared_store);
            return anyccl_comm_create_with_store(&place, size, rank, &c, comm);
        });
    }

    // Takes over a communicator of the C API.
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
            (void)anyccl_comm_abort(handle());
        (void)anyccl_comm_destroy(handle());
    }

    // Leaves the communicator, and tells how that went; refused while a request is unfinished.
    outcome<void> destroy()
    {
        return detail::call("destroy").run([this] {
            const anyccl_status_t status = anyccl_comm_destroy(handle());
            // A refused call has changed nothing; after any other it is gone.
            if (status != ANYCCL_ERR_INVALID_ARGUMENT && status != ANYCCL_ERR_INVALID_USAGE)
                forget();
            return status;
        });
    }

    // Gives it away, to be destroyed by the C API.
    anyccl_comm_t release() noexcept
    {
        const anyccl_comm_t released = handle();
        forget();
        return released;
    }

private:
    friend class communicator_ref;

    explicit communicator(const communicator_ref& owned) noexcept : communicator_ref(owned) {}

    // What `make` gives, with its rank and size.
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

    // How many exceptions were on their way when this was made.
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
