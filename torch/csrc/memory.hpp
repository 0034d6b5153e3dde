// Memory that the other ranks of the host can read in place. A message out of such memory is copied once less.
//
// Tensors get it from backend.allocate_tensor(), from FSDP2, and with ANYCCL_TORCH_MEMORY=shared from torch's
// own allocation of tensors on the CPU.
//
// fork. The memory is mapped shared, so without more a child's writes would change the tensors of its parent.
// fork() therefore waits until the child has copied all live tensors of this memory. The child then has what
// fork gives of all other memory: its own state of that moment. It pays for it at once, while the kernel
// copies pages when they are written. A child that cannot copy ends with a message.
#pragma once

#include <memory>

#include <c10/core/Allocator.h>

namespace anyccl_torch {

// Returns the allocator of this process. It rounds sizes up. It keeps returned memory for the next request of
// the same size, up to 1 GiB in all, because new memory costs a page fault per page.
std::shared_ptr<c10::Allocator> shared_memory();

// Whether torch allocates tensors of 64 KiB to 1 GiB on the CPU in this memory from now on. A child of fork
// does not, until it is asked to.
void share_tensors(bool shall_share);

}  // namespace anyccl_torch
