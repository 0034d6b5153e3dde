#!/usr/bin/env python3
"""A stand-in for srun: starts the tasks of a step with the variables that Slurm documents for them.

    srun.py --ntasks=4 [--nodelist=LIST] PROGRAM [WORD...]

All tasks run on this host, whatever the list of hosts says. When one task fails, the others are ended, as
`srun --kill-on-bad-exit` does. A task also gets the variables of the batch script, because srun passes them on.
"""

import argparse
import os
import subprocess
import sys


def variables(job, tasks, hosts, rank):
    step = {"SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_STEP_NUM_TASKS": str(tasks), "SLURM_STEP_NODELIST": hosts,
            "SLURM_STEP_TASKS_PER_NODE": str(tasks), "SLURM_STEP_NUM_NODES": "1", "SLURM_NTASKS": str(tasks),
            "SLURM_NPROCS": str(tasks), "SLURM_SRUN_COMM_HOST": "127.0.0.1", "SLURM_LAUNCH_NODE_IPADDR": "127.0.0.1",
            "SLURM_MPI_TYPE": "none"}
    batch = {"SLURM_JOB_ID": job, "SLURM_JOBID": job, "SLURM_JOB_NODELIST": hosts, "SLURM_NODELIST": hosts,
             "SLURM_JOB_NUM_NODES": "1", "SLURM_NNODES": "1", "SLURM_TASKS_PER_NODE": str(tasks)}
    task = {"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank), "SLURM_NODEID": "0", "SLURM_TASK_PID": str(os.getpid())}
    return {**os.environ, **batch, **step, **task}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ntasks", type=int, required=True)
    parser.add_argument("--nodelist", default="localhost")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    job = str(os.getpid())
    tasks = [subprocess.Popen(options.words, env=variables(job, options.ntasks, options.nodelist, rank))
             for rank in range(options.ntasks)]
    left, worst = set(tasks), 0
    while left:
        pid, status = os.wait()
        ended = next(task for task in left if task.pid == pid)
        left.remove(ended)
        ended.returncode = os.waitstatus_to_exitcode(status)
        if ended.returncode != 0:
            worst = worst or abs(ended.returncode)
            for task in left:
                task.terminate()
    sys.exit(worst)


if __name__ == "__main__":
    main()
