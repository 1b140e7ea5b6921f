"""Checks the shape of `sluice bench --quick --suite all --json`: every row is there and every figure is a figure. Never how large it is."""
import json
import math
import sys

HANDLE_ROWS = {
    "direct-read-4k-d1", "direct-read-4k-d4", "direct-read-4k-d32", "direct-read-4k-d128",
    "direct-write-4k-d1", "direct-write-4k-d32", "hot-read-4k-async", "hot-read-64k-async", "cold-read-4k-d32",
    "append-4k-async", "overwrite-4k-async", "append-64k-async", "overwrite-64k-async", "sync-read-4k", "sync-write-4k",
    "read-batch-128", "scatter-read-4x16000", "gather-write-4x16000", "append-200-t64", "preallocated-100mb",
    "allocated-d1", "allocated-d128", "open-close",
    "neighbour-50us-median", "neighbour-50us-p99", "neighbour-200us-median", "neighbour-200us-p99",
    "neighbour-1000us-median", "neighbour-1000us-p99", "working-20us-d64", "working-100us-d64", "working-500us-d64",
    "engine-alone-t1", "engine-alone-t2", "engine-alone-t4",
    "tail-read-4k-d32-p99", "tail-read-4k-d32-p999", "open-loop-read-4k-p99", "open-loop-read-4k-p999", "first-open-read",
}
STREAM_ROWS = {
    "stream-read-async-512", "stream-read-async-4096", "stream-read-async-16384",
    "stream-write-async-512", "stream-write-async-4096", "stream-write-async-16384", "stream-read-4096", "stream-write-4096",
    "stream-unbuffered-read-async-4096", "stream-unbuffered-read-async-16384",
    "stream-unbuffered-write-async-4096", "stream-unbuffered-write-async-16384",
    "stream-file-read-1m", "stream-file-write-1m", "stream-file-read-1k", "stream-file-write-1k",
    "stream-read-byte", "stream-write-byte", "stream-read-byte-async",
    "stream-seek-forward", "stream-seek-backward", "stream-length", "stream-position",
    "stream-binary-reader", "stream-read-line", "stream-read-line-async", "stream-copy-to-file", "stream-copy-to-sink",
    "stream-gather", "stream-preallocated", "stream-grown", "stream-direct-read-async", "stream-open",
}
LOG_ROWS = {
    "log-buffered-t1", "log-written-t100", "log-written-c100", "log-durable-t1", "log-durable-t8", "log-durable-t64", "log-durable-t100",
    "log-durable-t100-p99", "log-read", "log-open",
}
UNLIKE_SECOND = {"open-loop-read-4k-p99", "open-loop-read-4k-p999"}


def positive(value):
    return isinstance(value, (int, float)) and math.isfinite(value) and value > 0


def check_contender(where, contender):
    assert contender["name"], where
    assert positive(contender["rate"]), f"{where}: rate {contender['rate']}"
    assert contender["cpuUsPerOperation"] >= 0, where
    assert contender["allocatedBytesPerOperation"] >= 0, where
    assert contender["sliceRates"] and all(positive(rate) for rate in contender["sliceRates"]), f"{where}: slices"


def check(report):
    assert report["formatVersion"] == 1
    assert report["quick"] is True and report["interrupted"] is False
    environment = report["environment"]
    for key in ("kernel", "runtime", "runtimeMode", "engine", "processor", "fileSystem"):
        assert environment[key], f"environment: {key}"
    assert environment["processorCount"] >= 1 and environment["memoryBytes"] > 0
    ids = [row["id"] for row in report["rows"]]
    assert len(ids) == len(set(ids)), "an id occurs twice"
    missing = (HANDLE_ROWS | STREAM_ROWS | LOG_ROWS) - set(ids)
    assert not missing, f"rows missing: {sorted(missing)}"
    for row in report["rows"]:
        where = row["id"]
        assert row["suite"] and row["name"] and row["why"] and row["unit"] in ("IOPS", "ops/s", "MiB/s"), where
        assert len(row["sluice"]["sliceRates"]) == row["rounds"] == len(row["dotNet"]["sliceRates"]), f"{where}: rounds"
        check_contender(where, row["sluice"])
        check_contender(where, row["dotNet"])
        if row["second"] is not None:
            check_contender(where, row["second"])
            # Latencies that begin elsewhere are told, and have no ratio.
            assert (row["secondRatio"] is None) if row["id"] in UNLIKE_SECOND else positive(row["secondRatio"]), where
        assert positive(row["ratio"]) and positive(row["cpuRatio"]), f"{where}: ratios"
        for target in row["targets"]:
            assert target["requirement"] and isinstance(target["reached"], bool), f"{where}: targets"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    try:
        check(report)
    except (AssertionError, KeyError, TypeError) as error:
        sys.exit(f"wrong shape: {error!r}")
    print(f"{len(report['rows'])} rows, all of them complete")
