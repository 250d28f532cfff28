// A server with every built-in plugin: `database-addon-child.ts sqlite|postgres`. Says whether the SQLite library is loaded.
import { bootForTest } from '@svc/plugin-sdk/testing';

const dialect = process.argv[2] === 'postgres' ? 'postgres' : 'sqlite';
const app = await bootForTest(undefined, {}, { dialect });
await app.call('svc-server_hello').catch(() => undefined);
const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
const isLoaded = sharedObjects.some((file) => /better.sqlite3/.test(file));
await app.stop();
process.stdout.write(`SQLite library: ${isLoaded ? 'loaded' : 'absent'}\n`);
