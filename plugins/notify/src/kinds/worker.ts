import { needed } from './build.ts';
import type { Kind } from './types.ts';

export const worker: Kind = {
  kind: 'worker',
  title: 'Script',
  summary: 'A JavaScript worker of this server, which gets the message as its argument.',
  fields: [
    needed('worker', 'Worker', {
      help: 'Its name; the owner of the channel must be allowed to run it.',
    }),
  ],
  answer: (status, _headers, text) =>
    status >= 200 && status < 300 ? 'ok' : { retry: `the worker failed: ${text.slice(0, 200)}` },
  limits: { per_second: 2, burst: 10 },
  size: { title: 1_000, text: 16_000 },
  markup: 'plain',
  idempotent: 'field',
};
