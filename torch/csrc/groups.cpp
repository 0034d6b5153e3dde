// Groups made from another group: split, merge and shrink.
//
// The ranks of a new group meet in a store: the one that torch passes, or for shrink() the one that the
// parent's ranks share. The parent's communicator is not used, so a group may be made from one that has
// failed.

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "backend.hpp"

namespace anyccl_torch {
namespace {

// Flag of torch.distributed.shrink_group(): the ranks that stay abort the calls that are under way in the
// parent.
constexpr int kAbortParent = 1;

}  // namespace

AnycclBackend::BackendPtr AnycclBackend::make_group(
    const StorePtr& store, int rank, int size, const BaseOptionsPtr& options) const {
  auto own = c10::dynamic_intrusive_pointer_cast<AnycclOptions>(options);
  TORCH_CHECK_VALUE(
      own || !options, "anyccl: pg_options of the backend \"", options ? options->backend : "",
      "\" were given; use anyccl's");
  own = c10::dynamic_intrusive_pointer_cast<AnycclOptions>((own ? own : options_)->clone());
  // The ranks of the new group are known, even if this group was made with enable_reconfigure=True.
  own->set_deferred(false);
  return c10::make_intrusive<AnycclBackend>(store, rank, size, own);
}

AnycclBackend::BackendPtr AnycclBackend::split(
    const StorePtr& store, const std::vector<int>& ranks, const BaseOptionsPtr& options) {
  const auto place = std::find(ranks.begin(), ranks.end(), rank_);
  if (place == ranks.end()) {
    return nullptr;
  }
  return make_group(store, static_cast<int>(place - ranks.begin()), static_cast<int>(ranks.size()), options);
}

AnycclBackend::BackendPtr AnycclBackend::merge(
    const StorePtr& store, const BaseOptionsPtr& options, const int& rank, const int& size) {
  return make_group(store, rank, size, options);
}

AnycclBackend::BackendPtr AnycclBackend::shrink(
    const std::vector<int64_t>& excluded, int flags, const BaseOptionsPtr& options) {
  std::string prefix = "shrunk";
  int rank = 0;
  int size = 0;
  for (int old = 0; old < size_; ++old) {
    if (std::find(excluded.begin(), excluded.end(), old) == excluded.end()) {
      rank += old < rank_ ? 1 : 0;
      ++size;
    } else {
      TORCH_CHECK_VALUE(old != rank_, "anyccl: rank ", rank_, " is excluded, so it cannot be in the new group");
      prefix += "_" + std::to_string(old);
    }
  }
  if ((flags & kAbortParent) != 0) {
    abort();
  }
  return make_group(c10::make_intrusive<c10d::PrefixStore>(prefix, common_store_), rank, size, options);
}

}  // namespace anyccl_torch
