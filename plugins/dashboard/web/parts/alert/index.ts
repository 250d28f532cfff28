export { episodesOf } from './episodes.ts';
export { beginningOf, type Matcher, matcherOf, namesMonitor } from './matcher.ts';
export { type AlertVerb, mayAll, mayWith } from './rights.ts';
export { SeverityIcon } from './severity.tsx';
export { silenceHour } from './silencing.ts';
export {
  type Alert,
  type AlertEvent,
  type Counts,
  inOrder,
  isBelow,
  isSilenced,
  type Rule,
  SEVERITIES,
  type Severity,
  toldCounts,
  toldFirst,
} from './types.ts';
export { ackedText, comparedText, hiddenText, measuredText, ruleTitle } from './words.ts';
