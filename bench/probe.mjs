/**
 * Preloaded into the server under test (`--import`): answers over IPC with memory, CPU time and event-loop delay. The delay is
 * looked at from the first `reset` on: each look wakes the thread, which costs more than a report. Threads of the server load
 * this file, too, and are left alone.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 5 });

process.on('message', (message) => {
  if (message === 'reset') {
    delay.enable();
    delay.reset();
  }
  const cpu = process.cpuUsage();
  process.send?.({
    rss_mb: process.memoryUsage.rss() / 1e6,
    cpu_ms: (cpu.user + cpu.system) / 1000,
    // The histogram counts from timer to timer: its own period is no delay.
    delay_p99_ms: Math.max(0, delay.percentile(99) / 1e6 - 5),
    delay_max_ms: Math.max(0, delay.max / 1e6 - 5),
  });
});
// The server may end although a question could still come.
process.channel?.unref();
