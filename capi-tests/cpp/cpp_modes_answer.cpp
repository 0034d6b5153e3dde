// A test of both modes of anyccl.hpp in one program. This half has no exceptions: its calls return results.
#define ANYCCL_NO_EXCEPTIONS
#include <anyccl/anyccl.hpp>

#include <vector>

anyccl_status_t answer(anyccl_comm_t comm);

anyccl_status_t answer(anyccl_comm_t comm)
{
    auto found = anyccl::communicator_ref::of(comm);
    if (!found)
        return found.status();
    std::vector<int> two(2), three(3);
    return found->all_reduce(two, three, anyccl::op::sum).status();
}
