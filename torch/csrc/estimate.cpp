#include "estimate.hpp"

#include <anyccl/anyccl.h>
#include <torch/csrc/utils/pybind.h>

#include "errors.hpp"

namespace py = pybind11;

namespace anyccl_torch {
namespace {

// What torch takes for "unknown".
constexpr float kWithoutEstimate = -1000;

struct OpenEstimate {
  bool is_open = false;
  bool is_known = true;
  // The generator of torch's context manager, or null. Not released at the end of the thread, which may come after
  // that of the interpreter.
  PyObject* generator = nullptr;
};

thread_local OpenEstimate estimate_here;

// The generator that runs in this thread, or null. Before Python 3.11 it cannot be asked for.
PyObject* running_generator() {
#if PY_VERSION_HEX >= 0x030B0000
  PyFrameObject* frame = PyEval_GetFrame();
  return frame == nullptr ? nullptr : PyFrame_GetGenerator(frame);
#else
  return nullptr;
#endif
}

// Closes the estimate. A call that was refused has thrown already.
double close_estimate() noexcept {
  estimate_here.is_open = false;
  if (estimate_here.generator != nullptr && Py_IsInitialized()) {
    const py::gil_scoped_acquire locked;
    Py_CLEAR(estimate_here.generator);
  }
  double microseconds = 0;
  (void)anyccl_estimate_end(&microseconds);
  return microseconds;
}

bool is_abandoned() {
  if (estimate_here.generator == nullptr) {
    return false;
  }
  const py::gil_scoped_acquire locked;
  return py::handle(estimate_here.generator).attr("gi_frame").is_none();
}

}  // namespace

void begin_estimate() {
  if (estimate_here.is_open) {
    abandon_estimate();
  }
  check(anyccl_estimate_begin(), "startTimeEstimate");
  estimate_here.is_open = true;
  estimate_here.is_known = true;
  if (Py_IsInitialized()) {
    const py::gil_scoped_acquire locked;
    estimate_here.generator = running_generator();
  }
}

float end_estimate() {
  TORCH_CHECK(
      estimate_here.is_open, "anyccl: endTimeEstimate() without startTimeEstimate(), or after a call that was refused");
  const double microseconds = close_estimate();
  return estimate_here.is_known ? static_cast<float>(microseconds) : kWithoutEstimate;
}

void abandon_estimate() noexcept { (void)close_estimate(); }

bool is_estimating() {
  if (!estimate_here.is_open) {
    return false;
  }
  if (is_abandoned()) {
    abandon_estimate();
  }
  return estimate_here.is_open;
}

void note_without_estimate() { estimate_here.is_known = false; }

void check_not_estimating(const char* name) {
  if (is_estimating()) {
    abandon_estimate();
    TORCH_CHECK(false, "anyccl: ", name, " has no estimate of time");
  }
}

}  // namespace anyccl_torch
