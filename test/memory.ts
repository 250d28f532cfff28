import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes in use, in the heap and in buffers; garbage is collected first. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  // Buffers are freed beside the first collection; the second one waits for that and counts them.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
