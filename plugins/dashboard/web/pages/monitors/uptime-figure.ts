import { format } from '../../parts/index.ts';

/** Per cent with two decimals, never rounded up; undefined: too little is known. */
export const uptimeFigure = (uptime: number | null): format.Figure | undefined =>
  uptime === null
    ? undefined
    : { value: format.number(Math.floor(uptime * 100) / 100, uptime === 100 ? 0 : 2), unit: '%' };
