"""What the kernels that run on a GPU share: a wait for a random time, before each run, so that their threads meet in other ways each time."""

# %t is the thread, %iter and %seed the run; %wait, %from, %v and %p are overwritten.
RANDOM_WAIT = """\
    shr.u32 %wait, %t, 5;
    mad.lo.u32 %wait, %wait, 747796405, %iter;
    mad.lo.u32 %wait, %wait, 1103515245, %seed;
    mad.lo.u32 %wait, {group}, 277803737, %wait;
    shr.u32 %v, %wait, 15;
    xor.b32 %wait, %wait, %v;
    mul.lo.u32 %wait, %wait, 1540483477;
    shr.u32 %v, %wait, 29;
    add.u32 %v, %v, 20;
    shr.u32 %wait, %wait, %v;
    mov.u32 %from, %clock;
waiting:
    mov.u32 %v, %clock;
    sub.u32 %v, %v, %from;
    setp.lt.u32 %p, %v, %wait;
    @%p bra waiting;
"""


def random_wait(group):
    """The wait; threads with the same number of a warp in the register `group` wait as long."""
    return RANDOM_WAIT.format(group=group)
