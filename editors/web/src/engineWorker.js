/** The program in a worker: the first message has its module, each other one a run of it. */
import { execute, use } from './program.js';

self.onmessage = ({ data }) => {
  if (data.module) use(data.module);
  else self.postMessage({ id: data.id, ...execute(data) });
};
