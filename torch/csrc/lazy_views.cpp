#include "lazy_views.hpp"

#include <mutex>

#include <ATen/native/MathBitsFallback.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/library.h>

#include "backend.hpp"

namespace anyccl_torch {
namespace {

// The first tensor of an argument; none if it has none.
std::optional<at::Tensor> tensor_in(const c10::IValue& argument) {
  if (argument.isTensor()) {
    return argument.toTensor();
  }
  if (argument.isList()) {
    for (const c10::IValue& element : argument.toListRef()) {
      if (auto found = tensor_in(element)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

// Whether this backend serves a call with these arguments.
bool is_ours(c10::ArrayRef<c10::IValue> arguments) {
  static const auto group_type = c10::getCustomClassType<c10::intrusive_ptr<c10d::ProcessGroup>>();
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  std::optional<at::Tensor> tensor;
  for (const auto& argument : arguments) {
    if (argument.isCustomClass() && *argument.type() == *group_type) {
      group = argument.toCustomClass<c10d::ProcessGroup>();
    } else if (!tensor) {
      tensor = tensor_in(argument);
    }
  }
  if (!group || !tensor) {
    return false;
  }
  try {
    return dynamic_cast<AnycclBackend*>(group->getBackend(tensor->device().type()).get()) != nullptr;
  } catch (const c10::Error&) {
    return false;  // The group has no backend for this device, and says so itself.
  }
}

// What torch does with marked tensors where nothing else is registered.
template <c10::DispatchKey Key>
struct Fallback : at::native::MathOpFallback {
  Fallback() : MathOpFallback(Key, Key == c10::DispatchKey::Conjugate ? "conjugate" : "negation") {}
  bool is_bit_set(const at::Tensor& tensor) override {
    return Key == c10::DispatchKey::Conjugate ? tensor.is_conj() : tensor.is_neg();
  }
};

template <c10::DispatchKey Key>
void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  if (is_ours(torch::jit::last(*stack, op.schema().arguments().size()))) {
    op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, Key), stack);
  } else {
    Fallback<Key>().fallback_impl(op, keys, stack);
  }
}

template <c10::DispatchKey Key>
void register_all() {
  static torch::Library library(torch::Library::IMPL, "c10d", Key, __FILE__, __LINE__);
  for (const auto& op : c10::Dispatcher::singleton().getAllOpNames()) {
    if (op.name.rfind("c10d::", 0) == 0) {
      library.impl(c10::toString(op).c_str(), torch::CppFunction::makeFromBoxedFunction<&call<Key>>());
    }
  }
}

}  // namespace

void take_lazy_views() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_all<c10::DispatchKey::Conjugate>();
    register_all<c10::DispatchKey::Negative>();
  });
}

}  // namespace anyccl_torch
