/** One lane: a process that runs the files its parent hands over, until none is left. */
import type { TestFile } from './files.ts';
import { prepareLane, runFile } from './lane.ts';
import type { LaneMessage, NoFile } from './lanes.ts';

const times = process.argv.includes('--times');
const say = (message: LaneMessage) => process.send?.(message);

prepareLane();
process.on('message', async (file: TestFile | NoFile) => {
  if (file === 'end') process.exit();
  say(await runFile(file, times));
});
// A lane without its parent has no reader.
process.on('disconnect', () => process.exit(1));
say('ready');
