// Reductions of real and complex floats.
//
// Sums and averages of complex numbers are those of twice as many real ones.
//
// A table of a premultiplied sum is PremulSumArguments, every other one is ReduceArguments.
#include "floats.h"
#include "reduce.h"

using namespace anyccl;

ANYCCL_KERNEL(anyccl_reduce_sum_float16, TableArgument)
{
    reduce<Sum<Float16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_float16, TableArgument)
{
    reduce<Product<Float16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_float16, TableArgument)
{
    reduce<Min<Float16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_float16, TableArgument)
{
    reduce<Max<Float16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float16, TableArgument)
{
    reduce<Avg<Float16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float16, TableArgument)
{
    reduce<PremulSum<Float16>, 3>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_bfloat16, TableArgument)
{
    reduce<Sum<Bfloat16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_bfloat16, TableArgument)
{
    reduce<Product<Bfloat16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_bfloat16, TableArgument)
{
    reduce<Min<Bfloat16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_bfloat16, TableArgument)
{
    reduce<Max<Bfloat16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_bfloat16, TableArgument)
{
    reduce<Avg<Bfloat16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_bfloat16, TableArgument)
{
    reduce<PremulSum<Bfloat16>, 3>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float32, TableArgument)
{
    reduce<Sum<Float32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_float32, TableArgument)
{
    reduce<Product<Float32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_float32, TableArgument)
{
    reduce<Min<Float32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_float32, TableArgument)
{
    reduce<Max<Float32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float32, TableArgument)
{
    reduce<Avg<Float32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float32, TableArgument)
{
    reduce<PremulSum<Float32>, 4>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float64, TableArgument)
{
    reduce<Sum<Float64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_float64, TableArgument)
{
    reduce<Product<Float64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_float64, TableArgument)
{
    reduce<Min<Float64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_float64, TableArgument)
{
    reduce<Max<Float64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float64, TableArgument)
{
    reduce<Avg<Float64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float64, TableArgument)
{
    reduce<PremulSum<Float64>, 4>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float8_e4m3, TableArgument)
{
    reduce<Sum<Float8E4m3>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_float8_e4m3, TableArgument)
{
    reduce<Product<Float8E4m3>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_float8_e4m3, TableArgument)
{
    reduce<Min<Float8E4m3>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_float8_e4m3, TableArgument)
{
    reduce<Max<Float8E4m3>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float8_e4m3, TableArgument)
{
    reduce<Avg<Float8E4m3>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float8_e4m3, TableArgument)
{
    reduce<PremulSum<Float8E4m3>, 2>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_float8_e5m2, TableArgument)
{
    reduce<Sum<Float8E5m2>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_float8_e5m2, TableArgument)
{
    reduce<Product<Float8E5m2>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_float8_e5m2, TableArgument)
{
    reduce<Min<Float8E5m2>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_float8_e5m2, TableArgument)
{
    reduce<Max<Float8E5m2>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_float8_e5m2, TableArgument)
{
    reduce<Avg<Float8E5m2>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_float8_e5m2, TableArgument)
{
    reduce<PremulSum<Float8E5m2>, 2>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_product_complex64, TableArgument)
{
    reduce<ComplexProduct<Float32>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_complex64, TableArgument)
{
    reduce<ComplexPremulSum<Float32>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_complex128, TableArgument)
{
    reduce<ComplexProduct<Float64>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_complex128, TableArgument)
{
    reduce<ComplexPremulSum<Float64>, 3>(arguments.table);
}
