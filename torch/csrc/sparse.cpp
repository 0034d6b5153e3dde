// all_reduce of sparse tensors: ranks may have different numbers of elements, in different places.
//
// Each rank learns how many elements the others have, then gets their indices and values, and adds them up.
// The call runs to its end in the caller's thread.

#include <ATen/ATen.h>

#include "launch.hpp"

namespace anyccl_torch {
namespace {

// The number of elements, followed by what must be the same on all ranks.
at::Tensor describe(const at::Tensor& tensor) {
  std::vector<int64_t> numbers{tensor._nnz(), tensor.sparse_dim(), tensor.dense_dim()};
  numbers.insert(numbers.end(), tensor.sizes().begin(), tensor.sizes().end());
  return at::tensor(numbers, at::kLong);
}

}  // namespace

AnycclBackend::WorkPtr AnycclBackend::allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& options) {
  check_not_estimating("an all_reduce of sparse tensors");
  TORCH_CHECK_VALUE(tensors.size() == 1, "anyccl: one tensor per rank is expected, ", tensors.size(), " were given");
  TORCH_CHECK_VALUE(
      tensors.front().is_sparse() && tensors.front().is_cpu(), "anyccl: a sparse COO tensor on the CPU is expected");
  TORCH_CHECK_NOT_IMPLEMENTED(
      options.reduceOp == c10d::ReduceOp::SUM, "anyccl: all_reduce of sparse tensors can sum, not more");
  TORCH_CHECK_NOT_IMPLEMENTED(!coalesced(), "anyccl: all_reduce of sparse tensors cannot be coalesced");
  const at::NoGradGuard no_grad;
  const auto work = new_work(
      comm(), {c10d::OpType::_ALLREDUCE_SPARSE, "anyccl:sparse_all_reduce", next_collective(), tensors, tensors});
  work->take();
  const at::Tensor mine = tensors.front().coalesce();
  c10d::AllgatherOptions now;
  now.asyncOp = false;
  now.timeout = options.timeout;

  Tensors description{describe(mine)};
  TensorLists descriptions(1);
  for (int rank = 0; rank < size_; ++rank) {
    descriptions.front().push_back(at::empty_like(description.front()));
  }
  allgather(descriptions, description, now)->wait();

  TensorLists indices(1);
  TensorLists values(1);
  for (int rank = 0; rank < size_; ++rank) {
    const at::Tensor& theirs = descriptions.front()[rank];
    TORCH_CHECK_VALUE(
        theirs.slice(0, 1).equal(description.front().slice(0, 1)), "anyccl: all_reduce of a sparse tensor of shape ",
        mine.sizes(), " here and of another shape on rank ", rank);
    const int64_t elements = theirs[0].item<int64_t>();
    indices.front().push_back(at::empty({mine.sparse_dim(), elements}, mine._indices().options()));
    auto sizes = mine._values().sizes().vec();
    sizes[0] = elements;
    values.front().push_back(at::empty(sizes, mine._values().options()));
  }
  Tensors my_indices{mine._indices()};
  Tensors my_values{mine._values()};
  allgather(indices, my_indices, now)->wait();
  allgather(values, my_values, now)->wait();

  const at::Tensor sum =
      at::sparse_coo_tensor(at::cat(indices.front(), 1), at::cat(values.front()), mine.sizes(), mine.options())
          .coalesce();
  tensors.front().copy_(sum);
  return finished(work, ANYCCL_SUCCESS);
}

}  // namespace anyccl_torch
