import { defineNode } from '../manifest/manifest.ts'
import { ANY } from './outcomes.ts'
import { presetOf } from './preset.ts'

export const oracle = defineNode({
  type: 'oracle',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  parameters: [
    { name: 'question', type: 'text', required: true, doc: 'The question.' },
    { name: 'sources', type: 'names', doc: 'Where to look: code, vault, threads.' },
    { name: 'explain', type: 'flag', default: false, doc: 'True: with the reasons.' },
    { name: 'output', type: 'key', flow: 'out', default: 'oracle_answer', doc: 'The key that gets the result.' },
    { name: 'timeout', type: 'ms', default: 120000, unit: 'ms', doc: 'The longest time.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Asks the tool `oracle` a question about code, notes and threads.',
  example: 'BT.oracle({ question = "Why does ${bb.test} fail?" })',
  tool: 'oracle',
  behaviour: presetOf('oracle'),
})
