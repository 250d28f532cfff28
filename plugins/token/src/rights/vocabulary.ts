import { type PermissionKind, type Plugin, UserError } from '@svc/plugin-sdk';
import type { ScopeMatch } from '@svc/plugin-sdk/kernel';

/** Words of one kind, as sets. */
export interface Kind {
  readonly words: Set<string>;
  readonly choices: Map<string, Set<string>>;
  readonly patterns: Set<string>;
}

/** Kind whose outer tag is the brand's (auth.md §5.2, note). */
export const BRAND_KIND = 'svc';

type Declarations = Pick<Plugin, 'permissions' | 'scopes'> & Partial<Pick<Plugin, 'name'>>;

const ownerOf = (plugin: string | undefined) =>
  plugin === undefined ? 'the protocol' : `plugin '${plugin}'`;

/** Everything that a limit entry may say: what the protocol and the enabled plugins list. */
export class Vocabulary {
  readonly kinds = new Map<string, Kind>();
  readonly scopes = new Map<string, ScopeMatch>();
  readonly #owners = new Map<string, string>();
  /** Outer tag of the kind `svc` on the wire. */
  readonly brandTag: string;

  constructor(brandTag: string) {
    this.brandTag = brandTag;
  }

  /** Adds the permissions and scopes that a plugin, or the protocol, declares. */
  addAll({ name, permissions = {}, scopes = {} }: Declarations): void {
    for (const [kind, words] of Object.entries(permissions)) this.addKind(kind, words);
    for (const [tag, match] of Object.entries(scopes)) this.addScope(tag, match, name);
  }

  /** Adds a kind, or further words to an existing one. */
  addKind(kind: string, { words = [], choices = {}, patterns = [] }: PermissionKind): void {
    const tag = kind === BRAND_KIND ? this.brandTag : kind;
    const known = this.kinds.get(tag) ?? {
      words: new Set(),
      choices: new Map(),
      patterns: new Set(),
    };
    for (const word of words) known.words.add(word);
    for (const verb of patterns) known.patterns.add(verb);
    for (const [verb, values] of Object.entries(choices)) {
      known.choices.set(verb, new Set([...(known.choices.get(verb) ?? []), ...values]));
    }
    this.kinds.set(tag, known);
  }

  /** Adds a scope. @throws UserError that names both plugins when another one compares it in another way */
  addScope(tag: string, match: ScopeMatch, plugin?: string): void {
    const known = this.scopes.get(tag) ?? match;
    if (known !== match) {
      const sides = `${ownerOf(this.#owners.get(tag))} as '${known}', ${ownerOf(plugin)} as '${match}'`;
      throw new UserError(`the scope '${tag}' is compared by ${sides}: rename one of them`);
    }
    this.scopes.set(tag, match);
    if (plugin !== undefined && !this.#owners.has(tag)) this.#owners.set(tag, plugin);
  }
}
