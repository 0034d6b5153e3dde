"""One process of JAX on CPUs: collectives and a training step, compared with NumPy and with one process.

    anyccl run --as jax -n 2 -- python jax_calls.py [ROUNDS | --time]

--time prints the time of psum, all_gather and all_to_all by size instead, for a comparison with gloo:

    anyccl run -n 2 -- env JAX_CPU_COLLECTIVES_IMPLEMENTATION=gloo python jax_calls.py --time
"""

import os
import sys
import time

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

if "OMPI_MCA_orte_hnp_uri" in os.environ:
    jax.distributed.initialize()
else:
    jax.distributed.initialize(f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"]))
RANKS, OWN = jax.process_count(), jax.process_index()
MESH = Mesh(np.array(jax.devices()), ("x",))
WIDTH = 8


def mapped(function, out):
    return jax.jit(jax.shard_map(function, mesh=MESH, in_specs=P("x"), out_specs=out, check_vma=False))


PSUM = mapped(lambda a: jax.lax.psum(a, "x"), P())
ALL_GATHER = mapped(lambda a: jax.lax.all_gather(a, "x", tiled=True), P())
PSUM_SCATTER = mapped(lambda a: jax.lax.psum_scatter(a[0], "x", tiled=True)[None], P("x"))
PPERMUTE = mapped(lambda a: jax.lax.ppermute(a, "x", [(rank, (rank + 1) % RANKS) for rank in range(RANKS)]), P("x"))
ALL_TO_ALL = mapped(lambda a: jax.lax.all_to_all(a[0].reshape(RANKS, -1), "x", 0, 0)[None], P("x"))


def rows(values):
    """An array of which each process has one row."""
    return jax.make_array_from_callback(values.shape, NamedSharding(MESH, P("x")), lambda index: values[index])


def own(array):
    return np.asarray(array.addressable_data(0))


def collectives(values):
    total, block = values.sum(0), slice(OWN * WIDTH, (OWN + 1) * WIDTH)
    array = rows(values)
    np.testing.assert_allclose(own(PSUM(array))[0], total, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(own(ALL_GATHER(array)), values)
    np.testing.assert_allclose(own(PSUM_SCATTER(array))[0], total[block], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(own(PPERMUTE(array))[0], values[(OWN - 1) % RANKS])
    np.testing.assert_array_equal(own(ALL_TO_ALL(array))[0], values.reshape(RANKS, RANKS, WIDTH)[:, OWN])


def loss(weights, inputs, wanted):
    return ((jax.numpy.tanh(inputs @ weights[0]) @ weights[1] - wanted) ** 2).mean()


def train(weights, inputs, wanted):
    """Trains some steps, of which the gradients of a batch that is spread over the processes are summed."""
    step = jax.jit(lambda weights, inputs, wanted: [w - 0.1 * g for w, g in zip(weights, jax.grad(loss)(weights, inputs, wanted))])
    for _ in range(20):
        weights = step(weights, inputs, wanted)
    return weights


def training(random):
    weights = [random.standard_normal(shape).astype(np.float32) for shape in [(12, 16), (16, 3)]]
    inputs, wanted = (random.standard_normal((RANKS * 4, width)).astype(np.float32) for width in (12, 3))
    everywhere = NamedSharding(MESH, P())
    spread = train([jax.make_array_from_callback(w.shape, everywhere, lambda index, w=w: w[index]) for w in weights], rows(inputs), rows(wanted))
    alone = train(weights, inputs, wanted)
    for ours, one in zip(spread, alone):
        np.testing.assert_allclose(own(ours), np.asarray(one), rtol=1e-4, atol=1e-5)


def measure():
    for name, function in [("psum", PSUM), ("all_gather", ALL_GATHER), ("all_to_all", ALL_TO_ALL)]:
        for bytes_of_row in (64, 64 << 10, 4 << 20):
            array = rows(np.ones((RANKS, bytes_of_row // 4), np.float32))
            jax.block_until_ready(function(array))
            took = []
            for _ in range(30):
                started = time.perf_counter()
                jax.block_until_ready(function(array))
                took.append(time.perf_counter() - started)
            if OWN == 0:
                print(f"{name:10} {bytes_of_row:9} bytes {sorted(took)[len(took) // 2] * 1e6:10.0f} us", flush=True)


if sys.argv[1:] == ["--time"]:
    measure()
else:
    RANDOM = np.random.default_rng(1)
    for _ in range(int(sys.argv[1]) if sys.argv[1:] else 150):
        collectives(RANDOM.standard_normal((RANKS, RANKS * WIDTH)).astype(np.float32))
    training(RANDOM)
    print(f"process {OWN} of {RANKS} is right", flush=True)
