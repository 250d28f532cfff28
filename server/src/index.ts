export { setKey } from './config/edit.ts';
export { parseListener } from './config/listener.ts';
export { loadConfig } from './config/load.ts';
export { main } from './main.ts';
export { makePackageFolder } from './plugins/package-folder.ts';
export { serve } from './serve.ts';
export { firstText } from './setup.ts';
export { type StartOptions, start } from './start.ts';
