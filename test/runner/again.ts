/** A second run for what failed beside others. */
import type { FileResult } from './result.ts';

/** More files that fail are no matter of a busy machine. */
const MOST = 2;

/**
 * Files that failed run once more with the machine to themselves; what passes then takes the place of its failure in `results`.
 * @param runAlone runs the files of these names, one after the other
 * @returns the failures that were replaced: a fault that shows beside others only
 */
export async function again(
  results: FileResult[],
  runAlone: (names: ReadonlySet<string>) => Promise<readonly FileResult[]>,
): Promise<FileResult[]> {
  const failed = results.filter(({ tally }) => tally.failed > 0);
  if (failed.length === 0 || failed.length > MOST) return [];
  const second = await runAlone(new Set(failed.map(({ name }) => name)));
  return second
    .filter(({ tally }) => tally.failed === 0)
    .flatMap((passed) => {
      const at = results.findIndex(({ name }) => name === passed.name);
      return results.splice(at, 1, passed);
    });
}
