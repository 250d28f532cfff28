import { useState } from 'preact/hooks';
import { passwordMistake, type Resource, usePoll, useServer, wire } from '../../frame/index.ts';
import { prettyJson, readJson, toast, useWork } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { added, type Limit, type ScopeTag, written } from './limit/model.ts';
import { limitOfPreset, type Preset } from './limit/presets.ts';

export interface Token {
  readonly token_key: string;
  readonly username: string | null;
  readonly timestamp_from: number | null;
  readonly timestamp_to: number | null;
  readonly token_limit: Limit;
}

/** Front ends know the Super Token by its name. */
export const isSuperToken = ({ username }: Token): boolean => username === 'root';

export type Validity = 'valid' | 'early' | 'over';
export function validityOf({ timestamp_from, timestamp_to }: Token, now = Date.now()): Validity {
  if (timestamp_from !== null && now < timestamp_from) return 'early';
  return timestamp_to !== null && now > timestamp_to ? 'over' : 'valid';
}

/** Tokens that this one may list: all of them, or itself. */
export function useTokens(): Resource<readonly Token[]> {
  const { call, me } = useServer();
  return usePoll('tokens', async (): Promise<readonly Token[]> => {
    if (!me.isSuper) return [(await call('token_get')) as Token];
    return (await call('token_list_all_tokens')).tokens as readonly Token[];
  });
}

/** Gives the token another limit; the server changes nothing else of it. */
export function useLimitEdit({ token_key }: Token, onSaved: () => void) {
  const { call } = useServer();
  return useWork(async (limit: Limit) => {
    await call('token_edit', { target_token: token_key, limit: [...written(limit)] });
    toast(t.tokens.saved);
  }, onSaved);
}

/** Calls that change a token or what it logs in with. */
export function useTokenActions({ token_key: target_token }: Token) {
  const { call } = useServer();
  return {
    roll: () => call('token_roll_token_secret', { target_token }),
    changePassword: (new_password: string) =>
      call('token_change_password', { target_token, new_password }),
    remove: () => call('token_delete', { target_token }),
  };
}

/** Things that hang on a token: they stop with it. */
export function useDependents({ token_key: target_token }: Token) {
  const { call } = useServer();
  return usePoll(`hangs on ${target_token}`, () => call('token_dependents', { target_token }));
}

const HELD_EVERY_MS = 60_000;
export type Owner = NonNullable<ReturnType<typeof useOwners>['data']>[number];
export type Holding = Owner['kinds'][number];

/** Owners with what they hold: that of one token, or all. */
export function useOwners(name: string, target_token?: string) {
  const { call } = useServer();
  const load = async () =>
    (await call('token_holdings', target_token === undefined ? {} : { target_token })).owners;
  return usePoll(`held ${name}`, load, { every_ms: HELD_EVERY_MS });
}

/** Names that a scope of this kind may have, as far as the reader may list them. */
export function useScopeNames(tag: ScopeTag): readonly string[] {
  const { call, has, holds, may } = useServer();
  const mayBuckets = may('static-bucket_list') === true;
  const offered = usePoll(`names ${tag} ${mayBuckets}`, async (): Promise<readonly string[]> => {
    if (tag === 'kv_namespace' && has('kv') && holds('kv', 'list_all_namespace'))
      return call('kv_list_all_namespace');
    if (tag === 'js_worker' && has('js-worker')) return call('js-worker_list_all_js_worker');
    if (tag === 'db' && has('db') && holds('db', 'list'))
      return (await call('db_list')).data.map(({ name }) => name);
    if (tag === 'static_bucket' && mayBuckets) return call('static-bucket_list');
    return [];
  });
  return offered.data ?? [];
}

export interface Answer {
  readonly method: string;
  readonly params: { readonly [name: string]: unknown };
  readonly allowed: boolean | null;
  readonly reason: string;
  readonly requirements: readonly { readonly missing: Limit }[];
}

interface Described {
  readonly name: string;
  readonly params?: readonly { readonly name: string }[];
  readonly examples?: readonly {
    readonly params?: readonly { readonly name: string; readonly value?: unknown }[];
  }[];
}

/** Question whether the token may call a method: its rule is read, the method is not called. */
export function useCheck({ token_key }: Token) {
  const { call, me } = useServer();
  const methods = usePoll(
    'methods',
    async () => (await call('rpc.discover')).methods as Described[],
  );
  const [method, setMethod] = useState('');
  const [params, setParams] = useState('{}');
  const [answer, setAnswer] = useState<Answer>();
  const read = readJson(params === '' ? '{}' : params);
  const wrong = 'error' in read ? read.error : isObject(read.value) ? undefined : t.tokens.noObject;
  const { run: ask, error } = useWork(async () => {
    const given = ('value' in read ? read.value : {}) as Answer['params'];
    try {
      const found = await call('token_explain', {
        method: wire(method.trim()),
        params: given,
        ...(me.isSuper && { target_token: token_key }),
      });
      setAnswer({ ...(found as unknown as Answer), params: given });
    } catch (failure) {
      setAnswer(undefined);
      throw failure;
    }
  });
  const choose = (name: string) => {
    setMethod(name);
    setAnswer(undefined);
    const chosen = methods.data?.find((one) => one.name === name);
    if (chosen) setParams(prettyJson(exampleOf(chosen)));
  };
  const isReady = method.trim() !== '' && wrong === undefined;
  const names = methods.data?.map(({ name }) => name) ?? [];
  return { names, method, choose, params, setParams, wrong, isReady, answer, error, ask };
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parameters of the method's example, without the credential. */
function exampleOf({ examples, params }: Described): { readonly [name: string]: unknown } {
  const [credential] = params ?? [];
  const given = examples?.[0]?.params ?? [];
  return Object.fromEntries(
    given.filter(({ name }) => name !== credential?.name).map(({ name, value }) => [name, value]),
  );
}

/** Adds what the token lacks to its limit. */
export function useMissing(token: Token, onAdded: () => void) {
  const { run, ...rest } = useLimitEdit(token, onAdded);
  return { ...rest, add: (entries: Limit) => run(added(token.token_limit, entries)) };
}

/** The only time that the secret of a token is seen. */
export interface Made {
  readonly key: string;
  readonly secret: string;
}

/** Account that logs in with a token, and for how long; times as the browser's fields have them. */
export interface Account {
  readonly username: string;
  readonly password: string;
  readonly from: string;
  readonly until: string;
}

/**
 * Mistakes in the fields of an account, in words; signs with which the server stores a name or a password that never logs in
 * (auth.md §1).
 */
export function mistakesOf({ username, password, from, until }: Account) {
  const isHalf = (username.trim() === '') !== (password === '');
  return {
    username: /[:|]/.test(username) ? t.tokens.usernameSigns : undefined,
    password: isHalf
      ? t.tokens.bothOrNone
      : password.includes(':')
        ? t.tokens.passwordSign
        : undefined,
    until: from !== '' && until !== '' && from >= until ? t.parts.backward : undefined,
  };
}

/** `own`: the rights are put together by hand. */
export type Purpose = Preset | 'own';

const BLANK: Limit = [{ scopes: [], permissions: [] }];
const NOBODY: Account = { username: '', password: '', from: '', until: '' };

/** `datetime-local` is the reader's own time. Null: nothing is typed. */
const timeOf = (text: string): number | null => (text === '' ? null : new Date(text).getTime());

/** Draft of a new token: its purpose, its rights and its account. */
export function useNewToken(onMade: () => void) {
  const { call } = useServer();
  const [purpose, setPurpose] = useState<Purpose>();
  const [uuid, setUuid] = useState('');
  const [own, setOwn] = useState<Limit | undefined>(BLANK);
  const [account, setAccount] = useState(NOBODY);
  const [made, setMade] = useState<Made>();
  // A blank at an end is no part of a name, and the log-in would ask for it.
  const username = account.username.trim();
  const preset = purpose === undefined || purpose === 'own' ? [] : limitOfPreset(purpose, uuid);
  const limit = purpose === 'own' ? own : preset;
  const { run, error, isBusy } = useWork(async () => {
    const { password, from, until } = account;
    const token_creation = {
      token_limit: [...written(limit ?? [])],
      timestamp_from: timeOf(from),
      timestamp_to: timeOf(until),
      ...(username === '' ? {} : { username, password }),
    };
    setMade(await call('token_create', { token_creation }));
    onMade();
  });
  const isReady =
    purpose !== undefined &&
    limit !== undefined &&
    (purpose !== 'agent' || uuid !== '') &&
    Object.values(mistakesOf(account)).every((mistake) => mistake === undefined);
  const adjust = () => {
    setOwn(preset);
    setPurpose('own');
  };
  return {
    ...{ purpose, setPurpose, uuid, setUuid, preset, adjust, own: own ?? BLANK, setOwn },
    ...{ username, account, setAccount, made, isReady, isBusy, error },
    /** Mistake in the password, as the server says it. */
    refused: passwordMistake(error),
    create: () => isReady && !isBusy && run(),
  };
}
