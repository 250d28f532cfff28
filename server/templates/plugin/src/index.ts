import { definePlugin, needs, type Requirement, Type } from '@svc/plugin-sdk';

/** Tables of a plugin begin with its name: all plugins share one database. */
const TABLE = 'sample_plugin_greetings';

const Name = Type.String({ minLength: 1, maxLength: 64, description: 'The person to greet.' });

const mayGreet = needs(
  (): Requirement => ({
    scopes: ['global'],
    permissions: [{ 'sample-plugin': 'greet' }],
    denied: 'missing sample-plugin.greet',
  }),
);

/** Counts greetings: one table, one permission, one method and one route. */
export default definePlugin({
  name: 'sample-plugin',
  namespaces: ['sample-plugin'],
  permissions: { 'sample-plugin': { words: ['greet'] } },

  migrations: [
    {
      name: '0001-create',
      up: ({ query }) =>
        query.schema.createTable(TABLE, (table) => {
          table.string('name', 64).primary();
          table.integer('times').notNullable();
        }),
    },
  ],

  setup({ db, hooks }) {
    const count = async (name: string): Promise<number> => {
      const more = { times: db.query.raw('?? + 1', [`${TABLE}.times`]) };
      const greetings = db.query<{ times: number }>(TABLE);
      const counted = greetings.insert({ name, times: 1 }).onConflict('name').merge(more);
      const [row] = await counted.returning('times');
      return row?.times ?? 0;
    };

    hooks.methods.tap((methods) => {
      methods.add('sample-plugin_greet', {
        summary: 'Greets a person and says how often it did so.',
        params: { name: Name },
        result: Type.Object({ text: Type.String(), times: Type.Integer() }),
        access: mayGreet,
        async handle({ name }) {
          return { text: `Hello, ${name}!`, times: await count(name) };
        },
      });
    });

    hooks.routes.tap((routes) => {
      routes.add({
        path: '/sample-plugin/:name',
        handle: (exchange) => exchange.text(200, `Hello, ${exchange.params['name']}!\n`),
      });
    });
  },
});
