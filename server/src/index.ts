export { setKey } from './config/edit.ts';
export { main } from './main.ts';
export { serve } from './serve.ts';
export { type StartOptions, start } from './start.ts';
