// The work of calls that are complete when they return, and have no result. There is one for all of them.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace anyccl_torch {

class FinishedWork final : public c10d::Work {
 public:
  FinishedWork() { finish(); }

  bool isCompleted() override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  void synchronize() override {}
  std::vector<at::Tensor> result() override { return {}; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
    future->markCompleted(c10::IValue(std::vector<at::Tensor>()));
    return future;
  }
};

inline const c10::intrusive_ptr<c10d::Work>& finished_work() {
  // Never freed: calls may be made while the process ends.
  static const auto& work = *new c10::intrusive_ptr<c10d::Work>(c10::make_intrusive<FinishedWork>());
  return work;
}

}  // namespace anyccl_torch
