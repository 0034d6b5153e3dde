// A test of both modes of anyccl.hpp in one program. This half throws exceptions.
#include <anyccl/anyccl.hpp>

#if defined(ANYCCL_CPP_MODE) || defined(ANYCCL_CPP_THROWS)
#error "the header leaves macros behind"
#endif

#include <cstdint>

#include "check.h"

// Makes a call that is refused and returns its status. Defined in the other half, cpp_modes_answer.cpp.
anyccl_status_t answer(anyccl_comm_t comm);

namespace {

// An element type that the program defines.
struct half {
    std::uint16_t bits;
};

}  // namespace

template <>
struct anyccl::datatype_of<half> : anyccl::is_datatype<ANYCCL_FLOAT16> {};

static_assert(anyccl::datatype_of<char>::value == (static_cast<char>(-1) < 0 ? ANYCCL_INT8 : ANYCCL_UINT8));
static_assert(anyccl::datatype_of<long>::value == (sizeof(long) == 8 ? ANYCCL_INT64 : ANYCCL_INT32));
static_assert(anyccl::datatype_of<long long>::value == ANYCCL_INT64);
static_assert(anyccl::datatype_of<std::uint8_t>::value == ANYCCL_UINT8);
static_assert(anyccl::datatype_of<std::int16_t>::value == ANYCCL_INT16);
static_assert(anyccl::datatype_of<bool>::value == ANYCCL_BOOL);
static_assert(anyccl::datatype_of<std::byte>::value == ANYCCL_BYTE);
static_assert(anyccl::datatype_of<std::complex<double>>::value == ANYCCL_COMPLEX128);
static_assert(sizeof(anyccl::request) == sizeof(anyccl_request_t));

int main()
{
    const anyccl::world world = anyccl::world::join();
    half one[2] = {{0x3c00}, {0x4000}};
    world.all_reduce(one, anyccl::op::sum);
    CHECK(one[0].bits == 0x3c00 && one[1].bits == 0x4000);

    std::vector<int> two(2), three(3);
    try {
        world.all_reduce(two, three, anyccl::op::sum);
        CHECK(false && "must throw");
    } catch (const anyccl::error& error) {
        CHECK(error.status() == ANYCCL_ERR_INVALID_ARGUMENT);
    }
    CHECK(answer(world.handle()) == ANYCCL_ERR_INVALID_ARGUMENT);
    return 0;
}
