// The memory of a call: tensors as the library takes them.
//
// The library takes runs of elements. A tensor that is one already is used where it is; any other is copied into one
// before the call, and back after it where it is written. All of them are kept until the call has ended: callers drop
// their tensors early.
#pragma once

#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "datatype.hpp"

namespace anyccl_torch {

// Throws for a tensor that is not on the CPU, or sparse.
void check_tensor(const at::Tensor& tensor);

// Throws unless all have one type; gives it.
at::ScalarType common_type(const std::vector<at::Tensor>& tensors);

// Whether two tensors have memory in common, as far as the first and last byte tell.
bool may_overlap(const at::Tensor& one, const at::Tensor& other);

class Buffers {
 public:
  // Where its elements are, in order. Not to be changed.
  const void* read(const at::Tensor& tensor);
  // Room for its elements.
  void* write(const at::Tensor& tensor);
  // Where its elements are, and where the results go.
  void* update(const at::Tensor& tensor);
  // All elements of several tensors, one tensor after the other.
  const void* read_all(const std::vector<at::Tensor>& tensors);
  // Room for them.
  void* write_all(const std::vector<at::Tensor>& tensors);
  // A copy of the elements that nothing else uses.
  const void* read_copy(const at::Tensor& tensor);

  // After the call: brings results to where they belong.
  void copy_back();
  // Takes in what another call of the same work uses.
  void merge(Buffers&& other);

 private:
  std::vector<at::Tensor> kept_;
  // Where results belong, and where they are.
  std::vector<std::pair<at::Tensor, at::Tensor>> results_;
};

// Where the elements to send are, for a call that writes to `output`. In place, the library takes a send buffer that begins
// `offset` elements after the receive buffer, and no other that overlaps it; torch's callers may have any, which is copied.
const void* place_in(Buffers& buffers, const at::Tensor& input, const at::Tensor& output, int64_t offset);

// Elements of a tensor as the library counts them.
inline size_t count(const at::Tensor& tensor, const Elements& elements) {
  return static_cast<size_t>(tensor.numel()) * elements.each;
}

// The same of each tensor of a list.
std::vector<size_t> counts(const std::vector<at::Tensor>& tensors, const Elements& elements);

}  // namespace anyccl_torch
