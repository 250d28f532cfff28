/**
 * Preloaded into the server under test (`--import`): answers over IPC with memory, CPU time and event-loop delay. The delay is
 * looked at from the first `reset` on: each look wakes the thread, which costs more than a report, and its histogram takes
 * memory. Threads of the server load this file, too, and are left alone.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const PERIOD_MS = 5;
let delay;

/** The histogram counts from timer to timer: its own period is no delay. */
const delay_ms = (ns = 0) => Math.max(0, ns / 1e6 - PERIOD_MS);

process.on('message', (message) => {
  if (message === 'reset') {
    delay ??= monitorEventLoopDelay({ resolution: PERIOD_MS });
    delay.enable();
    delay.reset();
  }
  const cpu = process.cpuUsage();
  process.send?.({
    rss_mb: process.memoryUsage.rss() / 1e6,
    cpu_ms: (cpu.user + cpu.system) / 1000,
    delay_p99_ms: delay_ms(delay?.percentile(99)),
    delay_max_ms: delay_ms(delay?.max),
  });
});
// The server may end although a question could still come.
process.channel?.unref();
