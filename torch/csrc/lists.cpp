// Collectives of lists with a tensor per rank. The tensors may differ in shape, and may be empty.

#include "launch.hpp"
#include "reduce_operator.hpp"

namespace anyccl_torch {
namespace {

using Tensors = AnycclBackend::Tensors;

// Returns the only element of `all`. torch's signatures allow several tensors per rank; this backend takes
// one.
template <typename T>
T& only(std::vector<T>& all, const char* what) {
  TORCH_CHECK_VALUE(all.size() == 1, "anyccl: one ", what, " per rank is expected, ", all.size(), " were given");
  return all.front();
}

void check_length(const Tensors& tensors, int size, const char* what) {
  TORCH_CHECK_VALUE(
      static_cast<int>(tensors.size()) == size, "anyccl: ", tensors.size(), " ", what, " tensors for ", size, " ranks");
}

at::ScalarType common_type(Tensors tensors, const at::Tensor& one_more) {
  tensors.push_back(one_more);
  return anyccl_torch::common_type(tensors);
}

std::vector<void*> write_each(Buffers& buffers, const Tensors& tensors) {
  std::vector<void*> places;
  places.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    places.push_back(buffers.write(tensor));
  }
  return places;
}

// Address of the elements to send, for a call that writes to all `outputs`. An input may be in place only
// with the output at index `at`. An input that overlaps another output is copied.
const void* send_address_in_list(Buffers& buffers, const at::Tensor& input, const Tensors& outputs, size_t at) {
  for (size_t other = 0; other < outputs.size(); ++other) {
    if (other != at && may_overlap(input, outputs[other])) {
      return buffers.read_copy(input);
    }
  }
  return send_address(buffers, input, outputs[at], 0);
}

}  // namespace

AnycclBackend::WorkPtr AnycclBackend::allgather(
    TensorLists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) {
  const Tensors& into = only(outputs, "list of outputs");
  const at::Tensor& input = only(inputs, "input");
  check_length(into, size_, "output");
  const Elements elements = elements_to_move(common_type(into, input));
  const auto received = counts(into, elements);
  TORCH_CHECK_VALUE(
      into[rank_].numel() == input.numel(), "anyccl: all_gather sends ", input.numel(),
      " elements, and the output for rank ", rank_, ", which is this one, has ", into[rank_].numel());
  Call call{
      {c10d::OpType::ALLGATHER, "anyccl:all_gather", next_collective(), inputs, into},
      {},
      is_async(options),
      options.timeout};
  const auto places = write_each(call.buffers, into);
  const void* from = send_address_in_list(call.buffers, input, into, rank_);
  return launch<anyccl_all_gather_list, anyccl_iall_gather_list>(
      std::move(call), from, places.data(), received.data(), elements.datatype);
}

AnycclBackend::WorkPtr AnycclBackend::gather(
    TensorLists& outputs, Tensors& inputs, const c10d::GatherOptions& options) {
  const at::Tensor& input = only(inputs, "input");
  check_root(options.rootRank);
  check_tensor(input);
  const bool is_root = options.rootRank == rank_;
  const Tensors into = is_root ? only(outputs, "list of outputs") : Tensors{};
  if (is_root) {
    check_length(into, size_, "output");
    common_type(into, input);
  }
  const Elements elements = elements_to_move(input.scalar_type());
  const auto received = counts(into, elements);
  Call call{
      {c10d::OpType::GATHER, "anyccl:gather", next_collective(), inputs, into}, {}, is_async(options), options.timeout};
  // The outputs are separate tensors, and the library writes to one buffer. So the root receives into a
  // buffer first.
  void* place = is_root ? call.buffers.write_all(into) : nullptr;
  const size_t* const one_after_the_other = nullptr;
  return launch<anyccl_gather_v, anyccl_igather_v>(
      std::move(call), call.buffers.read(input), place, count(input, elements), received.data(), one_after_the_other,
      elements.datatype, static_cast<int>(options.rootRank));
}

AnycclBackend::WorkPtr AnycclBackend::scatter(
    Tensors& outputs, TensorLists& inputs, const c10d::ScatterOptions& options) {
  const at::Tensor& output = only(outputs, "output");
  check_root(options.rootRank);
  check_tensor(output);
  const bool is_root = options.rootRank == rank_;
  const Tensors from = is_root ? only(inputs, "list of inputs") : Tensors{};
  if (is_root) {
    check_length(from, size_, "input");
    common_type(from, output);
  }
  const Elements elements = elements_to_move(output.scalar_type());
  const auto sent = counts(from, elements);
  Call call{
      {c10d::OpType::SCATTER, "anyccl:scatter", next_collective(), from, outputs},
      {},
      is_async(options),
      options.timeout};
  const void* place = is_root ? call.buffers.read_all(from) : nullptr;
  const size_t* const one_after_the_other = nullptr;
  return launch<anyccl_scatter_v, anyccl_iscatter_v>(
      std::move(call), place, call.buffers.write(output), sent.data(), one_after_the_other, count(output, elements),
      elements.datatype, static_cast<int>(options.rootRank));
}

AnycclBackend::WorkPtr AnycclBackend::reduce_scatter(
    Tensors& outputs, TensorLists& inputs, const c10d::ReduceScatterOptions& options) {
  const at::Tensor& output = only(outputs, "output");
  const Tensors& from = only(inputs, "list of inputs");
  check_length(from, size_, "input");
  const Elements elements = elements_to_reduce(common_type(from, output));
  TORCH_CHECK_VALUE(
      from[rank_].numel() == output.numel(), "anyccl: reduce_scatter gives rank ", rank_, ", which is this one, ",
      from[rank_].numel(), " elements, and its output has ", output.numel());
  const ReduceOperator op(options.reduceOp, output.scalar_type());
  const auto received = counts(from, elements);
  Call call{
      {c10d::OpType::REDUCE_SCATTER, "anyccl:reduce_scatter", next_collective(), from, outputs},
      {},
      is_async(options),
      options.timeout};
  const void* place = call.buffers.read_all(from);
  if (std::all_of(received.begin(), received.end(), [&](size_t each) { return each == received.front(); })) {
    // Blocks of one length use the plain call, which has less to check.
    return launch<anyccl_reduce_scatter, anyccl_ireduce_scatter>(
        std::move(call), place, call.buffers.write(output), received.front(), elements.datatype, op.get());
  }
  return launch<anyccl_reduce_scatter_v, anyccl_ireduce_scatter_v>(
      std::move(call), place, call.buffers.write(output), received.data(), elements.datatype, op.get());
}

AnycclBackend::WorkPtr AnycclBackend::alltoall(
    Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) {
  check_length(outputs, size_, "output");
  check_length(inputs, size_, "input");
  const at::ScalarType type = anyccl_torch::common_type(inputs);
  const Elements elements = elements_to_move(common_type(outputs, inputs.front()));
  TORCH_INTERNAL_ASSERT(type == outputs.front().scalar_type());
  const auto sent = counts(inputs, elements);
  const auto received = counts(outputs, elements);
  Call call{
      {c10d::OpType::ALLTOALL, "anyccl:all_to_all", next_collective(), inputs, outputs},
      {},
      is_async(options),
      options.timeout};
  const auto places = write_each(call.buffers, outputs);
  std::vector<const void*> from;
  from.reserve(inputs.size());
  for (size_t rank = 0; rank < inputs.size(); ++rank) {
    from.push_back(send_address_in_list(call.buffers, inputs[rank], outputs, rank));
  }
  return launch<anyccl_all_to_all_list, anyccl_iall_to_all_list>(
      std::move(call), from.data(), places.data(), sent.data(), received.data(), elements.datatype);
}

}  // namespace anyccl_torch
