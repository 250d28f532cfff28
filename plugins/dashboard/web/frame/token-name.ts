import { useMachines } from './machines.ts';

interface Token {
  readonly token_key: string;
  readonly username: string | null;
  readonly token_limit: readonly { readonly scopes: readonly unknown[] }[];
}

const AGENT = /^\[agent\]:/;

/** Returns the name of a token: its user, else its machine where it is for one machine only, else its key. */
export function useTokenName(): (token: Token) => string {
  const { nameOf } = useMachines();
  return ({ token_key, username, token_limit }) => {
    if (username !== null && !AGENT.test(username)) return username;
    const uuid = username?.replace(AGENT, '') ?? onlyMachine(token_limit);
    return uuid === undefined ? token_key : nameOf(uuid);
  };
}

/** The UUID of the one machine, with its namespace, of which all entries speak. */
function onlyMachine(limit: Token['token_limit']): string | undefined {
  const scopes = limit.flatMap((entry) => entry.scopes) as {
    readonly agent_uuid?: string;
    readonly kv_namespace?: string;
  }[];
  const uuid = scopes.find((scope) => scope.agent_uuid !== undefined)?.agent_uuid;
  const isAll = scopes.every((scope) => (scope.agent_uuid ?? scope.kv_namespace) === uuid);
  return isAll ? uuid : undefined;
}
