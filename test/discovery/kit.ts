import { definePlugin, optional, Type, Uuid } from '@svc/plugin-sdk';
import { Uint64, words } from '@svc/plugin-sdk/schemas';

/** Somebody else's plugin, with every kind of schema that types are made of. */
export const weather = definePlugin({
  name: 'weather',
  version: '1.0.0',
  namespaces: ['weather'],
  examples: [
    { method: 'weather_read', params: { station: 'Oslo' }, result: { celsius: 4.5, seen: 17 } },
    {
      method: 'weather_read',
      params: { station: '' },
      error: { code: 108, message: 'Invalid input: empty' },
    },
  ],
  setup({ hooks }) {
    hooks.methods.tap((methods) => {
      methods.add('weather_read', {
        summary: 'The newest measurement of a station.',
        params: {
          station: Type.String({ description: 'Name of the place.' }),
          unit: optional(words(['celsius', 'kelvin'])),
        },
        result: Type.Object({ celsius: Type.Number(), seen: Uint64 }),
        access: { needs: ({ station }) => readable(station) },
        handle: () => ({ celsius: 4.5, seen: 17 }),
      });
      methods.add('weather_list', {
        summary: 'Stations by agent.',
        params: { agents: Type.Array(Uuid) },
        result: Type.Record(Type.String(), Type.Tuple([Type.Number(), Type.Literal('north')])),
        access: 'public',
        handle: () => ({}),
      });
      methods.addSubscription('weather_follow', {
        summary: 'Measurements as they come.',
        unsubscribe: 'weather_unfollow',
        params: {},
        item: Type.Union([Type.Number(), Type.Null()]),
        access: 'authenticated',
        open: () => () => {},
      });
    });
  },
});

const readable = (station: string) => ({
  scopes: ['global' as const],
  permissions: [{ weather: { read: station } }],
  denied: 'not yours',
});
