// The memory of a call: tensors as the library takes them.
//
// The library takes contiguous elements. A contiguous tensor is used where it is. Any other tensor is
// replaced by a contiguous copy for the call. If the call writes it, the result is copied back afterwards.
// All tensors are kept until the call has ended, because callers may drop theirs earlier.
//
// All tensors of a call are on one device. The copies of tensors on a GPU are enqueued on the current stream.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include "datatype.hpp"

namespace anyccl_torch {

// Throws for a tensor that is neither on the CPU nor on a CUDA device, or sparse.
void check_tensor(const at::Tensor& tensor);

// Returns the type that all tensors have. Throws ValueError if they differ in type, if the list is empty, or
// if check_tensor() refuses one of them.
at::ScalarType common_type(const std::vector<at::Tensor>& tensors);

// Whether two tensors share a storage, and their ranges from first to last byte overlap.
bool may_overlap(const at::Tensor& one, const at::Tensor& other);

class Buffers {
 public:
  // Address of the elements in order, to read from.
  const void* read(const at::Tensor& tensor);
  // Address to write the elements to.
  void* write(const at::Tensor& tensor);
  // Address of the elements, which is also the address to write the results to.
  void* update(const at::Tensor& tensor);
  // Address of a copy of the elements of several tensors, one tensor after the other.
  const void* read_all(const std::vector<at::Tensor>& tensors);
  // Address to write the elements of several tensors to, one tensor after the other.
  void* write_all(const std::vector<at::Tensor>& tensors);
  // Address of a copy of the elements that nothing else uses.
  const void* read_copy(const at::Tensor& tensor);

  // The GPU that has the tensors; none for those on the CPU.
  const std::optional<c10::Device>& gpu() const { return gpu_; }
  // Tells torch's allocator that the tensors are in use on a stream.
  void record(const c10::Stream& stream) const;

  // Copies the results to the caller's tensors. To be called after the call. On a GPU the copies are enqueued
  // on the current stream.
  void copy_back();
  // Adds the tensors of another call of the same work.
  void merge(Buffers&& other);

 private:
  // Notes the device of one of the caller's tensors. Throws ValueError if another one is elsewhere.
  void note(const at::Tensor& tensor);

  std::vector<at::Tensor> kept_;
  bool has_device_ = false;
  std::optional<c10::Device> gpu_;
  // The caller's tensor of each result, and the tensor that holds the result.
  std::vector<std::pair<at::Tensor, at::Tensor>> results_;
};

// Address of the elements to send, for a call that writes to `output`. The library accepts a send buffer that
// overlaps the receive buffer only in place: it then begins `offset` elements after the receive buffer.
// torch's callers may pass any overlap, so any other overlapping input is copied.
const void* send_address(Buffers& buffers, const at::Tensor& input, const at::Tensor& output, int64_t offset);

// Number of elements of a tensor, as the library counts them.
inline size_t count(const at::Tensor& tensor, const Elements& elements) {
  return static_cast<size_t>(tensor.numel()) * elements.each;
}

// Number of elements of each tensor of a list, as the library counts them.
std::vector<size_t> counts(const std::vector<at::Tensor>& tensors, const Elements& elements);

}  // namespace anyccl_torch
