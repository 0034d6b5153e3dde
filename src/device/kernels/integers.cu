// Reductions of integers, bytes and bools.
//
// Sums, products and logical operators are the same for signed and unsigned integers: one entry serves both.
// Bitwise operators count bytes and serve every datatype.
//
// A table of a premultiplied sum is PremulSumArguments, every other one is ReduceArguments.
#include "integers.h"
#include "reduce.h"

using namespace anyccl;

ANYCCL_KERNEL(anyccl_reduce_band_byte, TableArgument)
{
    reduce<BitwiseAnd<u32>, 4, BitwiseAnd<u8>>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_bor_byte, TableArgument)
{
    reduce<BitwiseOr<u32>, 4, BitwiseOr<u8>>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_bxor_byte, TableArgument)
{
    reduce<BitwiseXor<u32>, 4, BitwiseXor<u8>>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint8, TableArgument)
{
    reduce<IntegerSum<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint8, TableArgument)
{
    reduce<IntegerProduct<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint8, TableArgument)
{
    reduce<LogicalAnd<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint8, TableArgument)
{
    reduce<LogicalOr<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint8, TableArgument)
{
    reduce<LogicalXor<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint8, TableArgument)
{
    reduce<IntegerPremulSum<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_int8, TableArgument)
{
    reduce<IntegerMin<i8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint8, TableArgument)
{
    reduce<IntegerMin<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_int8, TableArgument)
{
    reduce<IntegerMax<i8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint8, TableArgument)
{
    reduce<IntegerMax<u8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int8, TableArgument)
{
    reduce<IntegerAvg<i8>, 2>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint8, TableArgument)
{
    reduce<IntegerAvg<u8>, 2>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint16, TableArgument)
{
    reduce<IntegerSum<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint16, TableArgument)
{
    reduce<IntegerProduct<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint16, TableArgument)
{
    reduce<LogicalAnd<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint16, TableArgument)
{
    reduce<LogicalOr<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint16, TableArgument)
{
    reduce<LogicalXor<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint16, TableArgument)
{
    reduce<IntegerPremulSum<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_int16, TableArgument)
{
    reduce<IntegerMin<i16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint16, TableArgument)
{
    reduce<IntegerMin<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_int16, TableArgument)
{
    reduce<IntegerMax<i16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint16, TableArgument)
{
    reduce<IntegerMax<u16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int16, TableArgument)
{
    reduce<IntegerAvg<i16>, 3>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint16, TableArgument)
{
    reduce<IntegerAvg<u16>, 3>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint32, TableArgument)
{
    reduce<IntegerSum<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint32, TableArgument)
{
    reduce<IntegerProduct<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint32, TableArgument)
{
    reduce<LogicalAnd<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint32, TableArgument)
{
    reduce<LogicalOr<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint32, TableArgument)
{
    reduce<LogicalXor<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint32, TableArgument)
{
    reduce<IntegerPremulSum<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_int32, TableArgument)
{
    reduce<IntegerMin<i32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint32, TableArgument)
{
    reduce<IntegerMin<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_int32, TableArgument)
{
    reduce<IntegerMax<i32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint32, TableArgument)
{
    reduce<IntegerMax<u32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int32, TableArgument)
{
    reduce<IntegerAvg<i32>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint32, TableArgument)
{
    reduce<IntegerAvg<u32>, 4>(arguments.table);
}

ANYCCL_KERNEL(anyccl_reduce_sum_uint64, TableArgument)
{
    reduce<IntegerSum<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_product_uint64, TableArgument)
{
    reduce<IntegerProduct<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_land_uint64, TableArgument)
{
    reduce<LogicalAnd<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lor_uint64, TableArgument)
{
    reduce<LogicalOr<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_lxor_uint64, TableArgument)
{
    reduce<LogicalXor<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_premul_sum_uint64, TableArgument)
{
    reduce<IntegerPremulSum<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_int64, TableArgument)
{
    reduce<IntegerMin<i64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_min_uint64, TableArgument)
{
    reduce<IntegerMin<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_int64, TableArgument)
{
    reduce<IntegerMax<i64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_max_uint64, TableArgument)
{
    reduce<IntegerMax<u64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_int64, TableArgument)
{
    reduce<IntegerAvg<i64>, 4>(arguments.table);
}
ANYCCL_KERNEL(anyccl_reduce_avg_uint64, TableArgument)
{
    reduce<IntegerAvg<u64>, 4>(arguments.table);
}
