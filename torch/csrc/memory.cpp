#include "memory.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>

#include "backend.hpp"
#include "errors.hpp"

namespace anyccl_torch {
namespace {

// Most bytes of unused memory that are kept.
constexpr size_t kMostIdle = size_t{1} << 30;
// Sizes of torch's tensors that are shared. Smaller ones gain little. A larger one is rather a data set than a
// message, and each child of fork would copy it.
constexpr size_t kLeastShared = size_t{64} << 10;
constexpr size_t kMostShared = size_t{1} << 30;

// Replaces shared pages by private ones with the same bytes. Other memory in the first and the last page
// becomes private as well. Makes only system calls, because a child calls it while fork() runs.
bool make_private(void* data, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t start = reinterpret_cast<uintptr_t>(data) / page * page;
  const size_t length = (reinterpret_cast<uintptr_t>(data) + bytes - start + page - 1) / page * page;
  void* const place = reinterpret_cast<void*>(start);
  void* const copy = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) {
    return false;
  }
  std::memcpy(copy, place, length);
  return mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place;
}

// Gives the private pages back that lie completely in the range.
void drop_pages(void* data, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t start = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) / page * page;
  if (start < end) {
    (void)madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
  }
}

class SharedMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* const data = bytes == 0 ? nullptr : take(round(bytes));
    if (data != nullptr) {
      c10::profiledCPUMemoryReporter().New(data, bytes);
    }
    // The pointer is its own context, as torch expects it of tensors that it copies lazily.
    return {data, data, &release, c10::Device(c10::kCPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  // Whether `data` is a live allocation.
  bool owns(void* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_.find(data) != live_.end();
  }

  static SharedMemory& instance() {
    // Never freed, because tensors may outlive static objects.
    static auto* const memory = new SharedMemory;
    return *memory;
  }

 private:
  struct Block {
    size_t bytes;
    // A child of fork has copied the memory of its parent.
    bool is_copy;
  };

  SharedMemory() {
    const int refused =
        pthread_atfork([] { instance().before_fork(); }, [] { instance().in_parent(); }, [] { instance().in_child(); });
    TORCH_CHECK(refused == 0, "anyccl: there is no memory for a handler of fork()");
  }

  // Rounds a size up by less than an eighth, or to whole pages, so that similar sizes share blocks.
  static size_t round(size_t bytes) {
    size_t step = 4096;
    while (step * 16 < bytes) {
      step *= 2;
    }
    return (bytes + step - 1) / step * step;
  }

  void* take(size_t bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      forget_parent();
      const auto found = idle_.find(bytes);
      if (found != idle_.end() && !found->second.empty()) {
        void* const data = found->second.back();
        live_.emplace(data, Block{bytes, false});
        found->second.pop_back();
        idle_bytes_ -= bytes;
        return data;
      }
    }
    void* data = nullptr;
    if (anyccl_mem_alloc(bytes, &data) != ANYCCL_SUCCESS) {
      free_idle();
      check(anyccl_mem_alloc(bytes, &data), "allocating shared memory");
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    live_.emplace(data, Block{bytes, false});
    return data;
  }

  static void release(void* data) {
    if (data != nullptr) {
      c10::profiledCPUMemoryReporter().Delete(data);
      instance().give_back(data);
    }
  }

  void give_back(void* data) {
    std::unique_lock<std::mutex> lock(mutex_);
    forget_parent();
    const auto found = live_.find(data);
    const Block block = found->second;
    live_.erase(found);
    if (block.is_copy) {
      drop_pages(data, block.bytes);
      return;
    }
    const bool is_full = idle_bytes_ + block.bytes > kMostIdle;
    if (block.bytes <= kMostIdle) {
      if (is_full) {
        lock.unlock();
        // Sizes that are no longer in use must not take the room of others for ever.
        free_idle();
        lock.lock();
      }
      idle_[block.bytes].push_back(data);
      idle_bytes_ += block.bytes;
      return;
    }
    lock.unlock();
    (void)anyccl_mem_free(data);
  }

  void free_idle() {
    std::map<size_t, std::vector<void*>> idle;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      idle.swap(idle_);
      idle_bytes_ = 0;
    }
    for (const auto& [bytes, blocks] : idle) {
      for (void* const data : blocks) {
        (void)anyccl_mem_free(data);
      }
    }
  }

  // Forgets unused memory of the parent, in a child of fork. To be called with the lock held.
  void forget_parent() {
    if (!birthplace_.is_here()) {
      idle_.clear();
      idle_bytes_ = 0;
      birthplace_ = Birthplace();
    }
  }

  // Holds the lock during fork(), so that the child finds a table that is in order.
  void before_fork() {
    mutex_.lock();
    must_copy_ = false;
    for (const auto& [data, block] : live_) {
      must_copy_ = must_copy_ || !block.is_copy;
    }
    if (must_copy_ && pipe2(copied_, O_CLOEXEC) != 0) {
      copied_[0] = copied_[1] = -1;
    }
  }

  void in_parent() {
    if (must_copy_ && copied_[0] >= 0) {
      // The end of the file tells that the child has died, or that there is none.
      ::close(copied_[1]);
      char is_done = 0;
      while (::read(copied_[0], &is_done, 1) < 0 && errno == EINTR) {
      }
      ::close(copied_[0]);
    }
    mutex_.unlock();
  }

  // Runs in the child before fork() returns there, on its only thread. Makes only system calls.
  void in_child() {
    if (must_copy_) {
      // Without a pipe the parent does not wait, and could change what is being copied.
      bool is_done = copied_[1] >= 0;
      for (auto& [data, block] : live_) {
        is_done = is_done && (block.is_copy || make_private(data, block.bytes));
        block.is_copy = true;
      }
      if (!is_done || ::write(copied_[1], "!", 1) != 1) {
        constexpr char kText[] = "anyccl: a child of fork() cannot copy the shared tensors of its parent, and ends\n";
        const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
        _exit(written < 0 ? 2 : 1);
      }
      ::close(copied_[0]);
      ::close(copied_[1]);
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::unordered_map<void*, Block> live_;
  std::map<size_t, std::vector<void*>> idle_;
  size_t idle_bytes_ = 0;
  Birthplace birthplace_;
  // Of the fork under way: whether the child must copy, and the pipe by which it tells that it has.
  bool must_copy_ = false;
  int copied_[2] = {-1, -1};
};

// The allocator that torch uses for tensors on the CPU. What is not shared comes from torch's own.
class TensorMemory final : public c10::Allocator {
 public:
  explicit TensorMemory(c10::Allocator& torchs) : torchs_(torchs) {}

  c10::DataPtr allocate(size_t bytes) override {
    if (bytes >= kLeastShared && bytes <= kMostShared && sharing_since_.load() == forks() + 1) {
      try {
        return SharedMemory::instance().allocate(bytes);
      } catch (const std::exception&) {
        // There may be other memory.
      }
    }
    return torchs_.allocate(bytes);
  }

  c10::DeleterFnPtr raw_deleter() const override { return torchs_.raw_deleter() == nullptr ? nullptr : &release; }

  void copy_data(void* to, const void* from, size_t bytes) const override { torchs_.copy_data(to, from, bytes); }

  void share(bool shall_share) { sharing_since_ = shall_share ? forks() + 1 : 0; }

  // Puts this allocator before torch's, once.
  static TensorMemory& instance() {
    static auto* const memory = [] {
      auto* const made = new TensorMemory(*c10::GetCPUAllocator());
      c10::SetCPUAllocator(made);
      if (c10::GetCPUAllocator() != made) {
        TORCH_WARN("anyccl: another package has set torch's allocator with priority, so tensors are not shared");
      }
      return made;
    }();
    return *memory;
  }

 private:
  static void release(void* data) {
    auto& shared = SharedMemory::instance();
    (shared.owns(data) ? shared.raw_deleter() : instance().torchs_.raw_deleter())(data);
  }

  c10::Allocator& torchs_;
  // 1 more than the number of forks before the process that shares; 0: none does.
  std::atomic<uint64_t> sharing_since_{0};
};

}  // namespace

std::shared_ptr<c10::Allocator> shared_memory() {
  return {std::shared_ptr<c10::Allocator>(), &SharedMemory::instance()};
}

void share_tensors(bool shall_share) { TensorMemory::instance().share(shall_share); }

std::shared_ptr<c10::Allocator> AnycclBackend::getMemAllocator() { return shared_memory(); }

at::Tensor AnycclBackend::allocateTensor(long size, at::TensorOptions options) {
  TORCH_CHECK_VALUE(size >= 0, "anyccl: a tensor of ", size, " elements");
  TORCH_CHECK_VALUE(
      options.device().is_cpu(), "anyccl: shared memory is memory of the CPU, and a tensor on ", options.device(),
      " was requested");
  const auto type = c10::typeMetaToScalarType(options.dtype());
  const size_t bytes = static_cast<size_t>(size) * c10::elementSize(type);
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), bytes, SharedMemory::instance().allocate(bytes), nullptr,
      /*resizable=*/false);
  return at::empty({0}, options).set_(at::Storage(std::move(storage)), 0, {size}, {1});
}

}  // namespace anyccl_torch
