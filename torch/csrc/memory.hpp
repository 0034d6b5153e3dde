// An allocator of memory that the other ranks of the host can read in place. A message out of such memory is
// copied once less.
#pragma once

#include <memory>

#include <c10/core/Allocator.h>

namespace anyccl_torch {

// Returns the allocator of this process. It rounds sizes up. It keeps returned memory for the next request of
// the same size, up to 1 GiB in all, because new memory costs a page fault per page.
std::shared_ptr<c10::Allocator> shared_memory();

}  // namespace anyccl_torch
