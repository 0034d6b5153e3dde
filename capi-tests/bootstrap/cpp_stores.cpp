// Tests of anyccl.hpp: communicators made by a store of the program, or by a file. Ranks are threads.
#include <anyccl/anyccl.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "check.hpp"

namespace {

constexpr int ranks = 3;

// A store that all threads share.
class shared_store : public anyccl::store {
public:
    void set(const std::string& key, anyccl::view<const unsigned char> value) override
    {
        const std::lock_guard lock(mutex_);
        values_[key] = bytes(value.begin(), value.end());
        changed_.notify_all();
    }
    std::optional<bytes> get(const std::string& key, std::chrono::milliseconds timeout) override
    {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, timeout, [&] { return values_.count(key) != 0; }))
            return std::nullopt;
        return values_[key];
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, bytes> values_;
};

// A store that fails by exceptions: one of the standard library, and one that is not a std::exception.
class broken_store : public anyccl::store {
public:
    void set(const std::string&, anyccl::view<const unsigned char>) override
    {
        throw std::runtime_error("out of paper");
    }
    std::optional<bytes> get(const std::string&, std::chrono::milliseconds) override { throw 7; }
};

template <class Rank>
void on_threads(Rank rank)
{
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; r++)
        threads.emplace_back([&rank, r] { rank(r); });
    for (std::thread& thread : threads)
        thread.join();
}

void check(const anyccl::communicator& comm)
{
    int sum = comm.rank();
    comm.all_reduce(sum, anyccl::op::sum);
    CHECK(comm.size() == ranks && sum == ranks * (ranks - 1) / 2);
}

}  // namespace

int main()
{
    shared_store store;
    on_threads([&](int rank) { check(anyccl::communicator::create(store, ranks, rank)); });

    broken_store broken;
    CHECK_THROWS(anyccl::communicator::create(broken, 2, 0), ANYCCL_ERR_BOOTSTRAP, "out of paper");
    CHECK_THROWS(anyccl::communicator::create(broken, 2, 1), ANYCCL_ERR_BOOTSTRAP, "no std::exception");
    shared_store empty;
    anyccl::config hasty;
    hasty.timeout = std::chrono::milliseconds(50);
    hasty.interfaces = "lo";
    CHECK_THROWS(anyccl::communicator::create(empty, 2, 1, hasty), ANYCCL_ERR_TIMEOUT, "rank 0");

    const std::string path = "cpp_stores." + std::to_string(getpid());
    on_threads([&](int rank) {
        const anyccl::exchanged_id met = anyccl::unique_id_exchange_by_file(path, ranks, rank);
        CHECK(!met.address.empty());
        check(anyccl::communicator::create(met.id, ranks, rank));
    });
    std::remove(path.c_str());
}
