import type { Strings } from '../../strings/index.ts';

export const words: Strings['monitorsImport'] = {
  about:
    '选择 Uptime Kuma（kuma.db，或 1.x 的备份）、Gatus（config.yaml）、Healthchecks（GET /api/v3/checks/ 的返回）或 Beszel（data.db）的文件，最大 6 MB。确认之前不会更改任何内容；更大的文件请用 svc-server import。',
  choose: '选择文件',
  tooLarge: '文件超过 6 MB：请在服务器上使用 svc-server import。',
  failed: '导入失败。',
  make: '创建（先停用）',
  switchOn: '启用',
  undo: '撤销',
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
