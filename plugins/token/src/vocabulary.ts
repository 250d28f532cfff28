import type { PermissionKind, Plugin, ScopeMatch } from '@svc/plugin-sdk';

/** The words of one kind, as sets. */
export interface Kind {
  readonly words: Set<string>;
  readonly choices: Map<string, Set<string>>;
  readonly patterns: Set<string>;
}

/** The kind whose outer tag is the brand's (auth.md §5.2, note). */
export const BRAND_KIND = 'svc';

/** Everything that a limit entry may say: what the protocol and the enabled plugins list. */
export class Vocabulary {
  readonly kinds = new Map<string, Kind>();
  readonly scopes = new Map<string, ScopeMatch>();
  /** Outer tag of the kind `svc` on the wire. */
  readonly brandTag: string;

  constructor(brandTag: string) {
    this.brandTag = brandTag;
  }

  /** Takes what a plugin lists. */
  addAll({ permissions = {}, scopes = {} }: Pick<Plugin, 'permissions' | 'scopes'>): void {
    for (const [kind, words] of Object.entries(permissions)) this.add(kind, words);
    for (const [tag, match] of Object.entries(scopes)) this.scope(tag, match);
  }

  /** Words of a kind that exists already are added to it. */
  add(kind: string, { words = [], choices = {}, patterns = [] }: PermissionKind): void {
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

  scope(tag: string, match: ScopeMatch): void {
    const known = this.scopes.get(tag) ?? match;
    if (known !== match) throw new Error(`scope '${tag}' is already compared as '${known}'`);
    this.scopes.set(tag, match);
  }
}
