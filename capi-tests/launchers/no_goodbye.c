/* A program that never calls anyccl_finalize, and whose child exits before it. A launcher must see both exits
 * as success. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <anyccl/anyccl.h>

int main(void)
{
    int rank, sum = -1;
    pid_t child;
    if (anyccl_init() != ANYCCL_SUCCESS || anyccl_rank(&rank) != ANYCCL_SUCCESS) {
        fprintf(stderr, "%s\n", anyccl_last_error());
        return EXIT_FAILURE;
    }
    child = fork();
    if (child == 0)
        exit(EXIT_SUCCESS);
    if (child < 0 || waitpid(child, NULL, 0) != child)
        return EXIT_FAILURE;
    if (anyccl_all_reduce(&rank, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD) != ANYCCL_SUCCESS)
        return EXIT_FAILURE;
    printf("rank %d: the sum is %d\n", rank, sum);
    return EXIT_SUCCESS;
}
