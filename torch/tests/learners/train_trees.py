"""Trains one rank of a LightGBM model, over anyccl or over LightGBM's sockets, and writes its trees to a file.

    anyccl run -n 2 train_trees.py KIND FILE               over anyccl
    anyccl run -n 2 train_trees.py KIND FILE --killed 1    rank 1 is killed after a few trees
    train_trees.py KIND FILE --rank 0 --ports 5000 5001    over sockets

KIND is a tree_learner. The rank is appended to the name of the file.
"""

import argparse
import os
import signal

import lightgbm
import numpy

ROWS, TREES, TREES_BEFORE_DEATH = 2000, 20, 5


def data(rank):
    random = numpy.random.default_rng(rank)
    rows = random.normal(size=(ROWS, 20))
    labels = 2 * rows[:, 0] + numpy.sin(rows[:, 1]) * rows[:, 2] + 0.1 * random.normal(size=ROWS)
    # Sums of numbers that differ much depend on their order, in the last digits.
    return lightgbm.Dataset(rows, labels, weight=numpy.exp(6 * random.normal(size=ROWS)))


def train(options, rank, parameters):
    def die(environment):
        if rank == options.killed and environment.iteration == TREES_BEFORE_DEATH:
            os.kill(os.getpid(), signal.SIGKILL)

    fixed = {"objective": "regression", "tree_learner": options.kind, "deterministic": True, "force_row_wise": True,
             "num_threads": 1, "verbosity": -1, "seed": 1}
    booster = lightgbm.train({**fixed, **parameters}, data(rank), num_boost_round=TREES, callbacks=[die])
    # The parameters, which follow the trees, name the ports.
    trees = booster.model_to_string().partition("\nparameters:")[0]
    with open(f"{options.file}-{rank}", "w", encoding="utf-8") as file:
        file.write(trees)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind")
    parser.add_argument("file")
    parser.add_argument("--killed", type=int)
    parser.add_argument("--rank", type=int)
    parser.add_argument("--ports", nargs="*")
    options = parser.parse_args()
    if options.ports:
        machines = ",".join(f"127.0.0.1:{port}" for port in options.ports)
        own = {"machines": machines, "num_machines": len(options.ports), "local_listen_port": int(options.ports[options.rank])}
        train(options, options.rank, own)
        return
    import anyccl
    import anyccl.lightgbm

    with anyccl.Communicator.world() as comm, anyccl.lightgbm.network(comm) as parameters:
        train(options, comm.rank, parameters)


if __name__ == "__main__":
    main()
