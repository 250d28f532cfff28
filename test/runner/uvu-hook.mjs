/**
 * Module loader: changes some lines of uvu 0.5.6.
 * It reports what a `before` or `after` hook threw: uvu returns from `finally`, so such an error would vanish and its
 * tests would count as neither passed nor failed. A collected suite carries its name, by which the runner chooses, and
 * the runner sees every test and hook start and end.
 */
const changes = [
  [
    "} finally {\n\t\tstate.__test__ = '';",
    "} catch (err) {\n\t\terrors += format('(hook)', err, name);\n\t$&",
  ],
  ['let run = runner.bind(0, copy, name);', '$& run.suiteName = name;'],
  ['await test.handler(state);', 'await timed(name, test.name, () => test.handler(state));'],
  ['for (hook of before) await hook(state);', "await timed(name, '(before)', async () => { $& });"],
  [
    "state.__test__ = '';\n\t\tfor (hook of after) await hook(state);",
    "state.__test__ = '';\n\t\tawait timed(name, '(after)', async () => { for (hook of after) await hook(state); });",
  ],
];

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/uvu/dist/index.mjs')) return loaded;
  let source = 'const timed = globalThis.SVC_TIMED;\n' + loaded.source;
  for (const [from, to] of changes) {
    if (!source.includes(from)) throw new Error('uvu changed: adapt test/runner/uvu-hook.mjs');
    source = source.replace(from, to);
  }
  return { ...loaded, source };
}
