/** Declared here because the package is optional: the compiler works where it is not installed. */
declare module '@lydell/node-pty';
