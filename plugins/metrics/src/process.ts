import type { Kernel } from '@svc/plugin-sdk';
import type { Family } from './api.ts';

const gauge = (name: string, help: string, read: () => number): Family => ({
  name,
  type: 'gauge',
  help,
  read: () => [{ value: read() }],
});

const bytes = (...given: Parameters<typeof gauge>): Family => ({
  ...gauge(...given),
  unit: 'bytes',
});

/** Returns the families about this process and its use of the machine. */
export function processFamilies({ server, clock }: Pick<Kernel, 'server' | 'clock'>): Family[] {
  const started = clock.now() / 1_000 - process.uptime();
  return [
    {
      name: 'server_info',
      type: 'gauge',
      help: 'What this server is; always 1.',
      read: () => {
        const labels = { version: server.version, server: server.uuid(), node: process.version };
        return [{ labels, value: 1 }];
      },
    },
    {
      ...gauge('start_time_seconds', 'When it started, Unix time.', () => started),
      unit: 'seconds',
    },
    {
      name: 'cpu_seconds',
      type: 'counter',
      unit: 'seconds',
      help: 'Time of processor cores that the process used, its threads included.',
      read: () => {
        const { user, system } = process.cpuUsage();
        return [
          { labels: { mode: 'user' }, value: user / 1e6 },
          { labels: { mode: 'system' }, value: system / 1e6 },
        ];
      },
    },
    bytes('resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
    bytes(
      'heap_bytes',
      'JavaScript objects of the main thread.',
      () => process.memoryUsage().heapUsed,
    ),
    gauge('sockets', 'JSON-RPC sockets and requests in progress.', () => server.places().used),
    gauge('sockets_limit', 'How many of them there may be.', () => server.places().limit),
  ];
}
