/** `npm run reference` */
await import('./reference/index.ts');
