// Element types of torch as datatypes of the library.
#pragma once

#include <ATen/core/Tensor.h>
#include <anyccl/anyccl.h>

namespace anyccl_torch {

// Elements of the library that represent the elements of a tensor.
struct Elements {
  anyccl_datatype_t datatype;
  // Number of them per element of the tensor: 2 for a complex half; the size in bytes for a type that the
  // library lacks.
  size_t each;
};

// Elements for a call that only moves tensors. Every type of torch can be moved.
Elements elements_to_move(at::ScalarType type);

// Elements for a reduction. Throws NotImplementedError for a type that the library cannot reduce.
Elements elements_to_reduce(at::ScalarType type);

}  // namespace anyccl_torch
