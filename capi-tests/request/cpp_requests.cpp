// Tests of anyccl.hpp: waits for the first of several requests, and matched probes.
#include <anyccl/anyccl.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using anyccl::op;

// A message from every rank to every rank, itself included, in a buffer per rank.
class everybody {
public:
    explicit everybody(const anyccl::communicator_ref& comm)
        : sent_(comm.rank()), received_(static_cast<std::size_t>(comm.size()), -1)
    {
        for (int r = 0; r < comm.size(); r++)
            requests.push_back(comm.irecv(received_[static_cast<std::size_t>(r)], r));
        for (int r = 0; r < comm.size(); r++)
            sends_.push_back(comm.isend(sent_, r));
    }
    void check()
    {
        anyccl::wait_all(sends_);
        for (std::size_t r = 0; r < received_.size(); r++)
            CHECK(requests[r].has_ended() && received_[r] == static_cast<int>(r));
    }

private:
    int sent_;
    std::vector<int> received_;
    std::vector<anyccl::request> sends_;

public:
    std::vector<anyccl::request> requests;
};

void several(const anyccl::communicator_ref& comm)
{
    {
        everybody all(comm);
        std::size_t ended = 0;
        while (const std::optional<std::size_t> one = anyccl::wait_any(all.requests)) {
            CHECK(all.requests[*one].has_ended());
            ended++;
        }
        CHECK(ended == all.requests.size());
        all.check();
        CHECK(!anyccl::test_any(all.requests) && anyccl::test_all(all.requests));
        CHECK(anyccl::wait_some(all.requests).empty());
        comm.barrier();
    }
    {
        const int sent = comm.rank();
        int room = -1;
        std::vector<anyccl::request> receives;
        receives.push_back(comm.irecv(room, comm.rank(), 77));
        CHECK(!receives[0].wait_for(std::chrono::milliseconds(1)) && !receives[0].has_ended());
        anyccl::request send = comm.isend(sent, comm.rank(), 77);
        anyccl::wait_ready(receives);
        CHECK(!receives[0].has_ended() && receives[0].test() && room == sent);
        CHECK(send.wait_for(anyccl::never) && send.has_ended());
    }
    {
        everybody all(comm);
        for (std::size_t left = all.requests.size(); left > 0;) {
            const std::vector<anyccl::ended> some = anyccl::wait_some(all.requests);
            CHECK(!some.empty() && some.size() <= left);
            for (const anyccl::ended& one : some)
                CHECK(one.status == ANYCCL_SUCCESS && all.requests[one.index].has_ended());
            left -= some.size();
        }
        all.check();
        comm.barrier();
    }
    {
        everybody all(comm);
        for (std::size_t left = all.requests.size(); left > 0;)
            left -= anyccl::test_any(all.requests).has_value() ? std::size_t{1} : 0;
        all.check();
        comm.barrier();
    }
    {
        everybody all(comm);
        while (!anyccl::test_all(all.requests)) {
        }
        all.check();
        comm.barrier();
    }
}

// Failures: a wait for several requests returns each failure, and a wait for one request throws it.
void failures(const anyccl::communicator_ref& comm)
{
    // A communicator of one rank. On a shared one, the failure of another rank could come first and fail
    // these calls.
    const auto own = comm.split(comm.rank());
    const std::vector<int> long_message(5, own.rank());
    int short_buffer = -1, other = -1;
    std::vector<anyccl::request> receives;
    receives.push_back(own.irecv(short_buffer, own.rank(), 1));
    receives.push_back(own.irecv(other, own.rank(), 2));
    const anyccl::request send = own.isend(long_message, own.rank(), 1);
    // A message that is too long fails its communicator. So the receive that no message matches fails, too.
    for (std::size_t left = receives.size(); left > 0;)
        for (const anyccl::ended& one : anyccl::wait_some(receives)) {
            CHECK(one.status == ANYCCL_ERR_MISMATCH && receives[one.index].has_ended());
            left--;
        }
    CHECK_THROWS(own.barrier(), ANYCCL_ERR_MISMATCH, "too long");
}

void matched(const anyccl::communicator_ref& comm)
{
    const int next = (comm.rank() + 1) % comm.size(), before = (comm.rank() + comm.size() - 1) % comm.size();
    CHECK(!comm.improbe(anyccl::any_source, anyccl::any_tag));
    comm.barrier();
    const std::vector<double> sent(static_cast<std::size_t>(comm.rank() + 1), comm.rank());
    anyccl::request send = comm.isend(sent, next, 3);
    anyccl::matched_message message = comm.mprobe(before, anyccl::any_tag);
    CHECK(message && message.status().tag == 3 && message.status().source == before);
    std::vector<double> room(message.status().count, -1);
    anyccl::matched_message moved = std::move(message);
    CHECK(moved && !message);
    moved.recv(room);
    CHECK(!moved && room == std::vector<double>(static_cast<std::size_t>(before + 1), before));
    CHECK_THROWS(moved.recv(room), ANYCCL_ERR_INVALID_ARGUMENT, "message");
    send.wait();
    comm.barrier();

    send = comm.isend(sent, next, 4);
    while (!(message = comm.improbe(anyccl::any_source, 4))) {
    }
    room.assign(room.size(), -1);
    anyccl::request receive = message.irecv(room);
    std::optional<anyccl::message_status> told;
    while (!told)
        told = receive.test_message();
    CHECK(told->count == room.size() && room.back() == before && receive.has_ended());
    send.wait();
}

}  // namespace

int main()
{
    const auto world = anyccl::world::join();
    several(world);
    failures(world);
    matched(world);
}
