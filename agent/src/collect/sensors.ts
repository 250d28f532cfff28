import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Readings for which the reports of the protocol have no room. Lists are empty where the machine has nothing of the kind. */
export interface Sensors {
  /** `limit`: where the machine calls it critical. */
  temperatures: { name: string; celsius: number; limit?: number }[];
  fans: { name: string; rpm: number }[];
  /** `status` as Linux says it: `Charging`, `Discharging`, `Full`, `Not charging` or `Unknown`. */
  batteries: { name: string; percent: number; status: string }[];
}

/** Entries of each list. */
const MOST = 64;

/** Text of a file; empty where it is not there or the sensor does not answer. */
const read = (...path: string[]): Promise<string> =>
  readFile(join(...path), 'utf8').then(
    (text) => text.trim().slice(0, 128),
    () => '',
  );
const list = (...path: string[]): Promise<string[]> =>
  readdir(join(...path)).then(
    (names) => names.sort(),
    () => [],
  );
const number = (text: string): number | undefined =>
  text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);

/** Tells whether a chip can be so warm, in °C. A chip without a probe reads −128, 127 or 6553.5, by its number of bits. */
export const isPossible = (celsius: number): boolean => celsius > -60 && celsius < 127;
/** Revolutions of a fan per minute that are a figure, not the greatest number of its chip. */
const isTurning = (rpm: number): boolean => rpm >= 0 && rpm < 65_535;
/** Tells whether a limit was set: one that was not is 0, −273 or thousands of degrees. */
const isLimit = (celsius: number): boolean => celsius > 0 && celsius < 200;
const degrees = (thousandths: number): number => Math.round(thousandths / 100) / 10;

/** Reads the sensors that the kernel has below `root`, which is `/sys/class` on a machine. */
export async function readSensors(root: string): Promise<Sensors> {
  const sensors: Sensors = { temperatures: [], fans: [], batteries: [] };
  for (const chip of await list(root, 'hwmon')) await addChip(join(root, 'hwmon', chip), sensors);
  // Most zones are a chip of hwmon, too.
  if (sensors.temperatures.length === 0) await addZones(join(root, 'thermal'), sensors);
  await addBatteries(join(root, 'power_supply'), sensors);
  const { temperatures, fans, batteries } = sensors;
  return {
    temperatures: temperatures.slice(0, MOST),
    fans: fans.slice(0, MOST),
    batteries: batteries.slice(0, MOST),
  };
}

async function addChip(path: string, { temperatures, fans }: Sensors): Promise<void> {
  const chip = await read(path, 'name');
  for (const file of await list(path)) {
    const [, kind, index] = /^(temp|fan)(\d+)_input$/.exec(file) ?? [];
    if (kind === undefined) continue;
    const value = number(await read(path, file));
    if (value === undefined || (await read(path, `${kind}${index}_fault`)) === '1') continue;
    const label = (await read(path, `${kind}${index}_label`)) || `${kind}${index}`;
    const name = `${chip} ${label}`.trim();
    if (kind === 'temp') {
      const limit = degrees(number(await read(path, `temp${index}_crit`)) ?? 0);
      addTemperature(temperatures, { name, value, limit });
    } else if (isTurning(value)) fans.push({ name, rpm: value });
  }
}

/** `value` in thousandths of a degree. */
function addTemperature(
  temperatures: Sensors['temperatures'],
  { name, value, limit }: { name: string; value: number; limit: number },
): void {
  const celsius = degrees(value);
  if (!isPossible(celsius)) return;
  temperatures.push({ name, celsius, ...(isLimit(limit) && { limit }) });
}

async function addZones(path: string, { temperatures }: Sensors): Promise<void> {
  for (const zone of await list(path)) {
    const value = zone.startsWith('thermal_zone') && number(await read(path, zone, 'temp'));
    if (typeof value !== 'number') continue;
    const name = (await read(path, zone, 'type')) || zone;
    addTemperature(temperatures, { name, value, limit: 0 });
  }
}

async function addBatteries(path: string, { batteries }: Sensors): Promise<void> {
  for (const name of await list(path)) {
    // A battery of scope `Device` is that of a mouse or a keyboard.
    if ((await read(path, name, 'type')) !== 'Battery') continue;
    if ((await read(path, name, 'scope')) === 'Device') continue;
    const percent = number(await read(path, name, 'capacity'));
    const status = (await read(path, name, 'status')) || 'Unknown';
    // Worn batteries tell a little more than 100, those without a gauge any number.
    if (percent === undefined || percent < 0 || percent > 110) continue;
    batteries.push({ name, percent: Math.min(100, percent), status });
  }
}
