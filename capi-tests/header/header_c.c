/* A program that includes the header first and alone: the header must need nothing before it. */
#include <anyccl/anyccl.h>

#include <string.h>

#include "check.h"

int main(void)
{
    const anyccl_config_t config = ANYCCL_CONFIG_INIT;
    const anyccl_comm_t world = ANYCCL_WORLD;
    char text[64];

    CHECK(config.struct_size == sizeof config && config.name == NULL && config.timeout_ms == 0);
    CHECK(config.log_level == ANYCCL_LOG_DEFAULT && config.for_devices == 0);
    CHECK(world == NULL);
    CHECK(sizeof(anyccl_unique_id_t) == ANYCCL_UNIQUE_ID_BYTES);

    /* The library and the header are of the same version. */
    CHECK(anyccl_version() == ANYCCL_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", ANYCCL_VERSION_MAJOR, ANYCCL_VERSION_MINOR, ANYCCL_VERSION_PATCH);
    CHECK(strcmp(text, anyccl_version_string()) == 0);
    return 0;
}
