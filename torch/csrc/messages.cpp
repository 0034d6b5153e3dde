// Messages between two ranks.

#include "launch.hpp"

namespace anyccl_torch {
namespace {

const at::Tensor& message_in(const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK_VALUE(tensors.size() == 1, "anyccl: a message is one tensor, ", tensors.size(), " were given");
  check_tensor(tensors.front());
  return tensors.front();
}

}  // namespace

void AnycclBackend::check_tag(int tag) {
  TORCH_CHECK_VALUE(tag >= 0, "anyccl: tag ", tag, "; accepted: 0 to ", kMonitoredBarrierTag);
  if (tag == kMonitoredBarrierTag) {
    TORCH_CHECK_VALUE(
        monitored_barriers_ == 0, "anyccl: tag ", tag,
        " belongs to the monitored barriers of this group, which has had one; take another tag");
    has_used_last_tag_ = true;
  }
}

AnycclBackend::WorkPtr AnycclBackend::send(Tensors& tensors, int destination, int tag) {
  const at::Tensor& tensor = message_in(tensors);
  check_peer(destination);
  check_tag(tag);
  const Elements elements = elements_to_move(tensor.scalar_type());
  Call call{
      {c10d::OpType::SEND, "anyccl:send", next_message(), tensors, {}},
      {},
      true,
      c10d::kUnsetTimeout,
      {Lane::kSends, destination}};
  const void* place = call.buffers.read(tensor);
  return launch<nullptr, anyccl_isend>(
      std::move(call), place, count(tensor, elements), elements.datatype, destination, static_cast<int32_t>(tag));
}

AnycclBackend::WorkPtr AnycclBackend::recv(Tensors& tensors, int source, int tag) {
  check_peer(source);
  return receive(tensors, source, tag, c10d::OpType::RECV, "anyccl:recv");
}

AnycclBackend::WorkPtr AnycclBackend::recvAnysource(Tensors& tensors, int tag) {
  return receive(tensors, ANYCCL_ANY_SOURCE, tag, c10d::OpType::RECVANYSOURCE, "anyccl:recvAnySource");
}

AnycclBackend::WorkPtr AnycclBackend::receive(
    Tensors& tensors, int source, int tag, c10d::OpType type, const char* title) {
  const at::Tensor& tensor = message_in(tensors);
  check_tag(tag);
  const Elements elements = elements_to_move(tensor.scalar_type());
  Call call{{type, title, next_message(), tensors, tensors}, {}, true, c10d::kUnsetTimeout, {Lane::kReceives, source}};
  // Not write(): a message that is shorter than the tensor leaves the rest of it unchanged.
  void* place = call.buffers.update(tensor);
  return launch<nullptr, anyccl_irecv>(
      std::move(call), place, count(tensor, elements), elements.datatype, source, static_cast<int32_t>(tag));
}

}  // namespace anyccl_torch
