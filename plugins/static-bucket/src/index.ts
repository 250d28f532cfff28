import {
  DatabaseChanged,
  definePlugin,
  examineFolder,
  fileOnly,
  Holdings,
  reload,
  Type,
  topic,
  warnOfFolder,
} from '@svc/plugin-sdk';
import * as http from '@svc/plugin-sdk/http';
import { Owners } from '@svc/plugin-token/api';
import { FileServer, StaticBuckets } from './api.ts';
import { createBuckets } from './buckets.ts';
import { examples } from './examples.ts';
import { bucketsHeld } from './held.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { permissions, scopes } from './permissions.ts';

/** A record of a bucket changed. */
const BucketsChanged = topic('static-bucket.changed', Type.Null());
const HOUR_MS = 3_600_000;

const config = Type.Object({
  stall_timeout_ms: Type.Integer({
    minimum: 1_000,
    maximum: 2 ** 31 - 1,
    default: 60_000,
    description: 'A connection that takes less than 128 KiB of a file in this time is closed.',
  }),
  max_bucket_bytes: Type.Integer({
    minimum: 0,
    default: 10_737_418_240,
    description: 'Bytes of the files of one bucket; 0: no limit.',
  }),
  max_buckets: Type.Integer({
    minimum: 1,
    default: 5_000,
    description:
      'Buckets of all tokens together, with what deleted ones leave behind; every server keeps them in memory. The Super Token has as many for itself.',
  }),
  max_buckets_per_owner: Type.Integer({
    minimum: 0,
    default: 1_000,
    description:
      'Buckets that a token may have, with all tokens that it created; what they leave behind counts until it is empty. The Super Token has no such limit. 0: no limit.',
  }),
  max_downloads: Type.Integer({
    minimum: 1,
    default: 512,
    description: 'Files that are streamed at once; beyond, 503.',
  }),
});

const rootConfig = Type.Object({
  static_path: fileOnly(
    Type.String({
      minLength: 1,
      default: './static/',
      description: 'Root directory of all static buckets.',
    }),
  ),
});

/** Buckets: namespace `static-bucket`, table `static_file`, services `StaticBuckets` and `FileServer`. */
export default definePlugin({
  name: 'static-bucket',
  examples,
  namespaces: ['static-bucket'],
  optional: [Owners, Holdings],
  provides: [StaticBuckets, FileServer],
  config: reload(config),
  rootConfig: reload(rootConfig),
  migrations,
  // A row names a folder that the server shows.
  guards: { static_file: 'fixed', static_file_former: 'fixed' },
  permissions,
  scopes,

  examine: async ({ root }) => examineFolder('static_path', root.static_path),

  setup(kernel) {
    const { auth, clock, config: settings, hooks, log } = kernel;
    const owners = kernel.useOptional(Owners);
    const { records, service, prepare, isInUse, sweep } = createBuckets(kernel, {
      announce: () => kernel.publish(BucketsChanged, null),
      maxBytes: () => settings.max_bucket_bytes,
      isSuspended: ({ owner }) => owners?.isSuspended(owner) ?? false,
    });
    kernel.provide(StaticBuckets, service);
    const stall_ms = () => settings.stall_timeout_ms;
    const maxDownloads = () => settings.max_downloads;
    kernel.provide(FileServer, new http.FileServer({ clock, log, stall_ms, maxDownloads }));

    hooks.methods.tap((methods) => addMethods(methods, { auth, records, prepare, isInUse }));
    hooks.prepare.tap(() => {
      owners?.register({ kind: 'bucket', list: async (owner) => records.namesOf(owner) });
      kernel.useOptional(Holdings)?.register(bucketsHeld(settings));
      return records.reload();
    });
    hooks.start.tap(() => warnOfFolder(log, 'static_path', kernel.root.static_path));
    hooks.reload.tap(() => records.reload());

    const readAgain = () => {
      records.reload().catch((error) => log.error('buckets could not be read again', { error }));
    };
    kernel.subscribe(BucketsChanged, (_payload, { own }) => {
      if (!own) readAgain();
    });
    kernel.subscribe(DatabaseChanged, readAgain);
    kernel.every('remove unfinished uploads', HOUR_MS, () => sweep(kernel.signal));
  },
});
