/**
 * Changes some lines of uvu 0.5.6 as it is loaded.
 * It reports what a `before` or `after` hook threw: uvu returns from `finally`, so such an error would vanish and its
 * tests would count as neither passed nor failed. The runner chooses the tests of a suite, and sees every test and hook
 * start and end.
 */
import { registerHooks } from 'node:module';

const changes = [
  [
    "} finally {\n\t\tstate.__test__ = '';",
    "} catch (err) {\n\t\terrors += format('(hook)', err, name);\n\t$&",
  ],
  ['arr = only.length ? only : tests;', 'arr = chosen(name, only.length ? only : tests);'],
  ['await test.handler(state);', 'await timed(name, test.name, () => test.handler(state));'],
  [
    'for (hook of before) await hook(state);',
    "if (arr.length > 0) await timed(name, '(before)', async () => { $& });",
  ],
  [
    'for (hook of after) await hook(state);',
    "if (arr.length > 0) await timed(name, '(after)', async () => { $& });",
  ],
] as const;

/** In this thread only: the worker threads of the servers under test load their modules unhindered. */
export function changeUvu(): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith('/uvu/dist/index.mjs')) return loaded;
      return { ...loaded, source: changed(String(loaded.source)) };
    },
  });
}

/** @throws when uvu has other lines */
function changed(source: string): string {
  let text = `const { timed, chosen } = globalThis.SVC_RUNNER;\n${source}`;
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error('uvu changed: adapt test/runner/uvu-hook.ts');
    text = text.replace(from, to);
  }
  return text;
}
