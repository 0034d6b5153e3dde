#include "reduce_operator.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "datatype.hpp"
#include "errors.hpp"
#include "releases.hpp"

namespace anyccl_torch {
namespace {

// The factor of PREMUL_SUM, as one element of the type that it multiplies.
at::Tensor factor_of(const c10d::ReduceOp& op, at::ScalarType type) {
  const auto* supplement = dynamic_cast<const PremulSumFactor*>(op.supplement_.get());
  TORCH_CHECK_VALUE(supplement != nullptr, "anyccl: PREMUL_SUM without a factor");
  const at::NoGradGuard no_grad;
  at::Tensor factor = supplement->tensor_factor;
  if (!factor.defined()) {
    factor = at::scalar_tensor(supplement->double_factor, at::kDouble);
  }
  // Waits for the stream, if the factor is on a GPU: the library takes its value when the call is made.
  factor = factor.cpu();
  const bool is_whole = !factor.is_floating_point() || std::trunc(factor.item<double>()) == factor.item<double>();
  TORCH_CHECK_VALUE(
      is_whole || !c10::isIntegralType(type, /*includeBool=*/true), "anyccl: PREMUL_SUM of ", type, " by ",
      factor.item<double>(), " would multiply by 0 or another whole number");
  return factor.to(type).contiguous();
}

anyccl_reduce_op_t builtin(const c10d::ReduceOp& op) {
  switch (op.op_) {
    case c10d::ReduceOp::SUM: return ANYCCL_SUM;
    case c10d::ReduceOp::AVG: return ANYCCL_AVG;
    case c10d::ReduceOp::PRODUCT: return ANYCCL_PRODUCT;
    case c10d::ReduceOp::MIN: return ANYCCL_MIN;
    case c10d::ReduceOp::MAX: return ANYCCL_MAX;
    case c10d::ReduceOp::BAND: return ANYCCL_BAND;
    case c10d::ReduceOp::BOR: return ANYCCL_BOR;
    case c10d::ReduceOp::BXOR: return ANYCCL_BXOR;
    default: TORCH_CHECK_VALUE(false, "anyccl: ", static_cast<int>(op.op_), " is not a reduce operator");
  }
}

}  // namespace

ReduceOperator::ReduceOperator(const c10d::ReduceOp& op, at::ScalarType type) {
  const Elements elements = elements_to_reduce(type);
  if (type == at::kComplexHalf) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        op.op_ == c10d::ReduceOp::SUM || op.op_ == c10d::ReduceOp::AVG,
        "anyccl: complex halves can be summed and averaged, not more");
  }
  if (op.op_ != c10d::ReduceOp::PREMUL_SUM) {
    op_ = builtin(op);
    return;
  }
  const at::Tensor factor = factor_of(op, type);
  check(
      anyccl_op_create_premul_sum(factor.const_data_ptr(), elements.datatype, ANYCCL_SCALAR_IMMEDIATE, &op_),
      "PREMUL_SUM");
  is_created_ = true;
}

ReduceOperator::~ReduceOperator() {
  if (is_created_) {
    anyccl_op_destroy(op_);
  }
}

}  // namespace anyccl_torch
