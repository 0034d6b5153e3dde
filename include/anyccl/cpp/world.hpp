// Joining and leaving the job. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_WORLD_HPP
#define ANYCCL_CPP_WORLD_HPP

#include <exception>
#include <utility>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/communicator.hpp"
#include "anyccl/cpp/config.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// The communicator of the whole job. The object joins the job and leaves it; a process has one, in main. When
// an exception destroys the object, the world is aborted first. The other ranks then fail at once, and this
// rank does not wait for them.
class world : public communicator_ref {
public:
    // Joins the job that the environment describes; see anyccl_init_with().
    static outcome<world> join(const config& config = {})
    {
        communicator_ref found;
        return detail::call("join").get(
            [&] {
                const anyccl_config_t c = detail::to_c(config);
                const anyccl_status_t status = anyccl_init_with(&c);
                anyccl_comm_t comm = detail::no_communicator();
                if (status != ANYCCL_SUCCESS)
                    return status;
                if (const anyccl_status_t given = anyccl_world(&comm); given != ANYCCL_SUCCESS)
                    return given;
                return detail::describe(comm, found);
            },
            [&] { return world(found); });
    }

    world(world&& other) noexcept : communicator_ref(other), throwing_(other.throwing_) { other.forget(); }
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    ~world()
    {
        if (!*this)
            return;
        if (std::uncaught_exceptions() > throwing_)
            (void)anyccl_comm_abort_with(handle(), "a C++ exception ended the scope of its world");
        (void)anyccl_finalize();
    }

    // Leaves the job and reports the result. Refused while a request is unfinished.
    outcome<void> finalize()
    {
        return detail::call("finalize").run([this] {
            const anyccl_status_t status = anyccl_finalize();
            // A refused call has changed nothing. After any other result the world is gone.
            if (status != ANYCCL_ERR_INVALID_USAGE)
                forget();
            return status;
        });
    }

private:
    explicit world(const communicator_ref& joined) noexcept : communicator_ref(joined) {}

    // Number of exceptions that were unwinding when this object was made.
    int throwing_ = std::uncaught_exceptions();
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
