/** Cost of a regular expression at its worst. */
// The part in plain JavaScript: the package's others need Java, or a program of the machine.
import recheck from 'recheck/lib/browser.js';

/** Characters of an attack, and the processor time that it may take of the engine that runs the product. */
const ATTACK = 20_000;
const MOST_MS = 10;
const TIMEOUT_MS = 30_000;

const cpu_ms = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The attack as a text of about the same length, however strong the tool would make it. */
function attackText({ pumps, suffix }) {
  const fixed = pumps.reduce((sum, { prefix }) => sum + prefix.length, suffix.length);
  const pumped = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  const times = Math.max(1, Math.floor((ATTACK - fixed) / Math.max(1, pumped)));
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('') + suffix;
}

/** Some attacks are none for this engine, which knows more short cuts than the tool: only a slow one counts. */
function cost(expression, text) {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3 && least > MOST_MS; n++) {
    const before = cpu_ms();
    text.replace(expression, '');
    least = Math.min(least, cpu_ms() - before);
  }
  return least;
}

/** @returns {string | undefined} what is wrong with `/source/flags`; undefined: its time grows as its text does */
export function faultOf(expression) {
  const end = expression.lastIndexOf('/');
  const [source, flags] = [expression.slice(1, end), expression.slice(end + 1)];
  const { attack, complexity, error, status } = recheck.checkSync(source, flags, {
    timeout: TIMEOUT_MS,
  });
  if (status === 'safe') return undefined;
  if (status === 'unknown') return `could not be judged (${error?.kind})`;
  const text = attackText(attack);
  const ms = cost(new RegExp(source, flags), text);
  const shown = JSON.stringify(attack.pumps.map(({ pump }) => pump).join(' … '));
  return ms > MOST_MS
    ? `${complexity?.summary ?? 'slow'}: ${Math.round(ms)} ms for ${text.length} characters with ${shown} repeated`
    : undefined;
}
