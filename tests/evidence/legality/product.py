"""Asks ptxas about the whole product of axes.txt at PTX 9.5 for sm_90 and sm_100a and records the legal spellings.

Writes tests/.tools/legality/product-TARGET.txt: every spelling of the product that is legal; all others were refused. versions.py
goes on from there. Six minutes a target on two cores. usage: product.py [JOBS]
"""

import itertools
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import oracle

CHUNK = 50_000


def axes():
    """The axes of each mnemonic."""
    found = {}
    for line in open(os.path.join(oracle.HERE, "axes.txt")):
        if not line.startswith("#"):
            mnemonic, words = line.split(":", 1)
            found.setdefault(mnemonic, []).append(words.split())
    return found


def spellings():
    """Every member of the product as (mnemonic, words)."""
    for mnemonic, lists in axes().items():
        for choice in itertools.product(*lists):
            words = [w for w in choice if w != "-"]
            if mnemonic == "multimem":
                yield f"multimem.{words[0]}", words[1:]
            else:
                yield mnemonic, words


def ask(job):
    """The legal spellings of one chunk."""
    target, chunk = job
    chunk = [s for s in chunk if s[1]]
    verdict, _ = oracle.legal(chunk, "9.5", target)
    return [".".join([m] + w) for (m, w), good in zip(chunk, verdict) if good]


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    with ProcessPoolExecutor(jobs) as pool:
        for target in ("sm_90", "sm_100a"):
            count, futures, members = 0, [], spellings()
            found = []
            while True:
                chunk = list(itertools.islice(members, CHUNK))
                count += len(chunk)
                if chunk:
                    futures.append(pool.submit(ask, (target, chunk)))
                while futures and (not chunk or len(futures) > 2 * jobs):
                    found += futures.pop(0).result()
                if not chunk:
                    break
            os.makedirs(oracle.SCRATCH, exist_ok=True)
            with open(os.path.join(oracle.SCRATCH, f"product-{target}.txt"), "w") as out:
                out.write("\n".join(found) + "\n")
            print(f"{target}: {count} asked, {len(found)} legal", flush=True)


if __name__ == "__main__":
    main()
