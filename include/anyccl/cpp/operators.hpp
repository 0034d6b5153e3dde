// Operators of the program. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_OPERATORS_HPP
#define ANYCCL_CPP_OPERATORS_HPP

#include <utility>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// An operator of the program. Calls accept it like one of enum op. It must live while it is in use.
class made_op {
public:
    // Makes an operator from a function; anyccl_reduce_function_t says what the function may do. If it does
    // not commute, contributions are combined in the order of the ranks.
    static outcome<made_op> of(anyccl_reduce_function_t function, void* context = nullptr, bool commutative = true)
    {
        return make([&](anyccl_reduce_op_t* op) { return anyccl_op_create(function, context, commutative, op); });
    }

    // Multiplies the contribution of this rank by `scalar`, then sums.
    template <class T>
    static outcome<made_op> premul_sum(const T& scalar)
    {
        return make([&](anyccl_reduce_op_t* op) {
            return anyccl_op_create_premul_sum(&scalar, datatype_of<T>::value, ANYCCL_SCALAR_IMMEDIATE, op);
        });
    }
    // Multiplies by the value that `scalar` has at the beginning of each call, then sums. `scalar` must live
    // as long as the operator.
    template <class T>
    static outcome<made_op> premul_sum_of(const T* scalar)
    {
        return make([&](anyccl_reduce_op_t* op) {
            return anyccl_op_create_premul_sum(scalar, datatype_of<T>::value, ANYCCL_SCALAR_DEFERRED, op);
        });
    }

    made_op(made_op&& other) noexcept : op_(std::exchange(other.op_, none)) {}
    made_op& operator=(made_op&& other) noexcept
    {
        made_op taken(std::move(other));
        std::swap(op_, taken.op_);
        return *this;
    }
    made_op(const made_op&) = delete;
    made_op& operator=(const made_op&) = delete;
    ~made_op()
    {
        if (op_ != none)
            (void)anyccl_op_destroy(op_);
    }

    operator op() const noexcept { return static_cast<op>(op_); }

private:
    static constexpr auto none = static_cast<anyccl_reduce_op_t>(-1);

    explicit made_op(anyccl_reduce_op_t made) noexcept : op_(made) {}

    template <class Make>
    static outcome<made_op> make(Make function)
    {
        anyccl_reduce_op_t made = none;
        return detail::call("made_op").get([&] { return function(&made); }, [&] { return made_op(made); });
    }

    anyccl_reduce_op_t op_ = none;
};

// Whether an operator accepts elements of type T.
template <class T>
bool is_supported(op op) noexcept
{
    int supported = 0;
    return anyccl_is_supported(detail::to_c(op), datatype_of<T>::value, &supported) == ANYCCL_SUCCESS && supported != 0;
}

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
