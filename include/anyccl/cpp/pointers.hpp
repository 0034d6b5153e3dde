// Ranges of buffers, as the arrays that the C API takes. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_POINTERS_HPP
#define ANYCCL_CPP_POINTERS_HPP

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// Address and length of each buffer of a range. `Pointer` is const void* or void*.
template <class Pointer>
class pointers {
public:
    template <class Buffers>
    static pointers read(const Buffers& buffers)
    {
        pointers all;
        for (const auto& buffer : buffers)
            all.add(elements(buffer));
        return all;
    }
    template <class Buffers>
    static pointers written_to(Buffers& buffers)
    {
        pointers all;
        for (auto& buffer : buffers)
            all.add(written(buffer));
        return all;
    }

    std::size_t size() const noexcept { return counts_.size(); }
    const Pointer* data() const noexcept { return starts_.data(); }
    const std::size_t* counts() const noexcept { return counts_.data(); }
    std::size_t count(std::size_t index) const noexcept { return counts_[index]; }

private:
    template <class Elements>
    void add(const Elements& buffer)
    {
        starts_.push_back(buffer.data());
        counts_.push_back(buffer.size());
    }

    std::vector<Pointer> starts_;
    std::vector<std::size_t> counts_;
};

// Element type of the buffers of a range.
template <class Buffers>
using elements_of_each = decltype(elements(*std::begin(std::declval<Buffers&>())));

// Refuses the call unless buffer `index` of a list has the required number of elements.
inline void each_holds(call& checked, const char* list, std::size_t index, std::size_t has, std::size_t needs,
                       const char* rule)
{
    if (has != needs)
        checked.holds((std::string(list) + "[" + std::to_string(index) + "]").c_str(), has, needs, rule);
}

// Refuses the call unless a list has the required number of buffers.
inline bool has_length(call& checked, const char* list, std::size_t has, std::size_t needs, const char* rule)
{
    if (has == needs)
        return true;
    checked.holds((std::string("the list ") + list).c_str(), has, needs, rule);
    return false;
}

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
