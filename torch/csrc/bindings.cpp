// The Python module anyccl._C.

#include <torch/csrc/utils/pybind.h>

#include <pybind11/chrono.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "backend.hpp"
#include "background.hpp"
#include "debug_handler.hpp"
#include "lazy_views.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "quick_record.hpp"
#include "symmetric.hpp"

namespace py = pybind11;
namespace ours = anyccl_torch;

namespace {

template <typename T>
using Pointer = c10::intrusive_ptr<T>;

Pointer<ours::AnycclBackend> create(
    const Pointer<c10d::Store>& store, int rank, int size, std::chrono::milliseconds timeout, const std::string& name,
    const std::vector<uint64_t>& global_ranks, const Pointer<ours::AnycclOptions>& given, bool is_deferred) {
  auto options = given ? Pointer<ours::AnycclOptions>(c10::make_intrusive<ours::AnycclOptions>(*given))
                       : c10::make_intrusive<ours::AnycclOptions>();
  options->timeout = timeout;
  options->group_name = name;
  options->global_ranks_in_group = global_ranks;
  options->set_deferred(is_deferred || options->is_deferred());
  return c10::make_intrusive<ours::AnycclBackend>(store, rank, size, std::move(options));
}

// Longest time that exit waits for callbacks of futures, and then for background tasks.
constexpr std::chrono::seconds kLongestEnd{5};
// Longest wait for background tasks where records of failures have stack traces: torch gives up on one after
// 15 seconds, and tries once more.
constexpr std::chrono::seconds kLongestRecord{40};

void at_exit() {
  ours::Progress::here().stop(kLongestEnd);
  ours::wait_for_background(ours::wants_stack_traces() ? kLongestRecord : kLongestEnd);
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.doc() = "The torch.distributed backend \"anyccl\".";
  ours::take_lazy_views();
  ours::register_debug_handler();
  ours::offer_symmetric_memory();
  module.attr("torch_version") = TORCH_VERSION;
  module.def("library_version", &anyccl_version_string, "Version of libanyccl.");

  py::class_<ours::AnycclOptions, Pointer<ours::AnycclOptions>, c10d::Backend::Options>(
      module, "Options", "Settings of a group, for init_process_group(pg_options=...).")
      .def(py::init<std::chrono::milliseconds>(), py::arg("timeout") = kBackendDefaultTimeout)
      .def_readwrite(
          "interface", &ours::AnycclOptions::interface,
          "Interfaces for TCP, written as in ANYCCL_SOCKET_IFNAME: \"eth0\", \"=eth0,ib0\", \"^docker\".")
      // torch 2.8 writes these two after it has made a group of gloo; its binding of the base has them in later releases.
      .def_readwrite("global_ranks_in_group", &ours::AnycclOptions::global_ranks_in_group)
      .def_readwrite("group_name", &ours::AnycclOptions::group_name)
      .def_readwrite(
          "for_devices", &ours::AnycclOptions::for_devices,
          "Whether the group is made for tensors on GPUs: in each collective all ranks have them there, or none has.");

  py::class_<ours::AnycclBackend, Pointer<ours::AnycclBackend>, c10d::Backend>(
      module, "AnycclBackend", "A group of torch over a communicator of anyccl.")
      // Scripts for gloo use these two, and so does torch itself before 2.14.
      .def("_set_default_timeout", &ours::AnycclBackend::setTimeout, py::arg("timeout"))
      .def_property_readonly("options", &ours::AnycclBackend::getBackendOptions)
      .def(
          "handle", &ours::AnycclBackend::handle,
          "The anyccl_comm_t of the group as a number, for calls of the C API. Borrowed: valid until the group is "
          "destroyed.");

  module.def(
      "create", &create, py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("timeout"), py::arg("name"),
      py::arg("global_ranks"), py::arg("options").none(true), py::arg("is_deferred"),
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "share_tensors", &ours::share_tensors, py::arg("shall_share"),
      "Whether torch allocates tensors on the CPU where the other ranks of the host read them in place.");
  module.def("use_titles_of_gloo", &ours::use_titles_of_gloo, "Lets the titles in the profiler begin with \"gloo:\".");
  module.def(
      "at_exit", &at_exit, py::call_guard<py::gil_scoped_release>(),
      "Ends the progress threads and waits for background tasks. To be called before the interpreter ends.");
}
