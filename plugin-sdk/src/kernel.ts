/** Other side of the contract, for the program and for plugins that stand in for a part of it: a bus, a reader of messages, a log. */
export type { BusEvent, BusRequest, BusSender, BusServer, RemoteBus } from './bus.ts';
export type { CommandArguments, CommandTerminal } from './command.ts';
export type { ConfigWarning } from './configuration-file.ts';
export { isFileOnly, isSecretKey, type KeyMarks } from './configuration-keys.ts';
export { definitionFault } from './definition.ts';
export { PluginError } from './errors.ts';
export { type Area, EXAMINED } from './finding.ts';
export type { Incoming, Listening, ReadEntry, Reading, ReadPart, Reload, Wait } from './hooks.ts';
export type { Fields, Level, LogRecord } from './log.ts';
export type { Access, Definition, RegisteredMethod } from './method.ts';
export type { Commands } from './plugin.ts';
export type { Hold, LivesOn, ScopeMatch } from './principal.ts';
export type { ServerState } from './server.ts';
export type { Service } from './service.ts';
export { misfit, type Topic } from './topic.ts';
