// Collectives of single tensors.

#include <numeric>

#include "launch.hpp"
#include "reduce_operator.hpp"

namespace anyccl_torch {
namespace {

const at::Tensor& only(const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK_VALUE(tensors.size() == 1, "anyccl: one tensor per rank is expected, ", tensors.size(), " were given");
  check_tensor(tensors.front());
  return tensors.front();
}

// Number of elements for or from each rank: as the splits of the rows say, or equal parts.
std::vector<size_t> blocks(
    const at::Tensor& tensor, const std::vector<int64_t>& splits, int size, const Elements& elements,
    const char* what) {
  const int64_t rows = tensor.dim() > 0 ? tensor.size(0) : 1;
  if (splits.empty()) {
    TORCH_CHECK_VALUE(
        tensor.dim() > 0 && rows % size == 0, "anyccl: the ", rows, " rows of the ", what,
        " tensor cannot be dealt out to ", size, " ranks evenly; give split sizes");
    return std::vector<size_t>(size, count(tensor, elements) / size);
  }
  TORCH_CHECK_VALUE(
      static_cast<int>(splits.size()) == size, "anyccl: ", splits.size(), " ", what, " splits for ", size, " ranks");
  TORCH_CHECK_VALUE(
      std::all_of(splits.begin(), splits.end(), [](int64_t rows_of_one) { return rows_of_one >= 0; }) &&
          std::accumulate(splits.begin(), splits.end(), int64_t{0}) == rows,
      "anyccl: the ", what, " splits do not add up to the ", rows, " rows of the tensor");
  const size_t row = rows > 0 ? count(tensor, elements) / rows : 0;
  std::vector<size_t> all;
  for (const int64_t rows_of_one : splits) {
    all.push_back(static_cast<size_t>(rows_of_one) * row);
  }
  return all;
}

}  // namespace

AnycclBackend::WorkPtr AnycclBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  const at::Tensor& tensor = only(tensors);
  check_root(options.rootRank);
  const Elements elements = elements_to_move(tensor.scalar_type());
  Call call{
      {c10d::OpType::BROADCAST, "anyccl:broadcast", next_collective(), tensors, tensors},
      {},
      is_async(options),
      options.timeout};
  void* place = options.rootRank == rank_ ? const_cast<void*>(call.buffers.read(tensor)) : call.buffers.write(tensor);
  return launch<anyccl_broadcast, anyccl_ibroadcast>(
      std::move(call), place, place, count(tensor, elements), elements.datatype, static_cast<int>(options.rootRank));
}

AnycclBackend::WorkPtr AnycclBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  if (tensors.size() == 1 && tensors.front().is_sparse()) {
    return allreduce_sparse(tensors, options);
  }
  const at::Tensor& tensor = only(tensors);
  const Elements elements = elements_to_reduce(tensor.scalar_type());
  const ReduceOperator op(options.reduceOp, tensor.scalar_type());
  Call call{
      {c10d::OpType::ALLREDUCE, "anyccl:all_reduce", next_collective(), tensors, tensors},
      {},
      is_async(options),
      options.timeout};
  void* place = call.buffers.update(tensor);
  return launch<anyccl_all_reduce, anyccl_iall_reduce>(
      std::move(call), place, place, count(tensor, elements), elements.datatype, op.get());
}

AnycclBackend::WorkPtr AnycclBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  const at::Tensor& tensor = only(tensors);
  check_root(options.rootRank);
  const Elements elements = elements_to_reduce(tensor.scalar_type());
  const ReduceOperator op(options.reduceOp, tensor.scalar_type());
  Call call{
      {c10d::OpType::REDUCE, "anyccl:reduce", next_collective(), tensors, tensors},
      {},
      is_async(options),
      options.timeout};
  const bool is_root = options.rootRank == rank_;
  void* result = is_root ? call.buffers.update(tensor) : nullptr;
  const void* from = is_root ? result : call.buffers.read(tensor);
  return launch<anyccl_reduce, anyccl_ireduce>(
      std::move(call), from, result, count(tensor, elements), elements.datatype, op.get(),
      static_cast<int>(options.rootRank));
}

AnycclBackend::WorkPtr AnycclBackend::_allgather_base(
    at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) {
  const Elements elements = elements_to_move(common_type({output, input}));
  TORCH_CHECK_VALUE(
      output.numel() == input.numel() * size_, "anyccl: all_gather_into_tensor of ", input.numel(),
      " elements of each of ", size_, " ranks into a tensor of ", output.numel());
  Call call{
      {c10d::OpType::_ALLGATHER_BASE, "anyccl:_all_gather_base", next_collective(), {input}, {output}},
      {},
      is_async(options),
      options.timeout};
  void* to = call.buffers.write(output);
  const void* from = send_address(call.buffers, input, output, static_cast<int64_t>(rank_) * input.numel());
  return launch<anyccl_all_gather, anyccl_iall_gather>(
      std::move(call), from, to, count(input, elements), elements.datatype);
}

AnycclBackend::WorkPtr AnycclBackend::_reduce_scatter_base(
    at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
  const Elements elements = elements_to_reduce(common_type({output, input}));
  TORCH_CHECK_VALUE(
      input.numel() == output.numel() * size_, "anyccl: reduce_scatter_tensor of ", input.numel(), " elements to ",
      size_, " ranks, with room for ", output.numel(), " each");
  const ReduceOperator op(options.reduceOp, input.scalar_type());
  Call call{
      {c10d::OpType::_REDUCE_SCATTER_BASE, "anyccl:_reduce_scatter_base", next_collective(), {input}, {output}},
      {},
      is_async(options),
      options.timeout};
  void* to = call.buffers.write(output);
  const void* from = send_address(call.buffers, input, output, -static_cast<int64_t>(rank_) * output.numel());
  return launch<anyccl_reduce_scatter, anyccl_ireduce_scatter>(
      std::move(call), from, to, count(output, elements), elements.datatype, op.get());
}

AnycclBackend::WorkPtr AnycclBackend::gather_into_tensor(
    at::Tensor& output, at::Tensor& input, const c10d::GatherOptions& options) {
  check_root(options.rootRank);
  check_tensor(input);
  const bool is_root = options.rootRank == rank_;
  if (is_root) {
    common_type({output, input});
    TORCH_CHECK_VALUE(
        output.numel() == input.numel() * size_, "anyccl: gather of ", input.numel(), " elements of each of ", size_,
        " ranks into a tensor of ", output.numel());
  }
  const Elements elements = elements_to_move(input.scalar_type());
  Call call{
      {c10d::OpType::GATHER,
       "anyccl:gather_into_tensor",
       next_collective(),
       {input},
       is_root ? Tensors{output} : Tensors{}},
      {},
      is_async(options),
      options.timeout};
  void* to = is_root ? call.buffers.write(output) : nullptr;
  const void* from = is_root ? send_address(call.buffers, input, output, static_cast<int64_t>(rank_) * input.numel())
                             : call.buffers.read(input);
  return launch<anyccl_gather, anyccl_igather>(
      std::move(call), from, to, count(input, elements), elements.datatype, static_cast<int>(options.rootRank));
}

AnycclBackend::WorkPtr AnycclBackend::alltoall_base(
    at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits, std::vector<int64_t>& input_splits,
    const c10d::AllToAllOptions& options) {
  const Elements elements = elements_to_move(common_type({output, input}));
  const auto sent = blocks(input, input_splits, size_, elements, "input");
  const auto received = blocks(output, output_splits, size_, elements, "output");
  TORCH_CHECK_VALUE(
      sent[rank_] == received[rank_], "anyccl: all_to_all_single sends ", sent[rank_], " elements to rank ", rank_,
      ", which is this one, and has room for ", received[rank_], " from it");
  Call call{
      {c10d::OpType::ALLTOALL_BASE, "anyccl:all_to_all_single", next_collective(), {input}, {output}},
      {},
      is_async(options),
      options.timeout};
  void* to = call.buffers.write(output);
  const void* from = send_address(call.buffers, input, output, 0);
  // Both forms become the same call of the library. So a rank may give splits while another one, whose splits
  // are even, leaves them out.
  const size_t* const one_after_the_other = nullptr;
  return launch<anyccl_all_to_all_v, anyccl_iall_to_all_v>(
      std::move(call), from, to, sent.data(), one_after_the_other, received.data(), one_after_the_other,
      elements.datatype);
}

AnycclBackend::WorkPtr AnycclBackend::barrier(const c10d::BarrierOptions& options) {
  return launch<anyccl_barrier, anyccl_ibarrier>(Call{
      {c10d::OpType::BARRIER, "anyccl:barrier", next_collective(), {}, {}}, {}, is_async(options), options.timeout});
}

}  // namespace anyccl_torch
