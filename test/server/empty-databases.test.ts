// proof only: 30
// Each built-in plugin, with no more than what it needs, begins on an empty database. The kit of the other tests starts from
// a database on which all migrations have been applied.
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { providerOf } from '../../server/src/plugins/choose.ts';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { emptyPlace } from '../kernel/database-kit.ts';
import { suite } from '../runner/suite.ts';

/** The plugin and those it needs, by name. */
async function withNeeds(name: string): Promise<string[]> {
  const names = new Set([name]);
  for (const one of names) {
    const { requires = [] } = await loadPlugin(one, import.meta.dirname);
    for (const { service } of requires) {
      const provider = await providerOf(service, import.meta.dirname);
      if (provider) names.add(provider);
    }
  }
  return [...names];
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`empty databases (${dialect})`);
  for (const name of builtInNames()) {
    // Drivers come with their databases; a transport needs its server.
    if (/^database-|^bus-/.test(name)) continue;
    test(`${name} begins on one`, async () => {
      const place = await emptyPlace(dialect);
      try {
        const plugins = await withNeeds(name);
        const app = await bootForTest(
          plugins,
          { database: { database_url: place.url } },
          { dialect },
        );
        try {
          const rows = await app.sql('select plugin from schema_migrations');
          const { migrations = [] } = await loadPlugin(name, import.meta.dirname);
          const own = rows.filter((row) => (row as { plugin: string }).plugin === name);
          assert.is(own.length, migrations.length);
          await app.restart();
        } finally {
          await app.stop();
        }
      } finally {
        await place.remove();
      }
    });
  }
  test.run();
}
