// Reductions of integers, bytes and bools.
//
// Sums, products and logical operators are the same for signed and unsigned integers: one entry serves both.
// Bitwise operators count bytes and serve every datatype.
#include "integers.h"
#include "reduce.h"

using namespace anyccl;

ANYCCL_KERNEL(anyccl_reduce_band_byte, ReduceArguments)
{
    reduce<BitwiseAnd<u32>, 4, BitwiseAnd<u8>>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_bor_byte, ReduceArguments)
{
    reduce<BitwiseOr<u32>, 4, BitwiseOr<u8>>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_bxor_byte, ReduceArguments)
{
    reduce<BitwiseXor<u32>, 4, BitwiseXor<u8>>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint8, ReduceArguments)
{
    reduce<IntegerSum<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint8, ReduceArguments)
{
    reduce<IntegerProduct<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint8, ReduceArguments)
{
    reduce<LogicalAnd<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint8, ReduceArguments)
{
    reduce<LogicalOr<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint8, ReduceArguments)
{
    reduce<LogicalXor<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint8, PremulSumArguments)
{
    reduce<IntegerPremulSum<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_int8, ReduceArguments)
{
    reduce<IntegerMin<i8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint8, ReduceArguments)
{
    reduce<IntegerMin<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_int8, ReduceArguments)
{
    reduce<IntegerMax<i8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint8, ReduceArguments)
{
    reduce<IntegerMax<u8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int8, ReduceArguments)
{
    reduce<IntegerAvg<i8>, 2>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint8, ReduceArguments)
{
    reduce<IntegerAvg<u8>, 2>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint16, ReduceArguments)
{
    reduce<IntegerSum<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint16, ReduceArguments)
{
    reduce<IntegerProduct<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint16, ReduceArguments)
{
    reduce<LogicalAnd<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint16, ReduceArguments)
{
    reduce<LogicalOr<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint16, ReduceArguments)
{
    reduce<LogicalXor<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint16, PremulSumArguments)
{
    reduce<IntegerPremulSum<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_int16, ReduceArguments)
{
    reduce<IntegerMin<i16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint16, ReduceArguments)
{
    reduce<IntegerMin<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_int16, ReduceArguments)
{
    reduce<IntegerMax<i16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint16, ReduceArguments)
{
    reduce<IntegerMax<u16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int16, ReduceArguments)
{
    reduce<IntegerAvg<i16>, 3>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint16, ReduceArguments)
{
    reduce<IntegerAvg<u16>, 3>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint32, ReduceArguments)
{
    reduce<IntegerSum<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint32, ReduceArguments)
{
    reduce<IntegerProduct<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint32, ReduceArguments)
{
    reduce<LogicalAnd<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint32, ReduceArguments)
{
    reduce<LogicalOr<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint32, ReduceArguments)
{
    reduce<LogicalXor<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint32, PremulSumArguments)
{
    reduce<IntegerPremulSum<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_int32, ReduceArguments)
{
    reduce<IntegerMin<i32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint32, ReduceArguments)
{
    reduce<IntegerMin<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_int32, ReduceArguments)
{
    reduce<IntegerMax<i32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint32, ReduceArguments)
{
    reduce<IntegerMax<u32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int32, ReduceArguments)
{
    reduce<IntegerAvg<i32>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint32, ReduceArguments)
{
    reduce<IntegerAvg<u32>, 4>(arguments);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint64, ReduceArguments)
{
    reduce<IntegerSum<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint64, ReduceArguments)
{
    reduce<IntegerProduct<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint64, ReduceArguments)
{
    reduce<LogicalAnd<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint64, ReduceArguments)
{
    reduce<LogicalOr<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint64, ReduceArguments)
{
    reduce<LogicalXor<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint64, PremulSumArguments)
{
    reduce<IntegerPremulSum<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_int64, ReduceArguments)
{
    reduce<IntegerMin<i64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint64, ReduceArguments)
{
    reduce<IntegerMin<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_int64, ReduceArguments)
{
    reduce<IntegerMax<i64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint64, ReduceArguments)
{
    reduce<IntegerMax<u64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int64, ReduceArguments)
{
    reduce<IntegerAvg<i64>, 4>(arguments);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint64, ReduceArguments)
{
    reduce<IntegerAvg<u64>, 4>(arguments);
}
