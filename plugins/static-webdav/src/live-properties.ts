import type { Stats } from 'node:fs';
import { etagOf } from './etags.ts';
import { activeLocks, SUPPORTED_LOCKS } from './lock-elements.ts';
import type { Lock } from './locks.ts';
import type { DavRequest } from './request.ts';
import { escapeText } from './xml/write.ts';

/** The facts about one resource from which its live properties are made. */
export interface Facts {
  readonly request: DavRequest;
  /** The last segment; empty for the bucket's own directory. */
  readonly name: string;
  readonly stat: Stats;
  readonly locks: readonly Lock[];
  /** Read only when a quota property was asked for. */
  readonly quota: { readonly available_bytes: number; readonly used_bytes: number } | undefined;
}

export const DAV = 'DAV:';
export const APACHE = 'http://apache.org/dav/props/';
export const MICROSOFT = 'urn:schemas-microsoft-com:';

/** The XML inside the element; undefined when the resource has no such property. */
type Value = (facts: Facts) => string | undefined;

interface Live {
  readonly value: Value;
  /** Clients whose "all properties" hold it. */
  readonly inAll: 'every client' | 'Microsoft clients' | 'none';
}

const seconds = (ms: number): string => `${new Date(Math.max(0, ms)).toISOString().slice(0, 19)}Z`;
const httpDate = (ms: number): string => new Date(Math.max(0, ms)).toUTCString();
const bornAt = ({ birthtimeMs, ctimeMs, mtimeMs }: Stats): number =>
  birthtimeMs > 0 ? birthtimeMs : Math.min(ctimeMs, mtimeMs);
const onFile =
  (value: Value): Value =>
  (facts) =>
    facts.stat.isDirectory() ? undefined : value(facts);
const onDirectory =
  (value: Value): Value =>
  (facts) =>
    facts.stat.isDirectory() ? value(facts) : undefined;

const dav: { readonly [local: string]: Value } = {
  creationdate: ({ stat }) => seconds(bornAt(stat)),
  getlastmodified: ({ stat }) => httpDate(stat.mtimeMs),
  getcontentlength: onFile(({ stat }) => String(stat.size)),
  getcontenttype: ({ request, stat, name }) =>
    stat.isDirectory() ? 'httpd/unix-directory' : request.parts.server.mediaType(name),
  getetag: ({ stat }) => escapeText(etagOf(stat)),
  resourcetype: ({ stat }) => (stat.isDirectory() ? '<D:collection/>' : ''),
  supportedlock: () => SUPPORTED_LOCKS,
  lockdiscovery: ({ request, locks }) => activeLocks(request, locks),
};

/** Quota (RFC 4331), which is not part of "all properties". */
const quota: { readonly [local: string]: Value } = {
  'quota-available-bytes': onDirectory(({ quota }) => quota && String(quota.available_bytes)),
  'quota-used-bytes': onDirectory(({ quota }) => quota && String(quota.used_bytes)),
};

const EXECUTABLE = 0o111;
const FILE = 0x20;
const DIRECTORY = 0x10;
const HIDDEN = 0x02;

const win32: { readonly [local: string]: Value } = {
  Win32CreationTime: ({ stat }) => httpDate(bornAt(stat)),
  Win32LastAccessTime: ({ stat }) => httpDate(stat.atimeMs),
  Win32LastModifiedTime: ({ stat }) => httpDate(stat.mtimeMs),
  Win32FileAttributes: ({ stat, name }) => {
    const bits = (stat.isDirectory() ? DIRECTORY : FILE) + (name.startsWith('.') ? HIDDEN : 0);
    return bits.toString(16).padStart(8, '0');
  },
};

const apache: { readonly [local: string]: Value } = {
  executable: onFile(({ stat }) => ((stat.mode & EXECUTABLE) === 0 ? 'F' : 'T')),
};

const entries = (uri: string, values: { readonly [local: string]: Value }, inAll: Live['inAll']) =>
  Object.entries(values).map(([local, value]) => [nameOf(uri, local), { value, inAll }] as const);

/** `{namespace}local` */
export const nameOf = (uri: string, local: string): string => `{${uri}}${local}`;

/** Live properties by name (static-http.md §B6, RFC 4331). */
export const live: ReadonlyMap<string, Live> = new Map<string, Live>([
  ...entries(DAV, dav, 'every client'),
  ...entries(DAV, quota, 'none'),
  ...entries(APACHE, apache, 'none'),
  ...entries(MICROSOFT, win32, 'Microsoft clients'),
]);

/** Names of properties for which the file system is asked. */
export const QUOTA_NAMES = Object.keys(quota).map((local) => nameOf(DAV, local));
/** Properties that Windows sets. They are answered with success, and not stored. */
export const WIN32_NAMES: ReadonlySet<string> = new Set(
  Object.keys(win32).map((local) => nameOf(MICROSOFT, local)),
);
export const LOCK_NAME = nameOf(DAV, 'lockdiscovery');
