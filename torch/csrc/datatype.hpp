// How the elements of a tensor travel.
#pragma once

#include <ATen/core/Tensor.h>
#include <anyccl/anyccl.h>

namespace anyccl_torch {

// Elements of the library that stand for the elements of a tensor.
struct Elements {
  anyccl_datatype_t datatype;
  // How many of them make one of the tensor's: 2 for a complex half, its bytes where the library has no such type.
  size_t each;
};

// For a copy: every type of torch can be copied.
Elements elements_to_move(at::ScalarType type);

// For a reduction. Throws NotImplementedError for what is not a number to the library.
Elements elements_to_reduce(at::ScalarType type);

}  // namespace anyccl_torch
