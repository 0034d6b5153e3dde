// torch's reduce operators as operators of the library.
#pragma once

#include <ATen/core/Tensor.h>
#include <anyccl/anyccl.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

namespace anyccl_torch {

// An operator for calls with tensors of one type. An operator that was created for this object is destroyed
// with it. Calls that have started with it go on.
class ReduceOperator {
 public:
  ReduceOperator(const c10d::ReduceOp& op, at::ScalarType type);
  ~ReduceOperator();
  ReduceOperator(const ReduceOperator&) = delete;
  ReduceOperator& operator=(const ReduceOperator&) = delete;

  anyccl_reduce_op_t get() const { return op_; }

 private:
  anyccl_reduce_op_t op_;
  bool is_created_ = false;
};

}  // namespace anyccl_torch
