#!/usr/bin/env python3
"""powercut.py BASE WRITES IMAGE CUTS SEED: the states in which cuts of the power may leave a disk with a volatile write cache.

BASE is the disk before, WRITES what QEMU's blklogwrites wrote. A state has all writes up to some flush, and of those after it, up to some
later write, a random part. For each cut, IMAGE is made and a line is printed: how many writes were lost, and the acknowledgments that had
been written to the end of the disk before the cut (tests/labs/powercut.sh); a line on standard input asks for the next one.
"""
import random
import struct
import sys

ACKNOWLEDGED = 4096  # bytes at the end of the disk, which no file system uses
FLUSH, FUA, DISCARD = 1, 2, 4


def entries(log):
    """(flags, offset, position of the data in the log, length) of each write."""
    magic, version, count, sector = struct.unpack("<QQQI", log.read(28))
    assert magic == 0x6A736677736872 and version == 1, "no log of writes"
    position = sector
    for _ in range(count):
        log.seek(position)
        at, sectors, flags, _ = struct.unpack("<QQQQ", log.read(32))
        length = 0 if flags & DISCARD else sectors * sector
        yield flags, at * sector, position + sector, length
        position += sector + length


def main():
    base, writes, target, cuts, seed = sys.argv[1:]
    rng = random.Random(int(seed))
    with open(writes, "rb") as log, open(base, "rb") as first:
        all_writes = list(entries(log))
        disk = bytearray(first.read())

        def data(entry):
            log.seek(entry[2])
            return log.read(entry[3])

        end = len(disk) - ACKNOWLEDGED
        # Before the first acknowledgment there is nothing to lose.
        begin = next(i for i, entry in enumerate(all_writes) if entry[1] >= end and entry[3])
        done, pending, acknowledged = 0, [], b""
        for cut in sorted(rng.randrange(begin, len(all_writes)) + 1 for _ in range(int(cuts))):
            for entry in all_writes[done:cut]:
                flags, offset, _, length = entry
                if flags & FLUSH:
                    for each in pending:
                        disk[each[1]:each[1] + each[3]] = data(each)
                    pending = []
                if length and offset >= end:
                    acknowledged = data(entry)
                elif length and flags & FUA:
                    disk[offset:offset + length] = data(entry)
                elif length:
                    pending.append(entry)
            done = cut
            kept = [each for each in pending if rng.random() < rng.choice((0.0, 0.5, 1.0))]
            with open(target, "wb") as image:
                image.write(disk)
                for each in kept:
                    image.seek(each[1])
                    image.write(data(each))
            print(len(pending) - len(kept), acknowledged.strip(b"\0\n").decode(), flush=True)
            sys.stdin.readline()


if __name__ == "__main__":
    main()
