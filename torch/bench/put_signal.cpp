// What put_signal.py measures from C++: torch's own interfaces, called in a loop.
#include <chrono>

#include <torch/csrc/utils/pybind.h>

#include <torch/csrc/distributed/c10d/Window.hpp>
#include <torch/csrc/distributed/c10d/symm_mem/SymmetricMemory.hpp>

namespace {

using WindowPtr = c10::intrusive_ptr<c10d::Window>;
using HandlePtr = c10::intrusive_ptr<c10d::symmetric_memory::SymmetricMemory>;

// Sends and waits in turns with the peer. Returns the nanoseconds of one direction.
template <typename Send, typename Wait>
double in_turns(bool is_first, int64_t rounds, Send send, Wait wait) {
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t round = 0; round < rounds; ++round) {
    if (is_first) {
      send(round);
      wait(round);
    } else {
      wait(round);
      send(round);
    }
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(2 * rounds);
}

double by_window(const WindowPtr& window, at::Tensor source, const at::Tensor& own, int64_t peer, int64_t rounds) {
  auto* const number = source.data_ptr<int64_t>();
  const volatile int64_t* const arrived = own.data_ptr<int64_t>();
  return in_turns(
      peer == 1, rounds,
      [&](int64_t round) {
        *number = round;
        window->put(source, peer, 0, false);
        window->signal(peer, false);
      },
      [&](int64_t round) {
        window->wait_signal(peer, false);
        TORCH_CHECK(*arrived == round, "the signal has come before the data");
      });
}

double by_handle(const HandlePtr& handle, int peer, int64_t rounds) {
  volatile auto* const target = static_cast<int64_t*>(handle->get_buffer_ptrs()[static_cast<size_t>(peer)]);
  const volatile auto* const arrived = static_cast<int64_t*>(handle->get_buffer_ptrs()[static_cast<size_t>(1 - peer)]);
  return in_turns(
      peer == 1, rounds,
      [&](int64_t round) {
        *target = round;
        handle->put_signal(peer, 0, 0);
      },
      [&](int64_t round) {
        handle->wait_signal(peer, 0, 0);
        TORCH_CHECK(*arrived == round, "the signal has come before the data");
      });
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("by_window", &by_window, pybind11::call_guard<pybind11::gil_scoped_release>());
  module.def("by_handle", &by_handle, pybind11::call_guard<pybind11::gil_scoped_release>());
}
