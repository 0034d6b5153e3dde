#include "errors.hpp"

#include <c10/util/Exception.h>

namespace anyccl_torch {

std::exception_ptr to_exception(anyccl_status_t status, const std::string& what) {
  const c10::SourceLocation here{__func__, __FILE__, static_cast<uint32_t>(__LINE__)};
  switch (status) {
    case ANYCCL_ERR_INVALID_ARGUMENT: return std::make_exception_ptr(c10::ValueError(here, what));
    case ANYCCL_ERR_UNSUPPORTED: return std::make_exception_ptr(c10::NotImplementedError(here, what));
    case ANYCCL_ERR_INVALID_USAGE: return std::make_exception_ptr(c10::Error(here, what));
    default: return std::make_exception_ptr(c10::DistBackendError(here, what));
  }
}

bool was_refused(anyccl_status_t status) {
  return status == ANYCCL_ERR_INVALID_ARGUMENT || status == ANYCCL_ERR_UNSUPPORTED ||
         status == ANYCCL_ERR_INVALID_USAGE;
}

std::string reason() {
  std::string what = anyccl_last_error();
  // The name of the C function is dropped: a message names the call of torch.
  const size_t end = what.find(": ");
  if (what.starts_with("anyccl_") && end != std::string::npos) {
    what.erase(0, end + 2);
  }
  // Programs recognize a time-out by the words that torch uses for it, with a capital letter.
  if (what.starts_with("timed out")) {
    what.front() = 'T';
  }
  return what;
}

std::string sentence(const std::string& action) { return "anyccl, " + action + ": " + reason(); }

void check(anyccl_status_t status, const std::string& action) {
  if (status != ANYCCL_SUCCESS) {
    std::rethrow_exception(to_exception(status, sentence(action)));
  }
}

}  // namespace anyccl_torch
