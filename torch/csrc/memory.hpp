// Tensors in memory that the ranks of a host read where it is: messages out of them are copied once less.
#pragma once

#include <memory>

#include <c10/core/Allocator.h>

namespace anyccl_torch {

// Gives out such memory, in sizes that are rounded up. Memory that is returned is kept for the next request of its size,
// up to 1 GiB in all, because making it costs a page fault per page.
std::shared_ptr<c10::Allocator> shared_memory();

}  // namespace anyccl_torch
