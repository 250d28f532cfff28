import type { Permission } from '@svc/plugin-sdk';
import { everyMember, Names } from './names.ts';
import { BRAND_KIND, type Vocabulary } from './vocabulary.ts';

/** Granted words of one kind. */
interface Grant {
  readonly words: Set<string>;
  readonly verbs: Map<string, Names>;
}

/** Permissions of one limit entry, made ready for matching. */
export class Grants {
  readonly permissions: readonly Permission[];
  readonly #kinds = new Map<string, Grant>();
  readonly #vocabulary: Vocabulary;

  constructor(permissions: readonly Permission[], vocabulary: Vocabulary) {
    this.permissions = permissions;
    this.#vocabulary = vocabulary;
    for (const permission of permissions) {
      for (const [kind, value] of Object.entries(permission)) this.#add(kind, value);
    }
  }

  covers(wanted: Permission): boolean {
    return everyMember(wanted, (kind, value) => {
      const grant = this.#kinds.get(kind);
      if (!grant) return false;
      if (typeof value === 'string') return grant.words.has(value);
      return everyMember(value, (verb, name) => grant.verbs.get(verb)?.covers(name) ?? false);
    });
  }

  /** Tells whether these permissions allow everything that `wanted` allows. */
  contains(wanted: Permission): boolean {
    return everyMember(wanted, (kind, value) => {
      const grant = this.#kinds.get(kind);
      if (!grant) return false;
      if (typeof value === 'string') return grant.words.has(value);
      return everyMember(value, (verb, name) => {
        const wildcard = this.#isPattern(kind, verb);
        return grant.verbs.get(verb)?.contains(name, wildcard) ?? false;
      });
    });
  }

  #add(kind: string, value: string | { readonly [verb: string]: string }): void {
    const grant = this.#kinds.get(kind) ?? { words: new Set(), verbs: new Map() };
    this.#kinds.set(kind, grant);
    // Requirements may spell the brand's kind either way.
    if (kind === this.#vocabulary.brandTag) this.#kinds.set(BRAND_KIND, grant);
    if (typeof value === 'string') {
      grant.words.add(value);
      return;
    }
    for (const [verb, name] of Object.entries(value)) {
      const names = grant.verbs.get(verb) ?? new Names();
      names.add(name, this.#isPattern(kind, verb));
      grant.verbs.set(verb, names);
    }
  }

  #isPattern(kind: string, verb: string): boolean {
    return this.#vocabulary.kinds.get(kind)?.patterns.has(verb) ?? false;
  }
}

const MAX_POOLED = 256;
/** Longest text of a shared list: longer ones are seldom equal. */
const MAX_TEXT_LENGTH = 4_096;

/** Pool of permission lists: equal ones share one object, because the tokens of a fleet differ in their scopes only. */
export class GrantPool {
  readonly #vocabulary: Vocabulary;
  readonly #byText = new Map<string, Grants>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  intern(permissions: readonly Permission[]): Grants {
    const text = JSON.stringify(permissions);
    if (text.length > MAX_TEXT_LENGTH) return new Grants(permissions, this.#vocabulary);
    const known = this.#byText.get(text);
    if (known) return known;
    if (this.#byText.size >= MAX_POOLED) this.#byText.clear();
    const made = new Grants(permissions, this.#vocabulary);
    this.#byText.set(text, made);
    return made;
  }
}
