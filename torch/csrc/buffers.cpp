#include "buffers.hpp"

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace anyccl_torch {
namespace {

// Whether the memory holds the elements in order, and as they are: contiguous, neither conjugated nor negated
// lazily.
bool is_plain(const at::Tensor& tensor) { return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg(); }

at::Tensor plain_copy(const at::Tensor& tensor) { return tensor.resolve_conj().resolve_neg().contiguous(); }

// Throws ValueError if elements share memory: such a tensor cannot hold a result.
void check_distinct(const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(
      at::has_internal_overlap(tensor) != at::MemOverlap::Yes,
      "anyccl: a result would go to a tensor whose elements share memory (from expand()); clone() it first");
}

int64_t total(const std::vector<at::Tensor>& tensors) {
  int64_t all = 0;
  for (const auto& tensor : tensors) {
    all += tensor.numel();
  }
  return all;
}

at::Tensor room_for(const at::Tensor& tensor) {
  check_distinct(tensor);
  return at::empty(tensor.sizes(), tensor.options().requires_grad(false), at::MemoryFormat::Contiguous);
}

// Place of CPU tensors without elements, which have no address. The library takes a rank without elements for one with GPU
// memory, unless its addresses are of the host.
char nowhere = 0;

bool has_no_address(const at::Tensor& tensor) { return tensor.is_cpu() && tensor.numel() == 0; }

}  // namespace

void check_tensor(const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(
      tensor.is_cpu() || tensor.is_cuda(), "anyccl: a tensor on ", tensor.device(),
      " was given, and this backend serves the CPU and CUDA devices");
  TORCH_CHECK_VALUE(
      tensor.layout() == at::kStrided, "anyccl: this call takes dense tensors, and got ", tensor.layout());
}

at::ScalarType common_type(const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK_VALUE(!tensors.empty(), "anyccl: a list of tensors is empty");
  const at::ScalarType type = tensors.front().scalar_type();
  for (const auto& tensor : tensors) {
    check_tensor(tensor);
    TORCH_CHECK_VALUE(
        tensor.scalar_type() == type, "anyccl: tensors of ", type, " and ", tensor.scalar_type(), " in one call");
  }
  return type;
}

bool may_overlap(const at::Tensor& one, const at::Tensor& other) {
  if (one.numel() == 0 || other.numel() == 0 || !one.storage().is_alias_of(other.storage())) {
    return false;
  }
  const auto end = [](const at::Tensor& tensor) {
    int64_t last = 0;
    for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
      last += (tensor.size(dim) - 1) * tensor.stride(dim);
    }
    return static_cast<const char*>(tensor.const_data_ptr()) + (last + 1) * tensor.element_size();
  };
  return one.const_data_ptr() < end(other) && other.const_data_ptr() < end(one);
}

void Buffers::note(const at::Tensor& tensor) {
  const auto gpu = tensor.is_cpu() ? std::nullopt : std::make_optional(tensor.device());
  TORCH_CHECK_VALUE(
      !has_device_ || gpu == gpu_, "anyccl: tensors on ", gpu_.value_or(c10::Device(c10::kCPU)), " and on ",
      tensor.device(), " in one call");
  has_device_ = true;
  gpu_ = gpu;
}

void Buffers::record(const c10::Stream& stream) const {
  const c10::impl::VirtualGuardImpl guard(stream.device_type());
  const auto record_one = [&](const at::Tensor& tensor) {
    guard.recordDataPtrOnStream(tensor.storage().data_ptr(), stream);
  };
  for (const auto& tensor : kept_) {
    record_one(tensor);
  }
  for (const auto& [place, result] : results_) {
    record_one(place);
    record_one(result);
  }
}

const void* Buffers::read(const at::Tensor& tensor) {
  note(tensor);
  const at::NoGradGuard no_grad;
  kept_.push_back(is_plain(tensor) ? tensor : plain_copy(tensor));
  return has_no_address(tensor) ? &nowhere : kept_.back().const_data_ptr();
}

const void* Buffers::read_copy(const at::Tensor& tensor) {
  note(tensor);
  const at::NoGradGuard no_grad;
  kept_.push_back(is_plain(tensor) ? tensor.clone() : plain_copy(tensor));
  return kept_.back().const_data_ptr();
}

void* Buffers::write(const at::Tensor& tensor) {
  note(tensor);
  kept_.push_back(tensor);
  if (!is_plain(tensor)) {
    const at::NoGradGuard no_grad;
    results_.emplace_back(tensor, room_for(tensor));
    return results_.back().second.mutable_data_ptr();
  }
  return has_no_address(tensor) ? &nowhere : tensor.mutable_data_ptr();
}

void* Buffers::update(const at::Tensor& tensor) {
  void* place = write(tensor);
  if (!is_plain(tensor)) {
    const at::NoGradGuard no_grad;
    results_.back().second.copy_(tensor);
  }
  return place;
}

const void* Buffers::read_all(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  for (const auto& tensor : tensors) {
    note(tensor);
  }
  if (gpu_) {
    // A copy each, which needs no kernel where the tensor is contiguous.
    const at::Tensor room = at::empty({total(tensors)}, tensors.front().options().requires_grad(false));
    int64_t from = 0;
    for (const auto& tensor : tensors) {
      room.narrow(0, from, tensor.numel()).view(tensor.sizes()).copy_(tensor);
      from += tensor.numel();
    }
    kept_.push_back(room);
    return room.const_data_ptr();
  }
  std::vector<at::Tensor> flat;
  flat.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    flat.push_back(plain_copy(tensor).flatten());
  }
  kept_.push_back(flat.size() == 1 ? flat.front() : at::cat(flat));
  return kept_.back().const_data_ptr();
}

void* Buffers::write_all(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  for (const auto& tensor : tensors) {
    note(tensor);
  }
  const at::Tensor room = at::empty({total(tensors)}, tensors.front().options().requires_grad(false));
  int64_t from = 0;
  for (const auto& tensor : tensors) {
    check_distinct(tensor);
    results_.emplace_back(tensor, room.narrow(0, from, tensor.numel()).view(tensor.sizes()));
    from += tensor.numel();
  }
  return room.mutable_data_ptr();
}

void Buffers::copy_back() {
  const at::NoGradGuard no_grad;
  for (const auto& [place, result] : results_) {
    place.copy_(result);
  }
  results_.clear();
}

void Buffers::merge(Buffers&& other) {
  // The calls of a work may be on different devices.
  std::move(other.kept_.begin(), other.kept_.end(), std::back_inserter(kept_));
  std::move(other.results_.begin(), other.results_.end(), std::back_inserter(results_));
}

const void* send_address(Buffers& buffers, const at::Tensor& input, const at::Tensor& output, int64_t offset) {
  const auto* expected = static_cast<const char*>(output.const_data_ptr()) + offset * output.element_size();
  const bool is_in_place = input.is_contiguous() && output.is_contiguous() && input.const_data_ptr() == expected;
  return !is_in_place && may_overlap(input, output) ? buffers.read_copy(input) : buffers.read(input);
}

std::vector<size_t> counts(const std::vector<at::Tensor>& tensors, const Elements& elements) {
  std::vector<size_t> all;
  all.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    all.push_back(count(tensor, elements));
  }
  return all;
}

}  // namespace anyccl_torch
