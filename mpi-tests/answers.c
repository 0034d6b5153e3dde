/* Tests of the numbers of an ABI: what the library returns about predefined datatypes, operators, error classes,
 * combiners, orders and distributions. They find a library that translates the numbers of its ABI wrongly.
 */
#include "common/report.h"

#define TYPE(type) {#type, type}

static const char *combiner_name(int combiner)
{
    static const struct {
        int combiner;
        const char *name;
    } names[] = {
        {MPI_COMBINER_NAMED, "named"},
        {MPI_COMBINER_DUP, "dup"},
        {MPI_COMBINER_CONTIGUOUS, "contiguous"},
        {MPI_COMBINER_VECTOR, "vector"},
        {MPI_COMBINER_HVECTOR, "hvector"},
        {MPI_COMBINER_INDEXED, "indexed"},
        {MPI_COMBINER_HINDEXED, "hindexed"},
        {MPI_COMBINER_INDEXED_BLOCK, "indexed_block"},
        {MPI_COMBINER_HINDEXED_BLOCK, "hindexed_block"},
        {MPI_COMBINER_STRUCT, "struct"},
        {MPI_COMBINER_SUBARRAY, "subarray"},
        {MPI_COMBINER_DARRAY, "darray"},
        {MPI_COMBINER_RESIZED, "resized"},
        {MPI_COMBINER_F90_REAL, "f90_real"},
        {MPI_COMBINER_F90_COMPLEX, "f90_complex"},
        {MPI_COMBINER_F90_INTEGER, "f90_integer"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].combiner == combiner) {
            return names[i].name;
        }
    }
    return "no combiner";
}

static void types(void)
{
    static const struct {
        const char *name;
        MPI_Datatype type;
    } all[] = {TYPE(MPI_CHAR),
               TYPE(MPI_SIGNED_CHAR),
               TYPE(MPI_UNSIGNED_CHAR),
               TYPE(MPI_BYTE),
               TYPE(MPI_WCHAR),
               TYPE(MPI_SHORT),
               TYPE(MPI_UNSIGNED_SHORT),
               TYPE(MPI_INT),
               TYPE(MPI_UNSIGNED),
               TYPE(MPI_LONG),
               TYPE(MPI_UNSIGNED_LONG),
               TYPE(MPI_FLOAT),
               TYPE(MPI_DOUBLE),
               TYPE(MPI_LONG_DOUBLE),
               TYPE(MPI_UNSIGNED_LONG_LONG),
               TYPE(MPI_INT8_T),
               TYPE(MPI_INT16_T),
               TYPE(MPI_INT32_T),
               TYPE(MPI_INT64_T),
               TYPE(MPI_UINT8_T),
               TYPE(MPI_UINT16_T),
               TYPE(MPI_UINT32_T),
               TYPE(MPI_UINT64_T),
               TYPE(MPI_C_BOOL),
               TYPE(MPI_C_DOUBLE_COMPLEX),
               TYPE(MPI_C_LONG_DOUBLE_COMPLEX),
               TYPE(MPI_AINT),
               TYPE(MPI_OFFSET),
               TYPE(MPI_COUNT),
               TYPE(MPI_PACKED),
               TYPE(MPI_FLOAT_INT),
               TYPE(MPI_DOUBLE_INT),
               TYPE(MPI_LONG_INT),
               TYPE(MPI_SHORT_INT),
               TYPE(MPI_2INT),
               TYPE(MPI_LONG_DOUBLE_INT),
               TYPE(MPI_LONG_LONG_INT),
               TYPE(MPI_C_FLOAT_COMPLEX)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int bytes, integers, addresses, datatypes, combiner, length;
        MPI_Aint lower, extent, true_lower, true_extent;
        char name[MPI_MAX_OBJECT_NAME];
        CALL(MPI_Type_size(all[i].type, &bytes));
        CALL(MPI_Type_get_extent(all[i].type, &lower, &extent));
        CALL(MPI_Type_get_true_extent(all[i].type, &true_lower, &true_extent));
        CALL(MPI_Type_get_envelope(all[i].type, &integers, &addresses, &datatypes, &combiner));
        CALL(MPI_Type_get_name(all[i].type, name, &length));
        /* The last one has a synonym, and a library may return that. */
        CHECK(i >= sizeof all / sizeof *all - 1 || strcmp(name, all[i].name) == 0);
        say("%s: %d bytes, extent %d, true %d, %s", all[i].name, bytes, (int)extent, (int)true_extent,
            combiner_name(combiner));
        CHECK(lower == 0 && true_lower == 0 && integers == 0 && addresses == 0 && datatypes == 0);
    }
    static const int classes[] = {MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL, MPI_TYPECLASS_COMPLEX};
    MPI_Datatype type;
    for (int c = 0; c < 3; c++) {
        for (int bytes = 1; bytes <= 16; bytes *= 2) {
            int got = -1, code = MPI_Type_match_size(classes[c], bytes, &type);
            /* A library need not have a Fortran type of each size. */
            if (code == MPI_SUCCESS) {
                CALL(MPI_Type_size(type, &got));
                CHECK(got == bytes);
            }
        }
    }
}

static void operators(void)
{
    static const struct {
        const char *name;
        MPI_Op op;
    } all[] = {TYPE(MPI_SUM),  TYPE(MPI_PROD), TYPE(MPI_MAX), TYPE(MPI_MIN),  TYPE(MPI_LAND),   TYPE(MPI_LOR),
               TYPE(MPI_LXOR), TYPE(MPI_BAND), TYPE(MPI_BOR), TYPE(MPI_BXOR), TYPE(MPI_MINLOC), TYPE(MPI_MAXLOC)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int commutes = -1;
        CALL(MPI_Op_commutative(all[i].op, &commutes));
        say("%s commutes: %d", all[i].name, commutes);
    }
}

static void classes(void)
{
    static const struct {
        const char *name;
        int code;
    } all[] = {TYPE(MPI_SUCCESS),
               TYPE(MPI_ERR_BUFFER),
               TYPE(MPI_ERR_COUNT),
               TYPE(MPI_ERR_TYPE),
               TYPE(MPI_ERR_TAG),
               TYPE(MPI_ERR_COMM),
               TYPE(MPI_ERR_RANK),
               TYPE(MPI_ERR_ROOT),
               TYPE(MPI_ERR_GROUP),
               TYPE(MPI_ERR_OP),
               TYPE(MPI_ERR_TOPOLOGY),
               TYPE(MPI_ERR_DIMS),
               TYPE(MPI_ERR_ARG),
               TYPE(MPI_ERR_UNKNOWN),
               TYPE(MPI_ERR_TRUNCATE),
               TYPE(MPI_ERR_OTHER),
               TYPE(MPI_ERR_INTERN),
               TYPE(MPI_ERR_IN_STATUS),
               TYPE(MPI_ERR_PENDING),
               TYPE(MPI_ERR_REQUEST),
               TYPE(MPI_ERR_ACCESS),
               TYPE(MPI_ERR_AMODE),
               TYPE(MPI_ERR_BAD_FILE),
               TYPE(MPI_ERR_CONVERSION),
               TYPE(MPI_ERR_DUP_DATAREP),
               TYPE(MPI_ERR_FILE_EXISTS),
               TYPE(MPI_ERR_FILE_IN_USE),
               TYPE(MPI_ERR_FILE),
               TYPE(MPI_ERR_IO),
               TYPE(MPI_ERR_NO_SPACE),
               TYPE(MPI_ERR_NO_SUCH_FILE),
               TYPE(MPI_ERR_READ_ONLY),
               TYPE(MPI_ERR_UNSUPPORTED_DATAREP),
               TYPE(MPI_ERR_UNSUPPORTED_OPERATION),
               TYPE(MPI_ERR_INFO),
               TYPE(MPI_ERR_INFO_KEY),
               TYPE(MPI_ERR_INFO_VALUE),
               TYPE(MPI_ERR_INFO_NOKEY),
               TYPE(MPI_ERR_NAME),
               TYPE(MPI_ERR_NO_MEM),
               TYPE(MPI_ERR_NOT_SAME),
               TYPE(MPI_ERR_PORT),
               TYPE(MPI_ERR_QUOTA),
               TYPE(MPI_ERR_SERVICE),
               TYPE(MPI_ERR_SPAWN),
               TYPE(MPI_ERR_WIN),
               TYPE(MPI_ERR_BASE),
               TYPE(MPI_ERR_LOCKTYPE),
               TYPE(MPI_ERR_KEYVAL),
               TYPE(MPI_ERR_RMA_CONFLICT),
               TYPE(MPI_ERR_RMA_SYNC),
               TYPE(MPI_ERR_SIZE),
               TYPE(MPI_ERR_DISP),
               TYPE(MPI_ERR_ASSERT),
               TYPE(MPI_ERR_RMA_RANGE),
               TYPE(MPI_ERR_RMA_ATTACH),
               TYPE(MPI_ERR_RMA_SHARED),
               TYPE(MPI_ERR_RMA_FLAVOR)};
    int good = 0, n = (int)(sizeof all / sizeof *all);
    for (int i = 0; i < n; i++) {
        int class_ = -1, length = 0;
        char text[MPI_MAX_ERROR_STRING];
        CALL(MPI_Error_class(all[i].code, &class_));
        CALL(MPI_Error_string(all[i].code, text, &length));
        CHECK(length > 0 && length == (int)strlen(text));
        if (class_ != all[i].code) {
            say("%s is of another class", all[i].name);
        }
        good += class_ == all[i].code;
    }
    say("error classes: %d of %d", good, n);
}

/* Prints the combiner of a type, with the integers, addresses and types that it was made of. Frees the type. */
static void show(const char *what, MPI_Datatype *type)
{
    int n[3], combiner, integers[32];
    MPI_Aint addresses[32];
    MPI_Datatype types[32];
    char text[512] = "";
    CALL(MPI_Type_get_envelope(*type, &n[0], &n[1], &n[2], &combiner));
    CALL(MPI_Type_get_contents(*type, n[0], n[1], n[2], integers, addresses, types));
    /* Where the numbers of a darray are: size, rank, dimensions, then four of each, and the order. */
    const int ndims = combiner == MPI_COMBINER_DARRAY ? integers[2] : 0;
    const int has_order = combiner == MPI_COMBINER_DARRAY || combiner == MPI_COMBINER_SUBARRAY;
    for (int i = 0; i < n[0]; i++) {
        const int is_order = has_order && i == n[0] - 1;
        const int is_distribution = i >= 3 + ndims && i < 3 + 2 * ndims,
                  is_argument = i >= 3 + 2 * ndims && i < 3 + 3 * ndims;
        const char *name = is_order && integers[i] == MPI_ORDER_C                    ? "C"
                           : is_order && integers[i] == MPI_ORDER_FORTRAN            ? "Fortran"
                           : is_distribution && integers[i] == MPI_DISTRIBUTE_BLOCK  ? "block"
                           : is_distribution && integers[i] == MPI_DISTRIBUTE_CYCLIC ? "cyclic"
                           : is_distribution && integers[i] == MPI_DISTRIBUTE_NONE   ? "none"
                           : is_argument && integers[i] == MPI_DISTRIBUTE_DFLT_DARG  ? "default"
                                                                                     : NULL;
        if (name) {
            sprintf(text + strlen(text), " %s", name);
        } else {
            sprintf(text + strlen(text), " %d", integers[i]);
        }
    }
    strcat(text, ";");
    for (int i = 0; i < n[1]; i++) {
        sprintf(text + strlen(text), " %d", (int)addresses[i]);
    }
    strcat(text, ";");
    for (int i = 0; i < n[2]; i++) {
        int a, b, c, of;
        char name[MPI_MAX_OBJECT_NAME];
        CALL(MPI_Type_get_envelope(types[i], &a, &b, &c, &of));
        CALL(MPI_Type_get_name(types[i], name, &a));
        sprintf(text + strlen(text), " %s", of == MPI_COMBINER_NAMED ? name : combiner_name(of));
        if (of != MPI_COMBINER_NAMED) {
            /* MPI_Type_get_contents returns new handles, which the caller frees. */
            CALL(MPI_Type_free(&types[i]));
        }
    }
    say("%s is %s:%s", what, combiner_name(combiner), text);
    CALL(MPI_Type_free(type));
}

static void contents(void)
{
    MPI_Datatype type, inner, parts[] = {MPI_INT, MPI_DOUBLE};
    int lengths[] = {2, 3}, places[] = {4, 0}, sizes[] = {50, 60}, sub[] = {2, 3}, from[] = {1, 2};
    int how[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, args[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, procs[] = {2, 3};
    MPI_Aint far[] = {100, 0};
    CALL(MPI_Type_dup(MPI_INT, &type));
    show("dup", &type);
    CALL(MPI_Type_contiguous(3, MPI_INT, &type));
    show("contiguous", &type);
    CALL(MPI_Type_vector(3, 2, 5, MPI_INT, &type));
    show("vector", &type);
    CALL(MPI_Type_create_hvector(3, 2, 50, MPI_INT, &type));
    show("hvector", &type);
    CALL(MPI_Type_indexed(2, lengths, places, MPI_INT, &type));
    show("indexed", &type);
    CALL(MPI_Type_create_hindexed(2, lengths, far, MPI_INT, &type));
    show("hindexed", &type);
    CALL(MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type));
    show("indexed_block", &type);
    CALL(MPI_Type_create_hindexed_block(2, 2, far, MPI_INT, &type));
    show("hindexed_block", &type);
    CALL(MPI_Type_create_struct(2, lengths, far, parts, &type));
    show("struct", &type);
    CALL(MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_C, MPI_INT, &type));
    show("subarray", &type);
    CALL(MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_FORTRAN, MPI_INT, &type));
    show("subarray", &type);
    CALL(MPI_Type_create_darray(6, 2, 2, sizes, how, args, procs, MPI_ORDER_C, MPI_INT, &type));
    show("darray", &type);
    CALL(MPI_Type_create_resized(MPI_INT, -4, 40, &type));
    show("resized", &type);
    CALL(MPI_Type_vector(3, 2, 5, MPI_INT, &inner));
    CALL(MPI_Type_contiguous(2, inner, &type));
    CALL(MPI_Type_free(&inner));
    show("contiguous of a freed vector", &type);
}

/* Prints bytes of the portable representation, external32, and converts them back. */
static void external(void)
{
    unsigned char bytes[64];
    int values[] = {1, -2}, got[2], length = 0;
    double number = 1.5, back = 0;
    short little = 258;
    MPI_Aint room, position = 0;
    char text[200] = "";
    CALL(MPI_Pack_external_size("external32", 2, MPI_INT, &room));
    say("external size of two ints: %d", (int)room);
    CALL(MPI_Pack_external("external32", values, 2, MPI_INT, bytes, 64, &position));
    CALL(MPI_Pack_external("external32", &number, 1, MPI_DOUBLE, bytes, 64, &position));
    CALL(MPI_Pack_external("external32", &little, 1, MPI_SHORT, bytes, 64, &position));
    length = (int)position;
    for (int i = 0; i < length; i++) {
        sprintf(text + strlen(text), " %02x", bytes[i]);
    }
    say("external:%s", text);
    position = 0;
    CALL(MPI_Unpack_external("external32", bytes, length, &position, got, 2, MPI_INT));
    CALL(MPI_Unpack_external("external32", bytes, length, &position, &back, 1, MPI_DOUBLE));
    CALL(MPI_Unpack_external("external32", bytes, length, &position, &little, 1, MPI_SHORT));
    say("back: %d %d %.1f %d", got[0], got[1], back, little);
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    types();
    operators();
    classes();
    contents();
    external();
    return report_end();
}
