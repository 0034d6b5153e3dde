// Tensors in memory that the ranks of a host read where it is: messages out of them are copied once less.
#pragma once

#include <memory>

#include <c10/core/Allocator.h>

namespace anyccl_torch {

// Gives out such memory, and keeps what is returned for the next request of that size: making it costs a page fault per
// page.
std::shared_ptr<c10::Allocator> shared_memory();

}  // namespace anyccl_torch
