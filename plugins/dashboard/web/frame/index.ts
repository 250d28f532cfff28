export { type Command, useCommands } from './commands.ts';
export { useCrumbs } from './crumbs.ts';
export { Loaded } from './loaded.tsx';
export { type Machine, type Machines, shortId, useMachines } from './machines.ts';
export { styleNonce, wire, word } from './meta.ts';
export { colours, density } from './preferences.ts';
export { type Resource, useLive, usePoll } from './resources.ts';
export { address, go, Link, setQuery, to } from './router.tsx';
export { type Me, type Server, useServer } from './server.ts';
