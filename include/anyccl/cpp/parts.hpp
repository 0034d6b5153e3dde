// Offsets of the blocks of a buffer. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_PARTS_HPP
#define ANYCCL_CPP_PARTS_HPP

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// Counts and offsets of the blocks of all ranks in a buffer. It refers to the numbers, which must live during
// the call.
class parts {
public:
    // Blocks that lie one after the other in the order of the ranks: `counts[r]` elements of rank r.
    parts(view<const std::size_t> counts) noexcept : counts_(counts) {}
    // Blocks that begin at element `displs[r]`.
    parts(view<const std::size_t> counts, view<const std::size_t> displs) noexcept : counts_(counts), displs_(displs) {}
    template <class Counts, class = std::enable_if_t<std::is_convertible_v<const Counts&, view<const std::size_t>>>>
    parts(const Counts& counts) noexcept : counts_(counts)
    {
    }

    view<const std::size_t> counts() const noexcept { return counts_; }
    const std::size_t* displs() const noexcept { return displs_.empty() ? nullptr : displs_.data(); }
    bool has_displs() const noexcept { return !displs_.empty(); }
    std::size_t displs_size() const noexcept { return displs_.size(); }

    // Number of elements that a buffer must have for all blocks.
    std::size_t extent() const noexcept
    {
        std::size_t end = 0;
        for (std::size_t rank = 0; rank < counts_.size(); rank++) {
            const std::size_t first = displs_.empty() ? end : displs_[rank];
            end = std::max(end, first + counts_[rank]);
        }
        return end;
    }

private:
    view<const std::size_t> counts_;
    view<const std::size_t> displs_;
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
