// Several calls in one: lists of tensors, and all calls between startCoalescing and endCoalescing.
//
// One call of the library takes tensors of one type. A list of several types becomes one call per type, in
// the order in which the types first occur. That order is the same on all ranks, because the lists are.

#include <map>

#include "launch.hpp"
#include "reduce_operator.hpp"

namespace anyccl_torch {
namespace {

using Tensors = AnycclBackend::Tensors;

// Indices of a list of tensors, grouped by the type of the tensor.
std::vector<std::vector<size_t>> by_type(const Tensors& tensors) {
  std::vector<std::vector<size_t>> groups;
  std::map<at::ScalarType, size_t> where;
  for (size_t at = 0; at < tensors.size(); ++at) {
    check_tensor(tensors[at]);
    const auto [entry, is_new] = where.emplace(tensors[at].scalar_type(), groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[entry->second].push_back(at);
  }
  return groups;
}

void check_pairs(const Tensors& outputs, const Tensors& inputs) {
  TORCH_CHECK_VALUE(
      outputs.size() == inputs.size(), "anyccl: ", outputs.size(), " outputs for ", inputs.size(), " inputs");
}

// Arguments of one call of the library.
struct List {
  std::vector<const void*> sends;
  std::vector<void*> recvs;
  std::vector<size_t> counts;
};

// Open bracket of each group, in this thread only: other threads may use the group meanwhile.
thread_local std::map<const AnycclBackend*, c10::intrusive_ptr<AnycclWork>> brackets;

}  // namespace

c10::intrusive_ptr<AnycclWork> AnycclBackend::coalesced() const {
  const auto open = brackets.find(this);
  return open == brackets.end() ? nullptr : open->second;
}

void AnycclBackend::open_bracket(Description&& description) {
  const auto work = new_work(comm(), std::move(description));
  work->set_collecting(true);
  brackets[this] = work;
}

c10::intrusive_ptr<AnycclWork> AnycclBackend::close_bracket() {
  const auto work = coalesced();
  TORCH_CHECK(work, "anyccl: coalescing has not begun");
  brackets.erase(this);
  work->set_collecting(false);
  return work;
}

// Makes one work of the calls that `calls` makes. If a bracket is open already, they join its work.
AnycclBackend::WorkPtr AnycclBackend::as_one_work(
    Description&& description, bool is_async, const std::function<void()>& calls) {
  if (const auto outer = coalesced()) {
    calls();
    return outer;
  }
  open_bracket(std::move(description));
  try {
    calls();
  } catch (...) {
    // The calls that have started go on, and end like any other work.
    look_after(close_bracket());
    throw;
  }
  const auto work = close_bracket();
  if (is_async || work->is_enqueued()) {
    look_after(work);
  } else {
    work->wait();
  }
  return work;
}

AnycclBackend::WorkPtr AnycclBackend::allreduce_coalesced(
    Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
  Description whole{
      c10d::OpType::ALLREDUCE_COALESCED, "anyccl:all_reduce_coalesced", next_collective(), tensors, tensors};
  return as_one_work(std::move(whole), is_async(options), [&] {
    for (const auto& places : by_type(tensors)) {
      const at::ScalarType type = tensors[places.front()].scalar_type();
      const Elements elements = elements_to_reduce(type);
      const ReduceOperator op(options.reduceOp, type);
      Call call{{c10d::OpType::ALLREDUCE_COALESCED, "anyccl:all_reduce_coalesced"}, {}, true, options.timeout};
      List list;
      for (const size_t at : places) {
        list.recvs.push_back(call.buffers.update(tensors[at]));
        list.sends.push_back(list.recvs.back());
        list.counts.push_back(count(tensors[at], elements));
      }
      launch<anyccl_all_reduce_coalesced, anyccl_iall_reduce_coalesced>(
          std::move(call), list.sends.data(), list.recvs.data(), list.counts.data(), places.size(), elements.datatype,
          op.get());
    }
  });
}

AnycclBackend::WorkPtr AnycclBackend::allgather_into_tensor_coalesced(
    Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) {
  check_pairs(outputs, inputs);
  Description whole{kAllGatherOfTensors, "anyccl:all_gather_into_tensor_coalesced", next_collective(), inputs, outputs};
  return as_one_work(std::move(whole), is_async(options), [&] {
    for (const auto& places : by_type(inputs)) {
      const Elements elements = elements_to_move(inputs[places.front()].scalar_type());
      Call call{{kAllGatherOfTensors, "anyccl:all_gather_into_tensor_coalesced"}, {}, true, options.timeout};
      List list;
      for (const size_t at : places) {
        common_type({outputs[at], inputs[at]});
        TORCH_CHECK_VALUE(
            outputs[at].numel() == inputs[at].numel() * size_, "anyccl: all_gather of ", inputs[at].numel(),
            " elements of each of ", size_, " ranks into a tensor of ", outputs[at].numel());
        list.recvs.push_back(call.buffers.write(outputs[at]));
        list.sends.push_back(
            send_address(call.buffers, inputs[at], outputs[at], static_cast<int64_t>(rank_) * inputs[at].numel()));
        list.counts.push_back(count(inputs[at], elements));
      }
      launch<anyccl_all_gather_coalesced, anyccl_iall_gather_coalesced>(
          std::move(call), list.sends.data(), list.recvs.data(), list.counts.data(), places.size(), elements.datatype);
    }
  });
}

AnycclBackend::WorkPtr AnycclBackend::reduce_scatter_tensor_coalesced(
    Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& options) {
  check_pairs(outputs, inputs);
  Description whole{
      kReduceScatterOfTensors, "anyccl:reduce_scatter_tensor_coalesced", next_collective(), inputs, outputs};
  return as_one_work(std::move(whole), is_async(options), [&] {
    for (const auto& places : by_type(inputs)) {
      const at::ScalarType type = inputs[places.front()].scalar_type();
      const Elements elements = elements_to_reduce(type);
      const ReduceOperator op(options.reduceOp, type);
      Call call{{kReduceScatterOfTensors, "anyccl:reduce_scatter_tensor_coalesced"}, {}, true, options.timeout};
      List list;
      for (const size_t at : places) {
        common_type({outputs[at], inputs[at]});
        TORCH_CHECK_VALUE(
            inputs[at].numel() == outputs[at].numel() * size_, "anyccl: reduce_scatter of ", inputs[at].numel(),
            " elements to ", size_, " ranks, with room for ", outputs[at].numel(), " each");
        list.recvs.push_back(call.buffers.write(outputs[at]));
        list.sends.push_back(
            send_address(call.buffers, inputs[at], outputs[at], -static_cast<int64_t>(rank_) * outputs[at].numel()));
        list.counts.push_back(count(outputs[at], elements));
      }
      launch<anyccl_reduce_scatter_coalesced, anyccl_ireduce_scatter_coalesced>(
          std::move(call), list.sends.data(), list.recvs.data(), list.counts.data(), places.size(), elements.datatype,
          op.get());
    }
  });
}

// outputs[r][i] receives inputs[i] of rank r.
AnycclBackend::WorkPtr AnycclBackend::allgather_coalesced(
    TensorLists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) {
  TORCH_CHECK_VALUE(
      static_cast<int>(outputs.size()) == size_, "anyccl: ", outputs.size(), " lists of outputs for ", size_, " ranks");
  Tensors all;
  for (const auto& list : outputs) {
    check_pairs(list, inputs);
    all.insert(all.end(), list.begin(), list.end());
  }
  Description whole{c10d::OpType::ALLGATHER_COALESCED, "anyccl:all_gather_coalesced", next_collective(), inputs, all};
  return as_one_work(std::move(whole), is_async(options), [&] {
    for (size_t at = 0; at < inputs.size(); ++at) {
      TensorLists into(1);
      for (const auto& list : outputs) {
        into.front().push_back(list[at]);
      }
      Tensors input{inputs[at]};
      allgather(into, input, options);
    }
  });
}

void AnycclBackend::startCoalescing() {
  // An exception has left the previous bracket open. Its calls go on, and a new bracket begins.
  if (coalesced()) {
    look_after(close_bracket());
  }
  open_bracket({c10d::OpType::COALESCED, "anyccl:coalesced"});
}

AnycclBackend::WorkPtr AnycclBackend::endCoalescing() {
  const auto work = close_bracket();
  look_after(work);
  return work;
}

}  // namespace anyccl_torch
