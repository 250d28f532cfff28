/** Ranges of windows in the time zone of this process, for `window-times.test.ts`: a JSON array of `[window, from, to]` on standard input. */
import { text } from 'node:stream/consumers';
import { Schedule } from '../../plugins/alert/src/windows/times.ts';

const asked: [ConstructorParameters<typeof Schedule>[0], number, number][] = JSON.parse(
  await text(process.stdin),
);
const answers = [];
for (const [window, from, to] of asked) answers.push(await new Schedule(window).between(from, to));
process.stdout.write(JSON.stringify(answers));
