// Reductions of real and complex floats.
//
// Sums and averages of complex numbers are those of twice as many real ones.
#include "floats.h"
#include "reduce.h"

using namespace anyccl;

ANYCCL_KERNEL(anyccl_reduce_sum_float16, ReduceArguments)
{
    reduce<Sum<Float16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_float16, ReduceArguments)
{
    reduce<Product<Float16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_float16, ReduceArguments)
{
    reduce<Min<Float16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_float16, ReduceArguments)
{
    reduce<Max<Float16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float16, ReduceArguments)
{
    reduce<Avg<Float16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float16, PremulSumArguments)
{
    reduce<PremulSum<Float16>, 3>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_bfloat16, ReduceArguments)
{
    reduce<Sum<Bfloat16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_bfloat16, ReduceArguments)
{
    reduce<Product<Bfloat16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_bfloat16, ReduceArguments)
{
    reduce<Min<Bfloat16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_bfloat16, ReduceArguments)
{
    reduce<Max<Bfloat16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_bfloat16, ReduceArguments)
{
    reduce<Avg<Bfloat16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_bfloat16, PremulSumArguments)
{
    reduce<PremulSum<Bfloat16>, 3>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float32, ReduceArguments)
{
    reduce<Sum<Float32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_float32, ReduceArguments)
{
    reduce<Product<Float32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_float32, ReduceArguments)
{
    reduce<Min<Float32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_float32, ReduceArguments)
{
    reduce<Max<Float32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float32, ReduceArguments)
{
    reduce<Avg<Float32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float32, PremulSumArguments)
{
    reduce<PremulSum<Float32>, 4>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float64, ReduceArguments)
{
    reduce<Sum<Float64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_float64, ReduceArguments)
{
    reduce<Product<Float64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_float64, ReduceArguments)
{
    reduce<Min<Float64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_float64, ReduceArguments)
{
    reduce<Max<Float64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float64, ReduceArguments)
{
    reduce<Avg<Float64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float64, PremulSumArguments)
{
    reduce<PremulSum<Float64>, 4>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float8_e4m3, ReduceArguments)
{
    reduce<Sum<Float8E4m3>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_float8_e4m3, ReduceArguments)
{
    reduce<Product<Float8E4m3>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_float8_e4m3, ReduceArguments)
{
    reduce<Min<Float8E4m3>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_float8_e4m3, ReduceArguments)
{
    reduce<Max<Float8E4m3>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float8_e4m3, ReduceArguments)
{
    reduce<Avg<Float8E4m3>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float8_e4m3, PremulSumArguments)
{
    reduce<PremulSum<Float8E4m3>, 2>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float8_e5m2, ReduceArguments)
{
    reduce<Sum<Float8E5m2>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_float8_e5m2, ReduceArguments)
{
    reduce<Product<Float8E5m2>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_float8_e5m2, ReduceArguments)
{
    reduce<Min<Float8E5m2>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_float8_e5m2, ReduceArguments)
{
    reduce<Max<Float8E5m2>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float8_e5m2, ReduceArguments)
{
    reduce<Avg<Float8E5m2>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float8_e5m2, PremulSumArguments)
{
    reduce<PremulSum<Float8E5m2>, 2>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_product_complex64, ReduceArguments)
{
    reduce<ComplexProduct<Float32>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_complex64, PremulSumArguments)
{
    reduce<ComplexPremulSum<Float32>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_complex128, ReduceArguments)
{
    reduce<ComplexProduct<Float64>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_complex128, PremulSumArguments)
{
    reduce<ComplexPremulSum<Float64>, 3>(arguments);
}
