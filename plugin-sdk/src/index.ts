/** Contract of a plugin: its definition, what `setup` gets, methods, rights, errors, and the schemas that all of them use. */
export type { Auth } from './auth.ts';
export type { Bus, Messaging } from './bus.ts';
export type { Clock } from './clock.ts';
/** @deprecated until 0.12: types that signatures of services name, from their doors `/http`, `/kernel` and `/sql` */
export type { ConfigWarning } from './configuration-file.ts';
export { ConfigurationFile } from './configuration-file.ts';
export { fileOnly, reload, secretKey } from './configuration-keys.ts';
export { RpcError, UserError } from './errors.ts';
export { examineFolder, type Finding, finding, sizeText, warnOfFolder } from './finding.ts';
export {
  type Counting,
  countingIn,
  type HoldingChange,
  type HoldingKind,
  type HoldingLimit,
  type HoldingLimits,
  Holdings,
  OWNER_FULL,
  uncounted,
} from './holdings.ts';
export { type Call, EARLY, LAST, LATE, type Outcome } from './hooks.ts';
export type { Exchange, Origin } from './http/contract.ts';
export type { LogRecord } from './log.ts';
export { type Logger, LogSinks, type Span } from './log.ts';
export {
  type AccessContext,
  anyOf,
  type CallContext,
  type Example,
  type Methods,
  needs,
  type ParamsOf,
  type Push,
  type Right,
  superOnly,
} from './method.ts';
export { type Command, definePlugin, type Hooks, type Kernel, type Plugin } from './plugin.ts';
export type { Permission, PermissionKind, Principal, Requirement, Scope } from './principal.ts';
export {
  canonicalUuid,
  DryRun,
  described,
  optional,
  type Static,
  type TSchema,
  Type,
  Uuid,
} from './schemas.ts';
export type { Brand } from './server.ts';
export { service } from './service.ts';
export type { Database } from './sql/database.ts';
export { addHeldBytes } from './sql/held-bytes.ts';
export type { Integer } from './sql/statements.ts';
export { DatabaseChanged, type Payload, topic } from './topic.ts';
