/** Repeats what failed: a test that passes then depends on something that it does not control, which is a defect. */
import type { TestFile } from './files.ts';
import type { Lanes } from './lanes.ts';
import { totalOf } from './report.ts';
import type { FileResult } from './result.ts';
import type { Tally } from './tally.ts';

/** A run with more flaky files has failed. */
export const MOST_FLAKY = 2;
/** A run with more failed files has other troubles: none is repeated. */
const MOST_REPEATED = 10;

/** What a run comes to. */
export interface Outcome {
  readonly total: Tally;
  /** Files that failed and then passed alone: what they printed each time. */
  readonly flaky: readonly { readonly name: string; readonly outputs: readonly string[] }[];
}

/** Each failed file of `files` once more, with none beside it. What passes then counts as passed. */
export async function repeatFailed(
  files: readonly TestFile[],
  results: readonly FileResult[],
  lanes: (results: FileResult[]) => Lanes,
): Promise<Outcome> {
  const failed = results.filter(({ tally }) => tally.failed > 0);
  const again = files.filter(({ name }) => failed.some((one) => one.name === name));
  // A file that ran by itself is not repeated: that would be the same again.
  if (again.length === 0 || again.length > MOST_REPEATED || files.length === 1)
    return { total: totalOf(results), flaky: [] };
  process.stdout.write(`\nOnce more, alone: ${again.map(({ name }) => name).join(', ')}\n`);
  const repeated: FileResult[] = [];
  await lanes(repeated).run(again, 1);
  const passed = repeated.filter(({ tally }) => tally.failed === 0);
  const final = results.map((one) => passed.find(({ name }) => name === one.name) ?? one);
  const flaky = passed.map(({ name, output }) => ({
    name,
    outputs: [failed.find((one) => one.name === name)?.output ?? '', output],
  }));
  return { total: totalOf(final), flaky };
}
