import type { Strings } from '../../strings/index.ts';

export const words: Strings['monitorsImport'] = {
  about:
    '选择 Uptime Kuma（kuma.db，或 1.x 的备份）、Gatus（config.yaml）、Healthchecks（GET /api/v3/checks/ 的返回）或 Beszel（data.db）的文件，最大 6 MB。',
  safe: '确认之前不会更改任何内容。更大的文件请用 svc-server import。',
  another: '选择其他文件',
  counted: (count, outcome) => `${outcome} ${count} 项`,
  choose: '选择文件',
  tooLarge: '文件超过 6 MB：请在服务器上使用 svc-server import。',
  failed: '导入失败。',
  make: '创建（先停用）',
  switchOn: '启用',
  undo: '撤销',
  undoTitle: (count) => `撤销导入的 ${count} 项？`,
  undoAction: (count) => `删除 ${count} 项`,
  undoText:
    '将删除从该安装导入的监控、渠道、规则和维护窗口及其全部结果，已启用的也会删除。导入后被修改过的会保留。',
  table: '文件的导入结果',
  rewritings: '改写后的条件',
  before: '原来',
  after: '现在',
  name: '名称',
  kind: '类型',
  outcome: '结果',
  notes: '差异或原因',
  outcomes: {
    made: '已创建',
    differently: '已创建，有差异',
    not_made: '未创建',
    there: '已存在',
    switched_on: '已启用',
    kept: '保留',
    deleted: '已删除',
  },
  planned: '将会创建以下内容，目前尚未更改。',
  done: '已创建并停用：请检查后再启用。',
  nothing: '没有任何更改。',
};
