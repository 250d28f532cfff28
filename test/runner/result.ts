/** What a file, or a run, came to. */
import type { Tally } from './tally.ts';

export interface FileResult {
  readonly name: string;
  readonly tally: Tally;
  readonly seconds: number;
  /** Processor seconds of the process, its threads and the programs it ended. */
  readonly cpu_s: number;
  /** What the file printed. Empty where it ran in the runner's own process: it stands above. */
  readonly output: string;
}
