import { setImmediate } from 'node:timers/promises';
import type { Auth, Principal, Scope } from '@svc/plugin-sdk';
import { type Selection, selectionOf } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import { agents, type MayRead, mayRead } from '../permissions.ts';

/** Agents whose rights are checked in one turn of the event loop. */
const CHUNK = 500;

/** Fields that a caller sees: the wanted ones of every agent, or of each of these agents what it may see, by UUID. */
export type Sees = 'every' | ReadonlyMap<string, Selection>;

/** Rights to the fields of one kind, as the queries ask for them. */
export class Rights {
  readonly #auth: Auth;
  readonly #kind: Kind;
  readonly #needed: MayRead;

  constructor(auth: Auth, kind: Kind) {
    this.#auth = auth;
    this.#kind = kind;
    this.#needed = mayRead(kind);
  }

  /** Text of the denial. */
  denied(selection: Selection): string {
    return this.#needed(['global'], selection)[0]?.denied ?? 'Permission Denied';
  }

  /** Tells whether the caller may read these fields of all these agents; undefined: of every one. */
  async allow(
    caller: Principal,
    uuids: readonly string[] | undefined,
    selection: Selection,
  ): Promise<boolean> {
    if (caller.super) return true;
    const scopes: readonly Scope[] = uuids ? agents(uuids) : ['global'];
    for (const requirement of this.#needed(scopes, selection)) {
      if (await this.#auth.allows(caller, requirement)) return true;
    }
    return false;
  }

  /** Tells whether the caller may see something of one of these agents. */
  async seesAny(caller: Principal, uuids: readonly string[], wanted: Selection): Promise<boolean> {
    for (let at = 0; at < uuids.length; at++) {
      if (await this.#allowed(caller, uuids[at] as string, wanted)) return true;
      if (at % CHUNK === CHUNK - 1) await setImmediate();
    }
    return false;
  }

  /** Returns the fields that the caller may see of these agents; agents without any allowed field are left out. */
  async seen(
    caller: Principal,
    uuids: readonly string[],
    wanted: Selection,
  ): Promise<Map<string, Selection>> {
    const sees = new Map<string, Selection>();
    for (let at = 0; at < uuids.length; at++) {
      const uuid = uuids[at] as string;
      const selection = await this.#allowed(caller, uuid, wanted);
      if (selection) sees.set(uuid, selection);
      if (at % CHUNK === CHUNK - 1) await setImmediate();
    }
    return sees;
  }

  async #allowed(caller: Principal, uuid: string, wanted: Selection) {
    if (await this.allow(caller, [uuid], wanted)) return wanted;
    if (this.#kind.name === 'summary' || wanted.fields.length < 2) return undefined;
    const names: string[] = [];
    for (const { name } of wanted.fields) {
      if (await this.allow(caller, [uuid], selectionOf(this.#kind, [name]))) names.push(name);
    }
    return names.length > 0 ? selectionOf(this.#kind, names) : undefined;
  }
}
