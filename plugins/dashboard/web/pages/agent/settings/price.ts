import { format } from '../../../parts/index.ts';
import { language, t } from '../../../strings/index.ts';
import type { Stored } from './model.ts';

/** Days for which people pay at once. */
export const CYCLES = [30, 90, 180, 365] as const;
type Cycle = (typeof CYCLES)[number];

/** "5.99 € a month": what the machine costs, where people have said it. */
export function priceText(stored: Stored): string | undefined {
  const [price, unit, cycle] = ['', '_unit', '_cycle'].map((end) => stored[`metadata_price${end}`]);
  if (typeof price !== 'number') return undefined;
  const amount = amountOf(price, typeof unit === 'string' ? unit.trim() : '');
  const days = Number(cycle);
  if (!(days > 0)) return amount;
  const usual = CYCLES.find((one) => one === days) as Cycle | undefined;
  return usual === undefined
    ? t.agent.price.days(amount, format.number(days))
    : t.agent.price.cycles[usual](amount);
}

/** Amount with a currency as the reader writes it, by its code; any other unit follows the number. */
function amountOf(price: number, unit: string): string {
  if (/^[A-Z]{3}$/i.test(unit))
    return new Intl.NumberFormat(language(), { style: 'currency', currency: unit }).format(price);
  const text = format.number(price, Number.isInteger(price) ? 0 : 2);
  return unit === '' ? text : `${text} ${unit}`;
}
