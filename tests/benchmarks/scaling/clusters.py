#!/usr/bin/env python3
"""Predicts the time of a step over ranks on two clusters, from the counts of counts.py and the times of gains.py.

    clusters.py COUNTS.csv GAINS.csv --triad ONE BOTH [--ranks-per-node 16]

    t(P) = t(1) / P * i(P) / i(1) * s  +  m a  +  b r / B  +  c ceil(log2 P) a

t(1) time of a step on one core of the machine of gains.py, i linear iterations, m messages, b bytes and c reductions per step of
the busiest rank; r ranks per node, B bandwidth of a node's link, a latency; s = max(1, r w / W): r cores that each take the
bandwidth w share the node's W. Each message is taken as one between nodes, and nothing overlaps.
"""

import argparse
import csv
import math
import statistics
import sys

# name: (bytes/s of a node's memory, bytes/s of its link, latency in s). Bandwidths by data sheets: two sockets with eight channels
# of DDR4-3200 each; Slingshot-11 with 200 Gbit/s (LUMI-C), InfiniBand HDR100 with 100 Gbit/s (Narval). The latency is an
# assumption, for a message between two processes of MPI.
CLUSTERS = {"LUMI-C": (409.6e9, 25e9, 2e-6), "Narval": (409.6e9, 12.5e9, 2e-6)}


def step(alone, counts, first, cluster, per_node, core_bandwidth):
    ranks = int(counts["ranks"])
    memory, link, latency = cluster
    value = {key: float(counts[key]) for key in ("iterations", "messages", "bytes", "reductions")}
    share = max(1.0, min(per_node, ranks) * core_bandwidth / memory)
    compute = alone / ranks * value["iterations"] / max(1.0, float(first["iterations"])) * share
    talk = value["messages"] * latency + value["bytes"] * min(per_node, ranks) / link
    rounds = math.ceil(math.log2(ranks))
    return compute, talk + value["reductions"] * rounds * latency


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts")
    parser.add_argument("gains")
    parser.add_argument("--ranks-per-node", type=int, default=16)
    parser.add_argument(
        "--triad",
        type=float,
        nargs=2,
        required=True,
        metavar="BYTES/S",
        help="memory bandwidth of one and of both cores of the machine of GAINS.csv",
    )
    arguments = parser.parse_args()
    with open(arguments.counts) as file:
        counts = list(csv.DictReader(file))
    times = {}
    with open(arguments.gains) as file:
        for row in csv.DictReader(file):
            for way in ("one", "ranks"):
                times.setdefault((row["case"], way), []).append(float(row[way]))
    here = (arguments.triad[1], arguments.triad[1], 1e-6)  # two cores: messages are copies in the shared memory
    print("| case | ranks | LUMI-C, ms (communication) | Narval, ms (communication) |\n" + "|---" * 4 + "|")
    errors = []
    for row in counts:
        case = row["case"]
        if (case, "one") not in times:
            continue
        alone = statistics.median(times[case, "one"])
        first = next(other for other in counts if other["case"] == case and other["ranks"] == "1")
        cells = []
        for cluster in CLUSTERS.values():
            compute, talk = step(alone, row, first, cluster, arguments.ranks_per_node, arguments.triad[0])
            cells.append("%.2f (%.0f %%)" % (1e3 * (compute + talk), 100 * talk / (compute + talk)))
        print("| %s | %s | %s |" % (case, row["ranks"], " | ".join(cells)))
        if row["ranks"] == "2":
            measured = statistics.median(times[case, "ranks"])
            errors.append((case, measured, sum(step(alone, row, first, here, 2, arguments.triad[0]))))
    print("\n| case, two cores | measured, ms | model, ms | error |\n" + "|---" * 4 + "|")
    for case, measured, model in errors:
        print("| %s | %.1f | %.1f | %+.0f %% |" % (case, 1e3 * measured, 1e3 * model, 100 * (model / measured - 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
