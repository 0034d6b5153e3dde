#include "datatype.hpp"

#include <optional>

#include <c10/util/Exception.h>

namespace anyccl_torch {
namespace {

std::optional<Elements> known(at::ScalarType type) {
  switch (type) {
    case at::kChar: return Elements{ANYCCL_INT8, 1};
    case at::kByte: return Elements{ANYCCL_UINT8, 1};
    case at::kShort: return Elements{ANYCCL_INT16, 1};
    case at::kUInt16: return Elements{ANYCCL_UINT16, 1};
    case at::kInt: return Elements{ANYCCL_INT32, 1};
    case at::kUInt32: return Elements{ANYCCL_UINT32, 1};
    case at::kLong: return Elements{ANYCCL_INT64, 1};
    case at::kUInt64: return Elements{ANYCCL_UINT64, 1};
    case at::kHalf: return Elements{ANYCCL_FLOAT16, 1};
    case at::kBFloat16: return Elements{ANYCCL_BFLOAT16, 1};
    case at::kFloat: return Elements{ANYCCL_FLOAT32, 1};
    case at::kDouble: return Elements{ANYCCL_FLOAT64, 1};
    case at::kFloat8_e4m3fn: return Elements{ANYCCL_FLOAT8_E4M3, 1};
    case at::kFloat8_e5m2: return Elements{ANYCCL_FLOAT8_E5M2, 1};
    case at::kBool: return Elements{ANYCCL_BOOL, 1};
    case at::kComplexHalf: return Elements{ANYCCL_FLOAT16, 2};
    case at::kComplexFloat: return Elements{ANYCCL_COMPLEX64, 1};
    case at::kComplexDouble: return Elements{ANYCCL_COMPLEX128, 1};
    default: return std::nullopt;
  }
}

}  // namespace

Elements elements_to_move(at::ScalarType type) {
  return known(type).value_or(Elements{ANYCCL_BYTE, c10::elementSize(type)});
}

Elements elements_to_reduce(at::ScalarType type) {
  const auto elements = known(type);
  TORCH_CHECK_NOT_IMPLEMENTED(
      elements, "anyccl: tensors of ", type, " can be moved, not reduced; convert them to float32 first");
  return *elements;
}

}  // namespace anyccl_torch
