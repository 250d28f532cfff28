import { definePlugin, Type } from '@svc/plugin-sdk';

const WORKS: Readonly<Record<string, (list: string[], text: string) => unknown>> = {
  growth_of_lists: (list) => list.filter((one) => !list.includes(`${one}?`)).length,
  growth_of_texts: (_list, text) => / +$/.test(text),
  growth_in_line: (list, text) => new Set(list).size + text.length,
};

/**
 * `growth_take` reads what it gets as every other method does, and does nothing with it: what is beyond its time is the
 * other's. The others are what the search must find, and what it must let be.
 */
export default definePlugin({
  name: 'growth',
  version: '1.0.0',
  namespaces: ['growth'],
  setup({ hooks }) {
    hooks.methods.tap((methods) => {
      methods.add('growth_take', {
        summary: 'Takes any value.',
        params: { value: Type.Unknown() },
        access: 'authenticated',
        result: Type.Null(),
        handle: () => null,
      });
      for (const [name, work] of Object.entries(WORKS))
        methods.add(name, {
          summary: 'Works on lists and texts.',
          params: { list: Type.Array(Type.String()), text: Type.String() },
          access: 'authenticated',
          prepare: ({ list, text }) => work(list, text),
          result: Type.Null(),
          handle: () => null,
        });
    });
  },
});
