export { App, type BootOptions, boot } from './boot.ts';
export { makeBrand } from './brand.ts';
export { machineClock } from './clock.ts';
export type { BrandConfig, Head } from './head.ts';
export type { KernelHooks } from './hooks.ts';
export { runningPlugin } from './plugins/running.ts';
export type { PluginSettings } from './plugins/scope.ts';
