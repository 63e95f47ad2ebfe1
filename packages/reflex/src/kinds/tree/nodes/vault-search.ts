import { defineNode } from '../manifest/manifest.ts'
import { ANY } from './outcomes.ts'
import { presetOf } from './preset.ts'

export const vaultSearch = defineNode({
  type: 'vault_search',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  parameters: [
    { name: 'query', type: 'text', required: true, doc: 'What to look for.' },
    { name: 'tags', type: 'names', doc: 'Only notes with these tags.' },
    { name: 'limit', type: 'count', default: 10, doc: 'The most results.' },
    { name: 'output', type: 'key', flow: 'out', default: 'notes', doc: 'The key that gets the result.' },
    { name: 'timeout', type: 'ms', default: 30000, unit: 'ms', doc: 'The longest time.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  doc: 'Searches notes with the tool `vault_search`.',
  example: 'BT.vault_search({ query = "${bb.topic}" })',
  tool: 'vault_search',
  behaviour: presetOf('vault_search'),
})
