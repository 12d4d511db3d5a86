"""The launches of kernels.cu, whose memory afterwards was recorded on an H100: recorded.jsonl."""
import numpy as np

from launch import Launches, singles, words, zeros

MODULE = Launches("kernels")
LAST_BLOCK = [("4", "64", 1000, 1, 4), ("7", "96", 333, 2, 7)]
BITS = singles(256).view(np.uint32)


def add(kernel, *arguments, **options):
    MODULE.add(*arguments, kernel=kernel, **options)(None)


for grid, block, count, seed, ctas in LAST_BLOCK:
    add("last_block", words(count, seed), zeros(ctas), zeros(1), count, grid=grid, block=block)
add("scan", words(256, 3), zeros(256), block="256")
add("look_back", words(576, 4), zeros(576), zeros(18), zeros(1), grid="9", block="64")
add("hash_table", words(240, 5), zeros(64), zeros(32), zeros(8), 240, grid="5", block="50", unordered=(1,))
add("product", BITS, BITS[::-1].copy(), zeros(256), grid="2,2", block="8,8")
add("divergence", zeros(32), block="32")
add("numbers", singles(64).view(np.uint32), zeros(512), block="64")
add("calls", zeros(40), block="40")
add("cluster", zeros(256), grid="8", block="32", cluster="4")
add("pipeline", words(1280, 6), zeros(320), zeros(1), 10, grid="3", block="32")
