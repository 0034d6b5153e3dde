// anyccl in C++17 and later: the C interface with owners, element types, and sizes that are checked.
//
//     #include <anyccl/anyccl.hpp>
//
//     int main()
//     {
//         auto world = anyccl::world::join();
//         std::vector<float> gradients = compute(world.rank(), world.size());
//         world.all_reduce(gradients, anyccl::op::avg);
//     }
//
// Header only: it calls the C API, and the contracts of anyccl.h hold here. The differences:
//
// - `communicator` owns a communicator; `communicator_ref` borrows one. `world` is the communicator of the job.
// - `request` owns an operation that was started. It waits for the end when it goes out of scope.
// - `persistent` owns an operation that is prepared once and started often.
// - Buffers are anything that has std::data and std::size, or a single element. `view` is a pointer and a count.
//   The datatype follows from the element type: see `datatype_of`. Sizes must fit the call.
// - Failures are thrown as `error`, which has the status and the message. With ANYCCL_NO_EXCEPTIONS defined, or
//   in a compiler without exceptions, each call returns a `result<T>` instead. It is [[nodiscard]], so the
//   compiler warns where it is ignored.
// - `made_op` owns an operator of the program; `op` has the builtin ones.
// - `parts` gives counts and displacements of blocks of different lengths. `graph` owns the neighbors of a rank.
// - `store` is the base of a key/value store of the program, with which a communicator can be created.
// - `batch` starts calls together.
// - `allocator` gives containers memory that the other ranks of the host can read.
//
// The calls of a communicator are const: any thread may make them where anyccl.h allows it. Apart from that, the
// objects of this header are as safe between threads as an int.
#ifndef ANYCCL_ANYCCL_HPP
#define ANYCCL_ANYCCL_HPP

#if __cplusplus < 201703L
#error "anyccl.hpp needs C++17: compile with -std=c++17 or newer, or include anyccl/anyccl.h, the C interface"
#else

#include "anyccl/anyccl.h"
#include "anyccl/cpp/any_buffer.hpp"
#include "anyccl/cpp/batch.hpp"
#include "anyccl/cpp/coalesced.hpp"
#include "anyccl/cpp/collectives.hpp"
#include "anyccl/cpp/communicator.hpp"
#include "anyccl/cpp/config.hpp"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/lists.hpp"
#include "anyccl/cpp/memory.hpp"
#include "anyccl/cpp/message.hpp"
#include "anyccl/cpp/neighbors.hpp"
#include "anyccl/cpp/operators.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/parts.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/several.hpp"
#include "anyccl/cpp/store.hpp"
#include "anyccl/cpp/unequal.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/world.hpp"

#undef ANYCCL_CPP_MODE
#undef ANYCCL_CPP_THROWS

#endif

#endif
