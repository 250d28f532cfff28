import { fstatSync, openSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { complain, type Output, openOutput } from './output.ts';

/** Time, or characters, after which the file is checked; lines meanwhile may exceed its limit. */
const LOOK_MS = 1000;
const LOOK_LENGTH = 2 ** 20;

/**
 * A log file that begins anew when it is full: the full one gets the name `PATH.TIME-PROCESS.full`, and only the newest
 * `files` of these stay. A file that another program has moved or removed, a second server or `logrotate`, is begun anew
 * as well. Lines on their way still reach the file that was open. @throws Error when it cannot be opened
 */
export function openRotating(path: string, max_bytes: number, files: number): Output {
  const [, folder = '', name] = /^(.*[/\\])?([^/\\]*)$/s.exec(path) as RegExpExecArray;
  let fd = openSync(path, 'a');
  let current = openOutput(fd, path);
  let [since, length, turn] = [Date.now(), 0, Promise.resolve()];
  const rotate = async () => {
    const found = await stat(path).catch(() => undefined);
    if (found?.ino === fstatSync(fd).ino) {
      if (max_bytes === 0 || found.size < max_bytes) return;
      // No name is used twice: where two servers do this at once, the second moves the first one's new file.
      const time = new Date().toISOString().replaceAll(':', '');
      await rename(path, `${path}.${time}-${process.pid}.full`);
    }
    const before = current;
    fd = openSync(path, 'a');
    current = openOutput(fd, path);
    await before.close(LOOK_MS);
    const all = (await readdir(folder || '.')).filter((file) => file.startsWith(`${name}.`));
    const full = all.filter((file) => file.endsWith('.full')).sort();
    for (const file of full.slice(0, -files)) await rm(folder + file, { force: true });
  };
  return {
    write(line) {
      current.write(line);
      length += line.length;
      if (length < LOOK_LENGTH && !(Date.now() - since >= LOOK_MS)) return;
      [since, length] = [Date.now(), 0];
      turn = turn.then(rotate).catch((error) => complain(`the log file ${path}: ${error.message}`));
    },
    close(timeout_ms) {
      // No rotation comes after this: the number of the open file may be another's.
      [since, length] = [Number.NaN, Number.NEGATIVE_INFINITY];
      return turn.then(() => current.close(timeout_ms));
    },
  };
}
