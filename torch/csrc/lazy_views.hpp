// Tensors that torch conjugates or negates lazily: z.conj(), and z.conj().imag.
//
// Such a view has the memory of its base and a mark. torch's operators for collectives do not know the marks. So torch
// replaces a marked tensor by a copy before it calls a backend, and drops what the backend writes to the copy: an
// all_reduce would leave the tensor as it is. A group of this backend gets the marked tensor itself, and Buffers copies
// its elements there and back. Calls of other backends go as before.
#pragma once

namespace anyccl_torch {

// Registers the above with torch's dispatcher, once.
void take_lazy_views();

}  // namespace anyccl_torch
