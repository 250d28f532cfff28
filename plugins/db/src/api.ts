import { service } from '@svc/plugin-sdk';

/** Folder of the databases of callers. */
export interface DatabaseFiles {
  /** Absolute path of the file of a database, which need not exist. @throws RpcError 108 for a name that breaks the rule */
  file(name: string): string;
}
export const DatabaseFiles = service<DatabaseFiles>('db.files');
