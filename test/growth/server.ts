// A server in a process of its own: its main thread does nothing but answer the search.

import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '@svc/kernel';
import { bootForTest } from '@svc/plugin-sdk/testing';

const machine = process as NodeJS.Process & { threadCpuUsage(): NodeJS.CpuUsage };
const cpu_ms = () => {
  const { user, system } = machine.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Turns of the event loop since the last `begin`. Shorter ones than this are the watch itself. */
const NOISE_MS = 1;
let last = 0;
let longest = 0;
let together = 0;
let collected_ms = 0;
let next: NodeJS.Immediate | undefined;
const collect = (entries: readonly { duration: number }[]) => {
  for (const { duration } of entries) collected_ms += duration;
};
const observer = new PerformanceObserver((list) => collect(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

/** Unreferenced, it runs once in each round of the event loop and wakes nobody up. */
function turn(): void {
  const now = cpu_ms();
  if (now - last > NOISE_MS) {
    collect(observer.takeRecords());
    // Garbage collections are left out: they come when they come.
    const took = now - last - collected_ms;
    longest = Math.max(longest, took);
    if (took > NOISE_MS) together += took;
  }
  collected_ms = 0;
  last = cpu_ms();
  next = setImmediate(turn).unref();
}

function begin(): void {
  [longest, together, collected_ms, last] = [0, 0, 0, cpu_ms()];
  next = setImmediate(turn).unref();
}

async function end(): Promise<void> {
  await nextTurn();
  clearImmediate(next);
  process.send?.({ longest, together });
}

const dialect = process.argv[2] as 'sqlite' | 'postgres';
const extra_plugins = [join(import.meta.dirname, 'plugin.ts')];
const logging = { log_filter: 'warn', memory_log_filter: 'warn' };
const config = { extra_plugins, logging };
const app = await bootForTest(undefined, config, { dialect, mayHold: true });
await app.call('kv_create', [app.superToken, 'fleet-notes']);

const { kernelOf, methods } = app.kernel as App;
const examples = kernelOf('growth')?.plugins.flatMap((plugin) => plugin.examples ?? []) ?? [];
const described = [...methods.values()].map(
  ({ name, credential, definition: { access, params } }) => ({
    ...{ name, credential, params },
    access: typeof access === 'object' ? Object.keys(access)[0] : access,
    /** Values that make sense to the method, where its plugin shows some. */
    shown: examples.find((example) => example.method === name && !example.error)?.params ?? {},
  }),
);

process.on('message', async (message) => {
  if (message === 'begin') begin();
  if (message === 'end') await end();
  if (message === 'stop') {
    await app.stop();
    process.exit();
  }
});
/** Bounds of 64 bits are no JSON. */
const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
const { superToken: all, url } = app;
const ordinary = await app.token([]);
const soon = Date.now() + 1_000;
const expired = await app.token([], { timestamp_to: soon });
await new Promise((done) => setTimeout(done, soon + 500 - Date.now()));
process.send?.({
  url,
  methods: JSON.parse(JSON.stringify(described, plain)),
  tokens: { super: all, ordinary, expired },
});
