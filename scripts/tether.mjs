/** Preloaded into the bundled agent: it stops when the server process has gone, however that one ended. */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
