import { createHash } from 'node:crypto';
import { UserError } from '@svc/plugin-sdk';

/** The form of archives that this program writes; it reads this one and earlier ones. */
export const FORMAT = 1;
/** Name of the part that describes the others, and of the one with its digest. */
export const MANIFEST = 'manifest.json';
export const MANIFEST_DIGEST = 'manifest.sha256';

/** One file of a backup. */
export interface Part {
  /** Relative, `/` separated. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal, of what is stored. */
  readonly sha256: string;
  /** Time of change of a file of a bucket, Unix ms. */
  readonly mtime_ms?: number;
}

/** Contents of a backup. */
export interface Manifest {
  readonly format: number;
  /** Version of the program that made it. */
  readonly version: string;
  readonly server_uuid: string;
  /** Unix ms of its beginning: the database is in it as it was then, or a little later. */
  readonly made_at: number;
  readonly database: 'sqlite' | 'postgres';
  /** Rows of each table of the main database. */
  readonly tables: { readonly [table: string]: number };
  readonly parts: readonly Part[];
  /** Symbolic links between the files of buckets, and folders that hold nothing. */
  readonly links: Readonly<Record<string, string>>;
  readonly empty: readonly string[];
}

/** Paths of parts. */
export const DATABASE = 'database.sqlite.gz';
export const CALLERS = 'db/';
export const BUCKETS = 'static/';
export const CONFIGURATION = 'configuration.toml';
export const SECRETS = 'secrets.enc';

export const textOf = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 1)}\n`;

/** Returns the line of a digest in the format of `sha256sum`. */
export const digestLine = (text: string): string =>
  `${createHash('sha256').update(text).digest('hex')}  ${MANIFEST}\n`;

/** @throws UserError for a text that is damaged or from a newer program */
export function readManifest(text: string, digest: string): Manifest {
  if (digestLine(text) !== digest)
    throw new UserError(`${MANIFEST} of the backup is damaged: it does not fit its digest`);
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format > FORMAT)
    throw new UserError(
      `the backup was made by version ${manifest.version}, which writes a newer form: restore it with that version`,
    );
  return manifest;
}
