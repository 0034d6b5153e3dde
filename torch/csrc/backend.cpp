#include "backend.hpp"

#include "debug_handler.hpp"
#include "ends.hpp"
#include "errors.hpp"
#include "progress.hpp"
#include "store.hpp"

namespace anyccl_torch {

AnycclBackend::AnycclBackend(const StorePtr& store, int rank, int size, c10::intrusive_ptr<AnycclOptions> options)
    : Backend(rank, size), options_(std::move(options)), store_(store), common_store_(store_) {
  if (options_->is_deferred()) {
    absence_ = "has no ranks yet, as it was made with enable_reconfigure=True: call reconfigure() first";
  } else {
    comm_ = connect(*store_, rank, size, options_->timeout);
  }
  init();
  list_for_debugging(this);
}

AnycclBackend::~AnycclBackend() { unlist_for_debugging(this); }

std::shared_ptr<Communicator> AnycclBackend::connect(
    c10d::Store& store, int rank, int size, std::chrono::milliseconds patience) const {
  const std::string name = options_->group_name.empty() ? "group" : options_->group_name;
  load_driver();
  anyccl_config_t config = ANYCCL_CONFIG_INIT;
  config.name = name.c_str();
  config.timeout_ms = timeout_ms(patience);
  config.for_devices = options_->for_devices ? 1 : 0;
  config.interface = options_->interface.empty() ? nullptr : options_->interface.c_str();
  const auto comm = std::make_shared<Communicator>(join(store, rank, size, config, name), name, patience);
  if (patience != options_->timeout) {
    comm->set_timeout(options_->timeout);
  }
  return comm;
}

std::shared_ptr<Communicator> AnycclBackend::comm_if_there() const {
  const std::lock_guard<std::mutex> lock(comm_mutex_);
  return comm_;
}

std::shared_ptr<Communicator> AnycclBackend::comm() const {
  const std::lock_guard<std::mutex> lock(comm_mutex_);
  TORCH_CHECK(comm_ != nullptr, "anyccl: the group \"", options_->group_name, "\" ", absence_);
  return comm_;
}

uintptr_t AnycclBackend::handle() const { return reinterpret_cast<uintptr_t>(comm()->get()); }

void AnycclBackend::setTimeout(std::chrono::milliseconds timeout) {
  if (const auto comm = comm_if_there()) {
    comm->set_timeout(timeout);
  }
  const std::lock_guard<std::mutex> lock(comm_mutex_);
  options_->timeout = timeout;
}

void AnycclBackend::startTimeEstimate() {
  comm();
  begin_estimate();
}

float AnycclBackend::endTimeEstimate() { return end_estimate(); }

#if ANYCCL_TORCH_FROM(7)
c10d::ErrorType AnycclBackend::getError() {
  const auto comm = comm_if_there();
  switch (comm ? comm->failure() : ANYCCL_SUCCESS) {
    case ANYCCL_SUCCESS: return c10d::ErrorType::SUCCESS;
    case ANYCCL_ERR_TIMEOUT: return c10d::ErrorType::TIMEOUT;
    case ANYCCL_ERR_PEER_LOST:
    case ANYCCL_ERR_ABORTED: return c10d::ErrorType::REMOTE_ERROR;
    default: return c10d::ErrorType::COMM_ERROR;
  }
}
#endif

void AnycclBackend::abort() {
  if (const auto comm = comm_if_there()) {
    comm->abort();
  }
}

void AnycclBackend::shutdown() {
  // The communicator is destroyed when the last work that uses it has gone, too.
  std::shared_ptr<Communicator> last;
  {
    const std::lock_guard<std::mutex> lock(comm_mutex_);
    last.swap(comm_);
    absence_ = "was destroyed";
    is_destroyed_ = true;
  }
  if (last && last->leave()) {
    last.reset();
    wait_for_ends();
  }
}

void AnycclBackend::check_root(int64_t root) const {
  TORCH_CHECK_VALUE(root >= 0 && root < size_, "anyccl: root ", root, " does not exist in a group of size ", size_);
}

void AnycclBackend::check_peer(int peer) const {
  TORCH_CHECK_VALUE(peer >= 0 && peer < size_, "anyccl: rank ", peer, " does not exist in a group of size ", size_);
}

c10::intrusive_ptr<AnycclWork> AnycclBackend::new_work(
    const std::shared_ptr<Communicator>& comm, Description&& description) {
  return c10::make_intrusive<AnycclWork>(comm, hooks_, rank_, std::move(description));
}

AnycclBackend::WorkPtr AnycclBackend::finished(const c10::intrusive_ptr<AnycclWork>& work, anyccl_status_t status) {
  if (was_refused(status)) {
    check(status, work->name());
  }
  work->end(status);
  work->announce();
  return work;
}

void AnycclBackend::look_after(const c10::intrusive_ptr<AnycclWork>& work) {
  // Often the call has ended already: the last rank to arrive finds all data there.
  work->take();
  if (work->poll()) {
    work->announce();
  } else {
    work->give_back();
    Progress::here().look_after(work);
  }
}

}  // namespace anyccl_torch
