import { definePlugin, Type } from '@svc/plugin-sdk';
import { JsonText } from '@svc/plugin-sdk/schemas';

/** Node 22 knows only the time of all threads. */
const cpu_us = (): number => {
  const { threadCpuUsage } = process as { threadCpuUsage?: typeof process.cpuUsage };
  const { user, system } = (threadCpuUsage ?? process.cpuUsage)();
  return user + system;
};

/** Measures how long one turn of the server's event loop works, in processor time: other programs do not count. */
export default definePlugin({
  name: 'turns',
  version: '1.0.0',
  namespaces: ['turns'],
  setup({ hooks, defer }) {
    let longest = 0;
    let last = 0;
    let next: NodeJS.Immediate | undefined;
    const turn = () => {
      const now = cpu_us();
      longest = Math.max(longest, now - last);
      last = now;
      next = setImmediate(turn);
    };
    const end = () => clearImmediate(next);
    defer('turns', end);
    hooks.methods.tap((methods) => {
      methods.add('turns_take', {
        summary: 'Takes any value.',
        params: { value: Type.Unknown() },
        access: 'authenticated',
        result: Type.Null(),
        handle: () => null,
      });
      methods.add('turns_text', {
        summary: 'Takes the text of any value.',
        params: { value: JsonText },
        access: 'authenticated',
        result: Type.Null(),
        handle: () => null,
      });
      methods.add('turns_list', {
        summary: 'Takes a list of objects.',
        params: { list: Type.Array(Type.Object({})) },
        access: 'authenticated',
        result: Type.Null(),
        handle: () => null,
      });
      methods.add('turns_begin', {
        summary: 'Begins to measure.',
        params: {},
        access: 'public',
        result: Type.Null(),
        handle: () => {
          end();
          longest = 0;
          last = cpu_us();
          next = setImmediate(turn);
          return null;
        },
      });
      methods.add('turns_end', {
        summary: 'The longest turn since the beginning, ms, and the memory of the process, bytes.',
        params: {},
        access: 'public',
        result: Type.Unknown(),
        handle: () => {
          end();
          return { longest_ms: longest / 1000, rss: process.memoryUsage.rss() };
        },
      });
    });
  },
});
