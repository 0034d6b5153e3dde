// A C++ program that includes the header first and alone: the header must need nothing before it.
#include <anyccl/anyccl.h>

#include <cstdio>
#include <cstring>

int main()
{
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.timeout_ms = ANYCCL_TIMEOUT_NEVER;
    const anyccl_comm_t world = ANYCCL_WORLD;

    int supported = 0;
    const anyccl_status_t status = anyccl_is_supported(ANYCCL_SUM, ANYCCL_FLOAT32, &supported);
    if (status != ANYCCL_SUCCESS || supported != 1 || world != nullptr || config.struct_size != sizeof config) {
        std::fprintf(stderr, "%s: %s\n", anyccl_status_string(status), anyccl_last_error());
        return 1;
    }
    if (anyccl_version() != ANYCCL_VERSION || std::strcmp(anyccl_datatype_name(ANYCCL_BFLOAT16), "bfloat16") != 0) {
        std::fprintf(stderr, "the library is another one than the header's\n");
        return 1;
    }
    return 0;
}
