import { definePlugin, optional, RpcError, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { Int64 } from '@svc/plugin-sdk/schemas';

/** Methods without any area of their own: what the envelope does is seen without a namespace in the way. */
export const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  namespaces: ['probe'],
  setup(kernel) {
    const held = new Set<() => void>();
    kernel.hooks.methods.tap((methods) => {
      methods.add('probe_echo', {
        summary: 'Gives back its parameters.',
        params: { config_string: Type.Unknown(), second_value: optional(Type.Unknown()) },
        result: Type.Unknown(),
        access: 'public',
        handle: ({ config_string, second_value }) => [config_string, second_value ?? null],
      });
      methods.add('probe_typed', {
        summary: 'Typed parameters.',
        params: {
          name: Type.String(),
          count: Int64,
          flag: optional(Type.Boolean()),
        },
        result: Type.Unknown(),
        access: 'public',
        handle: ({ name, count, flag }) => ({ name, count, flag: flag ?? null }),
      });
      methods.add('probe_hello', {
        summary: 'Takes nothing.',
        params: {},
        result: Type.String(),
        access: 'public',
        handle: () => 'hello',
      });
      methods.add('probe_raw', {
        summary: 'Text of the given length.',
        params: { length: Type.Integer() },
        result: Type.String(),
        access: 'public',
        handle: ({ length }) => new RawJson(Buffer.from(`"${'x'.repeat(length)}"`)),
      });
      methods.add('probe_throw', {
        summary: 'Fails in the asked way.',
        params: { how: Type.String() },
        result: Type.Null(),
        access: 'public',
        handle: ({ how }) => {
          if (how === 'rpc') throw RpcError.notFound('it', { data: { a: 1 } });
          if (how === 'cycle') {
            const cycle: Record<string, unknown> = {};
            cycle['self'] = cycle;
            return cycle as unknown as null;
          }
          if (how === 'async') return Promise.reject(new Error('secret detail'));
          throw new Error('secret detail');
        },
      });
      methods.add('probe_hold', {
        summary: 'Answers when released.',
        params: {},
        result: Type.String(),
        access: 'public',
        handle: () => new Promise<string>((resolve) => held.add(() => resolve('released'))),
      });
      methods.add('probe_release', {
        summary: 'Releases what is held; answers how many.',
        params: {},
        result: Type.Integer(),
        access: 'public',
        handle: () => {
          const count = held.size;
          for (const release of held) release();
          held.clear();
          return count;
        },
      });
      methods.addSubscription('probe_stream', {
        summary: 'Two items at once, then whatever `probe_release` lets through.',
        params: {},
        access: 'public',
        unsubscribe: 'probe_unsubscribe_stream',
        item: Type.Unknown(),
        open: (_params, _call, push) => {
          push('first');
          push('second');
          const release = () => push('later');
          held.add(release);
          return () => held.delete(release);
        },
      });
      methods.addSubscription('probe_other_stream', {
        summary: 'Sends nothing.',
        params: {},
        access: 'public',
        unsubscribe: 'probe_unsubscribe_other_stream',
        item: Type.Unknown(),
        open: () => () => {},
      });
    });
    kernel.hooks.routes.tap((routes) => {
      routes.add({
        path: '/svc/probe/:name/*rest',
        handle: (exchange) => {
          exchange.text(
            200,
            `${exchange.method} ${exchange.params['name']} ${exchange.params['rest']}`,
          );
        },
      });
    });
  },
});
