/** The caller of a method. The hook `authenticate` gives the same object for every call of one credential. */
export interface Principal {
  /** Name of the credential's record (a token key); never a secret. */
  readonly id: string;
  /** Name that people know the record by, where it has one. */
  readonly name?: string | undefined;
  /** Tells that every permission and time check is skipped (auth.md §4). */
  readonly super: boolean;
  /** Aborts when the credential stops being valid: deleted, rolled or expired. Subscriptions and terminals end with it. */
  readonly ended: AbortSignal;
}

/** Place where a right applies: `"global"` or one tag with one name, for example `{"agent_uuid":"…"}` (auth.md §5.1). */
export type Scope = 'global' | { readonly [tag: string]: string };

/** Action that is allowed: one kind with a word, or one verb with a word or pattern, for example `{"task":{"write":"ping"}}` (auth.md §5.2). */
export type Permission = { readonly [kind: string]: string | { readonly [verb: string]: string } };

/** Every scope × permission pair must be covered by some limit entry (auth.md §6.3). */
export interface Requirement {
  readonly scopes: readonly Scope[];
  readonly permissions: readonly Permission[];
  /** Detail of the 102 error, without the prefix `Permission denied: `. */
  readonly denied: string;
}

/**
 * Condition that a stream lives on, besides the credential of its caller: one of these rights is enough, or, where rights
 * alone do not say it, an own question. It is asked whenever the rights of the caller may have changed; no or an error: the
 * stream ends.
 */
export type LivesOn = readonly Requirement[] | (() => boolean | Promise<boolean>);

/** The hold of one stream on its credential and rights. */
export interface Hold {
  /** Aborts when the credential ends, or when the rights that the stream lives on have gone. */
  readonly ended: AbortSignal;
  /** The stream is over: nothing is asked any more. */
  release(): void;
}

/** The words of one permission kind: data from which its check and its schema follow. */
export interface PermissionKind {
  /** Allowed as `{kind: word}`. */
  readonly words?: readonly string[];
  /** Allowed as `{kind: {verb: one of these}}`. */
  readonly choices?: { readonly [verb: string]: readonly string[] };
  /** Allowed as `{kind: {verb: text}}`; a trailing `*` of the granted text matches any ending. */
  readonly patterns?: readonly string[];
}

/**
 * Comparison of the names under one scope tag: `exact` as text; with `prefix` a trailing `*` of the granted name matches
 * any ending; `uuid` takes any spelling of one UUID.
 */
export type ScopeMatch = 'exact' | 'prefix' | 'uuid';
