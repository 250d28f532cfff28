import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf } from '@svc/plugin-sdk/util';
import type { WirePath } from '@svc/plugin-static-bucket/api';
import { failedCondition, fileStatus, Refusal, XML_TYPE } from '../answers.ts';
import { xmlBody } from '../bodies.ts';
import { type Facts, LOCK_NAME, live, QUOTA_NAMES } from '../live-properties.ts';
import { covers, type Lock } from '../locks.ts';
import {
  BEGIN,
  END,
  endSlowly,
  failureElement,
  propstat,
  responseElement,
  writeSlowly,
} from '../multistatus.ts';
import { type Key, keyOf } from '../paths.ts';
import { type Asked, askedOf, emptyProperty, liveElement } from '../property-names.ts';
import { type DavRequest, depthOf } from '../request.ts';
import type { Property } from '../store-properties.ts';
import { type Failure, type Member, membersOf } from '../trees.ts';

/** Members that are read together. */
const BATCH = 64;
/** Resources whose stored properties are read together: each may have 100 of 8 KiB. */
const WITH_PROPERTIES = 8;
/** Characters that are sent in one turn of the event loop, at least. */
const PIECE = 262_144;

/** Sends the answer while it reads, so a collection may have any number of members (RFC 4918 §9.1, static-http.md §B6). */
export async function propfind(request: DavRequest): Promise<undefined> {
  const depth = depthOf(request) ?? '1';
  if (depth === 'infinity') throw failedCondition(403, '<D:propfind-finite-depth/>');
  const isMicrosoft = /Microsoft/.test(request.headers['user-agent'] ?? '');
  const asked = askedOf(await xmlBody(request), isMicrosoft);
  if (!asked) throw new Refusal(400);
  const found = await request.mustExist();
  await request.checkIf();
  const listing = await openListing(request, asked, depth === '1' && found.isDirectory());
  const { response } = request.exchange;
  for await (const text of textsOf(request, listing, found)) {
    // The status is sent with the first text: a collection that cannot be read is refused.
    if (!response.headersSent) begin(request, found);
    await writeSlowly(response, text, request.parts);
    if (text.length >= PIECE) await nextTurn();
  }
  await endSlowly(response, END, request.parts);
  return undefined;
}

function begin(request: DavRequest, found: Stats): void {
  const isBare = found.isDirectory() && !request.slash;
  request.exchange.response.writeHead(207, {
    ...XML_TYPE,
    'cache-control': 'no-cache',
    pragma: 'no-cache',
    ...(isBare ? { 'content-location': request.href(request.path, true) } : {}),
  });
}

interface Resource {
  readonly path: WirePath;
  readonly stat: Stats;
}

interface Listing {
  readonly withMembers: boolean;
  /** One `response` element for each resource, in pieces. */
  texts(resources: readonly Resource[]): AsyncGenerator<string, void>;
}

/** The document without its end. The first piece comes when the first members have been read. */
async function* textsOf(
  request: DavRequest,
  listing: Listing,
  stat: Stats,
): AsyncGenerator<string, void> {
  let begun = BEGIN;
  for await (const text of listing.texts([{ path: request.path, stat }])) begun += text;
  if (listing.withMembers) {
    for await (const text of memberTexts(request, listing)) {
      yield begun + text;
      begun = '';
    }
  }
  if (begun !== '') yield begun;
}

async function* memberTexts(request: DavRequest, listing: Listing): AsyncGenerator<string, void> {
  const real = await request.files.locate(request.path, { follow: true });
  for await (const members of batchesOf(request, real)) {
    const looks = await Promise.all(members.map((member) => lookAt(request, real, member)));
    const failures = looks.filter((look) => look !== undefined && 'status' in look);
    const found = looks.filter((look) => look !== undefined && 'stat' in look);
    yield* listing.texts(found);
    if (failures.length > 0) yield failures.map(failureElement).join('');
  }
}

async function* batchesOf(request: DavRequest, real: string): AsyncGenerator<Member[], void> {
  let batch: Member[] = [];
  for await (const member of membersOf(request, real, request.path)) {
    batch.push(member);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Reads one member. One that was removed meanwhile is left out; one that cannot be read is listed with its status. */
async function lookAt(
  request: DavRequest,
  real: string,
  { name, path, isDirectory }: Member,
): Promise<Resource | Failure | undefined> {
  try {
    const stat = await lstat(join(real, name));
    return stat.isFile() || stat.isDirectory() ? { path, stat } : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    return { href: request.href(path, isDirectory), status: fileStatus(error) ?? 500 };
  }
}

async function openListing(
  request: DavRequest,
  asked: Asked,
  withMembers: boolean,
): Promise<Listing> {
  const { properties } = request.parts;
  const locksOf = await lockIndex(request, asked, withMembers);
  const wantsQuota =
    asked.kind !== 'names' && QUOTA_NAMES.some((name) => asked.names.includes(name));
  const quota = wantsQuota ? await request.files.quota() : undefined;
  const wantsDead = asked.kind !== 'some' || asked.names.some((name) => !live.has(name));
  const { id } = request.bucket;
  const membersHave = wantsDead && withMembers && (await properties.anyIn(id, request.key));
  return {
    withMembers,
    async *texts(resources) {
      let piece = '';
      const size = membersHave ? WITH_PROPERTIES : BATCH;
      for (let at = 0; at < resources.length; at += size) {
        const some = resources.slice(at, at + size);
        const keys = some.map(({ path }) => keyOf(path));
        const isTarget = keys[0] === request.key;
        const dead =
          wantsDead && (isTarget || membersHave) ? await properties.of(id, keys) : new Map();
        for (const [nth, { path, stat }] of some.entries()) {
          const key = keys[nth] as Key;
          const facts = { request, name: path.at(-1) ?? '', stat, locks: locksOf(key), quota };
          const inner = propertiesOf(asked, facts, dead.get(key) ?? []);
          piece += responseElement(request.href(path, stat.isDirectory()), inner);
          if (piece.length < PIECE) continue;
          yield piece;
          piece = '';
        }
      }
      if (piece !== '') yield piece;
    },
  };
}

/** The locks on the target and its members, read once. */
async function lockIndex(
  request: DavRequest,
  asked: Asked,
  below: boolean,
): Promise<(key: Key) => readonly Lock[]> {
  if (asked.kind === 'names' || !asked.names.includes(LOCK_NAME)) return () => [];
  const { key, now, parts, bucket } = request;
  const locks = await parts.locks.around(bucket.id, key, { now, below });
  const isDeep = (lock: Lock) => lock.deep && covers(lock, key);
  const deep = locks.filter(isDeep);
  const others = locks.filter((lock) => !isDeep(lock));
  const at = Map.groupBy(others, ({ path }) => path);
  return (path) => [...deep, ...(at.get(path) ?? [])];
}

function propertiesOf(asked: Asked, facts: Facts, dead: readonly Property[]): string {
  const found: string[] = [];
  const missing: string[] = [];
  for (const name of asked.names) {
    const value = live.get(name)?.value(facts);
    const kept = value === undefined ? dead.find((property) => property.name === name) : undefined;
    if (asked.kind === 'names') {
      if (value !== undefined) found.push(emptyProperty(name));
    } else if (value !== undefined) found.push(liveElement(name, value));
    else if (kept) found.push(kept.value);
    else if (asked.kind === 'some' || !live.has(name)) missing.push(emptyProperty(name));
  }
  if (asked.kind !== 'some') {
    for (const { name, value } of dead) {
      if (!asked.names.includes(name))
        found.push(asked.kind === 'names' ? emptyProperty(name) : value);
    }
  }
  return propstat(200, found) + propstat(404, missing) || propstat(200, ['']);
}
