export { type App, type BootOptions, boot } from './boot.ts';
export { main } from './main.ts';
export { serve } from './serve.ts';
