export {
  type AlertWords,
  type OpenAlerts,
  seesAlerts,
  useAlertWords,
  useOpenAlerts,
  useSubjects,
} from './alerts.ts';
export { type Command, useCommands } from './commands.ts';
export { useCrumbs } from './crumbs.ts';
export { fleetStream } from './fleet-stream.ts';
export { Loaded } from './loaded.tsx';
export { type Machine, type Machines, shortId, useMachines } from './machines.ts';
export { styleNonce, wire, word } from './meta.ts';
export { isMissing, setValue } from './namespace.ts';
export { isLogin, passwordMistake } from './password.tsx';
export { colours, density } from './preferences.ts';
export { type Resource, useLive, usePoll } from './resources.ts';
export { address, Link, navigate, setQuery, to } from './router.tsx';
export { type Me, type Method, type Server, useServer } from './server.ts';
export { deviceName } from './session.ts';
export { useTokenName } from './token-name.ts';
