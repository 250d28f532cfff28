/** Returns the other spelling of a parameter (conventions.md §2.3): `agent_uuid` is `agentUuid`. */
export const camelOf = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
