/* torch.ops.example.exchange: a custom operator that calls anyccl on tensors.
 *
 *     rank 0  x = a0 a1          rank 0  exchange(x) = a0 b0
 *     rank 1  x = b0 b1    =>    rank 1  exchange(x) = a1 b1
 *
 * setup.py builds it, and exchange.py uses it. The program joins the job, here by anyccl.Communicator.world()
 * in Python; the operator uses the same library, and so the same world. */
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <anyccl/anyccl.h>
#include <torch/library.h>

namespace {

void check(anyccl_status_t status)
{
    TORCH_CHECK(status == ANYCCL_SUCCESS, anyccl_last_error());
}

anyccl_datatype_t datatype_of(const at::Tensor &tensor)
{
    switch (tensor.scalar_type()) {
    case at::kFloat:
        return ANYCCL_FLOAT32;
    case at::kDouble:
        return ANYCCL_FLOAT64;
    case at::kBFloat16:
        return ANYCCL_BFLOAT16;
    case at::kLong:
        return ANYCCL_INT64;
    default:
        TORCH_CHECK(false, "exchange: tensors of ", tensor.scalar_type(), " are not sent by this example");
    }
}

/* Sends block k of the rows to rank k. The received blocks lie in the order of the ranks. */
at::Tensor exchange(const at::Tensor &x)
{
    int size = 0;
    check(anyccl_world_size(&size));
    TORCH_CHECK(x.dim() > 0 && x.size(0) % size == 0, "exchange: ", x.sizes(), " has no ", size, " blocks of rows");
    const at::Tensor send = x.contiguous();
    at::Tensor recv = at::empty_like(send);
    check(anyccl_all_to_all(send.const_data_ptr(), recv.mutable_data_ptr(), static_cast<size_t>(send.numel() / size),
                            datatype_of(send), ANYCCL_WORLD));
    return recv;
}

}  // namespace

TORCH_LIBRARY(example, library)
{
    library.def("exchange(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(example, CPU, library)
{
    library.impl("exchange", exchange);
}
