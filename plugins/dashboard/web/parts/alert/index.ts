export { type AlertVerb, mayAll, mayWith } from './rights.ts';
export { SeverityIcon } from './severity.tsx';
export { type Matcher, matcherOf, silenceHour } from './silencing.ts';
export {
  type Alert,
  type AlertEvent,
  beganAt,
  type Counts,
  inOrder,
  isBelow,
  type Rule,
  SEVERITIES,
  type Severity,
} from './types.ts';
export { hiddenText, measuredText } from './words.ts';
