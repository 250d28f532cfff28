import { definePlugin, needs, Type } from '@svc/plugin-sdk';

const TABLE = 'hello_plugin_greetings';
const CREATE = `create table ${TABLE} (name varchar(64) primary key, times integer not null)`;
const right = {
  scopes: ['global'],
  permissions: [{ hello: 'greet' }],
  denied: 'missing hello.greet',
};

/** Counts whom it greeted: one method, one route, one table and one permission of its own. */
export default definePlugin({
  name: 'hello-plugin',
  namespaces: ['hello'],
  permissions: { hello: { words: ['greet'] } },
  migrations: [{ name: '0001-create', up: ({ query }) => query.raw(CREATE) }],

  setup({ db: { query }, hooks }) {
    hooks.routes.tap((routes) => {
      const handle = (exchange) => exchange.text(200, `Hello, ${exchange.params.name}!\n`);
      routes.add({ path: '/hello/:name', handle });
    });

    hooks.methods.tap((methods) =>
      methods.add('hello_greet', {
        summary: 'Greets a name and counts how often.',
        params: { name: Type.String({ minLength: 1, maxLength: 64 }) },
        result: Type.Object({ text: Type.String(), times: Type.Integer() }),
        access: needs(() => right),
        async handle({ name }) {
          const more = { times: query.raw('?? + 1', [`${TABLE}.times`]) };
          const counted = query(TABLE).insert({ name, times: 1 }).onConflict('name').merge(more);
          const [{ times }] = await counted.returning('times');
          return { text: `Hello, ${name}!`, times };
        },
      }),
    );
  },
});
