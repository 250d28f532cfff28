import type { Database, Methods } from '@svc/plugin-sdk';
import { superToken } from '../permissions.ts';
import { Storage } from '../schemas.ts';
import { tableSizes } from '../store.ts';

/** `database_storage`. */
export function addStorageMethod(methods: Methods, db: Database): void {
  methods.add('svc-server_database_storage', {
    summary: 'Bytes per table of the main database.',
    params: {},
    result: Storage,
    access: superToken,
    handle: () => tableSizes(db),
  });
}
