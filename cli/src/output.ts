import type { Surroundings } from './io.ts';
import { shown } from './text.ts';

type Stream = Surroundings['stdout'] | Surroundings['stderr'];

/**
 * Prints: all that the program writes goes through here, but for the terminal that `svc sh` is. What servers, agents and scripts
 * wrote does not steer the reader's terminal; a pipe gets it as it is.
 * @returns false when the reader should be waited for
 */
export const printTo = (stream: Stream, text: string): boolean =>
  stream.write(stream.isTTY ? shown(text) : text);
