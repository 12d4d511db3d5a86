/** The examples of each tab; the first is open at the beginning. */
import flag from '../examples/flag.cu';
import buffering from '../examples/buffering.litmus';
import bufferingSc from '../examples/buffering_sc.litmus';
import messageRelaxed from '../examples/message_relaxed.litmus';
import messageRelease from '../examples/message_release.litmus';
import messageScope from '../examples/message_scope.litmus';
import readers from '../examples/readers.litmus';
import evaluation from '../examples/evaluation.ptx';
import histogram from '../examples/histogram.ptx';
import lock from '../examples/lock.ptx';
import mistakes from '../examples/mistakes.ptx';
import weakLock from '../examples/weak_lock.ptx';

const LOCK = '--grid 2 --block 1 --arg lock=u32[1] --arg count=u32[1] --expect count=2';

export const EXAMPLES = {
  ptx: [
    { title: 'Mistakes and their fixes', text: mistakes },
    { title: 'A lock that is proved', text: lock, options: LOCK },
    { title: 'A lock with a data race', text: weakLock, options: LOCK },
    { title: 'A histogram', text: histogram, options: '--grid 2 --block 32 --arg in=u32[100]=iota --arg out=u32[4] --arg n=u32=100' },
    { title: 'Atomics, evaluated', text: evaluation },
  ],
  cuda: [{ title: 'A flag in asm statements', text: flag }],
  litmus: [
    { title: 'Message passing, release and acquire', text: messageRelease },
    { title: 'Message passing, relaxed', text: messageRelaxed },
    { title: 'Message passing, a scope too small', text: messageScope },
    { title: 'Store buffering with fences', text: buffering },
    { title: 'Store buffering with sequentially consistent fences', text: bufferingSc },
    { title: 'Independent readers', text: readers },
  ],
};
