/* Tests of the log callback: log lines go to a function of the program, with its pointer. The level is that of
 * the configuration. */
#include <string.h>

#include "check.h"

struct seen {
    int lines, infos;
    char world[256];
};

static void remember(anyccl_log_level_t level, const char *line, void *user)
{
    struct seen *seen = user;
    seen->lines++;
    CHECK(level >= ANYCCL_LOG_ERROR && level <= ANYCCL_LOG_DEBUG);
    CHECK(strchr(line, '\n') == NULL);
    if (level == ANYCCL_LOG_INFO && strstr(line, "parrot") != NULL) {
        seen->infos++;
        snprintf(seen->world, sizeof seen->world, "%s", line);
    }
}

int main(void)
{
    struct seen seen = {0, 0, ""};
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.name = "parrot";
    config.log_level = ANYCCL_LOG_INFO;

    CHECK_OK(anyccl_set_log_callback(remember, &seen));
    CHECK_OK(anyccl_init_with(&config));
    /* One line describes the communicator, by its name. */
    CHECK(seen.infos == 1);
    CHECK(strstr(seen.world, "rank 0 of 1") != NULL);

    /* The level belongs to the process. A communicator without a level in its configuration does not change it. */
    anyccl_comm_t copy;
    config.log_level = ANYCCL_LOG_OFF;
    CHECK_OK(anyccl_comm_dup(ANYCCL_WORLD, &config, &copy));
    CHECK_OK(anyccl_comm_destroy(copy));
    const int quiet = seen.lines;
    CHECK_OK(anyccl_comm_dup(ANYCCL_WORLD, NULL, &copy));
    /* At another level than OFF, the abort would write a line. */
    CHECK_OK(anyccl_comm_abort(copy));
    CHECK_OK(anyccl_comm_destroy(copy));
    CHECK(seen.lines == quiet);

    /* A replaced callback gets no more lines. */
    CHECK_OK(anyccl_set_log_callback(NULL, NULL));
    const int before = seen.lines;
    CHECK_OK(anyccl_finalize());
    CHECK(seen.lines == before);
    return 0;
}
