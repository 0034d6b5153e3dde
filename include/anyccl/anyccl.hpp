// anyccl in C++17 and later: anyccl.h with owners, element types and sizes that the compiler and the call
// check.
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
// Header only: it calls the C API, and what is said in anyccl.h holds here. What is different:
//
//   communicator   owns what anyccl_comm_create, split, dup ... give; communicator_ref borrows it. `world` is
//   the job. request        owns a started operation, and waits for it when it goes out of scope. buffers
//   are whatever has std::data and std::size, or a single element; `view` is made of a pointer and a count.
//                  The datatype follows from the element type: see datatype_of. Sizes must fit the call.
//   failures       are thrown as anyccl::error, which has the status and the sentence. With
//   ANYCCL_NO_EXCEPTIONS defined,
//                  or where the compiler has no exceptions, each call returns anyccl::result<T> instead, and a
//                  compiler that knows [[nodiscard]] says where nobody looks at it.
//   persistent     owns an operation that is prepared once and started often.
//   graph          says with whom a rank exchanges in neighbor_all_to_all_v.
//   made_op        owns an operator of the program's own.
//   store          is for programs whose launcher has one: derive from it, and create a communicator with it.
//   parts          say how many elements each rank has, where that differs.
//   batch          starts calls together.
//   allocator      is for containers in memory that other ranks read where it is.
//
// A communicator's calls are const: they may be made wherever anyccl.h allows it, from any thread. Objects of
// this header are otherwise as safe between threads as an int.
#ifndef ANYCCL_ANYCCL_HPP
#define ANYCCL_ANYCCL_HPP

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
