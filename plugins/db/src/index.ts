import { Standings, standingIn } from '@svc/fair-turns';
import { Sqlite, SqliteFiles } from '@svc/plugin-database-sqlite/api';
import {
  countingIn,
  DatabaseChanged,
  definePlugin,
  examineFolder,
  fileOnly,
  Holdings,
  type Principal,
  reload,
  Type,
  topic,
  warnOfFolder,
} from '@svc/plugin-sdk';
import { Owners } from '@svc/plugin-token/api';
import { DatabaseFiles } from './api.ts';
import { Databases } from './databases.ts';
import { examples } from './examples.ts';
import { Handles } from './handles.ts';
import { databasesHeld } from './held.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { placesIn } from './names.ts';
import { Slots } from './slots.ts';
import { openStore } from './store.ts';

/** A database was renamed or deleted. */
const RegistryChanged = topic('db.changed', Type.Object({ id: Type.Integer() }));
const UNUSED_CHECK_MS = 60_000;

const MAX_TIMER_MS = 2 ** 31 - 1;
const time = (default_: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_TIMER_MS, default: default_, description });

const config = Type.Object({
  statement_timeout_ms: reload(time(30_000, 'A text of SQL is ended after this.')),
  wait_timeout_ms: reload(time(30_000, 'A call waits for a connection no longer than this.')),
  transaction_idle_ms: reload(
    time(10_000, 'An open transaction without a call of its owner is rolled back.'),
  ),
  idle_timeout_ms: reload(time(600_000, 'Connections that are not used for this time are closed.')),
  max_database_bytes: reload(
    Type.Integer({
      minimum: 0,
      default: 4_294_967_296,
      description: 'Bytes of the file of one database; 0: no limit.',
    }),
  ),
  max_databases_per_token: reload(
    Type.Integer({
      minimum: 0,
      default: 1_000,
      description:
        'Databases that a token may create, with all tokens that it created, the Super Token excepted; 0: no limit.',
    }),
  ),
  max_databases: reload(
    Type.Integer({
      minimum: 0,
      default: 100_000,
      description: 'With so many databases only the Super Token creates another one; 0: no limit.',
    }),
  ),
  max_memory_mb: reload(
    Type.Integer({
      minimum: 16,
      maximum: 2 ** 20,
      default: 512,
      description: 'Memory that one text of SQL may take in its process.',
    }),
  ),
  max_processes: Type.Integer({
    minimum: 1,
    default: 8,
    description: 'Processes for all databases together; each runs one text at a time.',
  }),
  spare_processes: Type.Integer({
    minimum: 0,
    default: 4,
    description:
      'Processes beyond max_processes, one for each token of which no text runs while the others have them all.',
  }),
});

const rootConfig = Type.Object({
  db_path: fileOnly(Type.String({ default: './db/', description: 'Directory of the databases.' })),
});

/** Registry of databases that callers use: namespace `db`, table `db_registry` (db.md). */
export default definePlugin({
  name: 'db',
  examples,
  namespaces: ['db'],
  requires: [SqliteFiles, Sqlite],
  optional: [Standings, Owners, Holdings],
  provides: [DatabaseFiles],
  brings: ['database-sqlite'],
  config,
  rootConfig,
  migrations,
  // A row names a file that the server opens.
  guards: { db_registry: 'fixed' },
  permissions: { db: { words: ['list', 'read', 'create', 'update', 'delete', 'exec_sql'] } },
  scopes: { db: 'prefix' },

  examine: async ({ root }) => examineFolder('db_path', root.db_path),

  setup(kernel) {
    const { auth, clock, config: settings, db, hooks, log, server } = kernel;
    const [sqlite, files] = [kernel.use(Sqlite), kernel.use(SqliteFiles)];
    const [owners, holdings] = [kernel.useOptional(Owners), kernel.useOptional(Holdings)];
    const store = openStore(db, countingIn(kernel));
    const places = placesIn(kernel.root.db_path, () => sqlite.mainFile());
    kernel.provide(DatabaseFiles, places);
    const open = (file: string) =>
      files.open(file, { memory_bytes: settings.max_memory_mb * 2 ** 20 });
    const { max_processes, spare_processes: spare } = settings;
    const slots = new Slots(max_processes, { spare, standing: standingIn(kernel) });
    const fileOf = async (id: number) => {
      const entry = await store.byId(id);
      return entry && places.file(entry.name);
    };
    const handles = new Handles({ open, slots, clock, log, limits: settings, fileOf });
    const announce = (id: number) => kernel.publish(RegistryChanged, { id });
    const now = () => clock.now();
    const options = { store, handles, places, now, limits: settings, announce, log };
    const databases = new Databases(options);

    hooks.methods.tap((methods) => {
      const maxBytes = () => server.maxResponseBytes();
      const ownerOf = (caller: Principal) => owners?.of(caller) ?? null;
      addMethods(methods, { databases, auth, shownPath: places.shown, ownerOf, maxBytes });
    });
    hooks.prepare.tap(() => holdings?.register(databasesHeld(settings)));
    hooks.start.tap(() => warnOfFolder(log, 'db_path', kernel.root.db_path));
    hooks.start.tap(() =>
      kernel.every('close idle databases', UNUSED_CHECK_MS, async () => {
        const own = new Map((await store.list()).map((row) => [row.id, row.max_lifetime_ms]));
        await handles.closeUnused((id) => own.get(id) ?? settings.idle_timeout_ms);
      }),
    );
    // Renamed or deleted by another server: the file that is open here has another name, or none.
    kernel.subscribe(RegistryChanged, ({ id }, { own }) => {
      if (!own) handles.refresh(id);
    });
    kernel.subscribe(DatabaseChanged, () => handles.refreshAll());
  },
});
