import type { Words } from '../../../strings/index.ts';
import type { silences as english } from './en.ts';

/** 静默和维护时段的范围的文字。 */
export const silences: Words<typeof english> = {
  nothingNamed: ({ tags, monitors }) =>
    `请选择范围：主机、${monitors ? '监控项、' : ''}${tags ? '标签、' : ''}规则或级别。`,
  subjects: { agents: '主机', monitors: '监控项' },
  bothKinds: '同时指定了主机和监控项。没有告警同时属于两者，因此不会隐藏任何告警。',
  noneChosen: '未选择：适用于符合其余条件的全部对象。',
  monitors: (count) => (count === 0 ? '监控项' : `监控项（已选 ${count} 个）`),
  findMonitor: '按名称、分组或标签查找',
  noMonitor: '没有匹配的监控项。',
  alsoLater: (text) => `添加${text}，包括以后新增的`,
  monitorsHint: '分组代表当前在其中的监控项。输入名称的开头可添加所有匹配项。',
  wholeRule: '这会隐藏该规则的全部告警：静默只能指定主机和监控项。',
  beginsWith: (text) => `名称以“${text}”开头的全部`,
  anyMonitor: '全部',
  moreMonitors: (text) => `末尾的 * 代表任意后缀：这会隐藏名称以“${text}”开头的所有监控项。`,
};
