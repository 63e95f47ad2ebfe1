import { defineNode } from '../manifest/manifest.ts'
import { ANY } from './outcomes.ts'
import { presetOf } from './preset.ts'
import { textOf } from '../model/text-of.ts'

export const codeSearch = defineNode({
  type: 'code_search',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  parameters: [
    {
      name: 'operation',
      type: 'enum',
      values: { search: [], definition: [], references: [], repo_map: [] },
      required: true,
      doc: 'What to do.',
    },
    { name: 'query', type: 'text', doc: 'What to look for.' },
    { name: 'limit', type: 'count', default: 10, doc: 'The most results.' },
    { name: 'language', type: 'text', doc: 'The programming language.' },
    { name: 'file_pattern', type: 'text', doc: 'A pattern of file names.' },
    { name: 'scope', type: 'text', doc: 'A folder.' },
    { name: 'output', type: 'key', flow: 'out', default: 'code_results', doc: 'The key that gets the result.' },
    { name: 'timeout', type: 'ms', default: 60000, unit: 'ms', doc: 'The longest time.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  check: ({ operation, query }) => (operation !== 'repo_map' && query === undefined ? `${textOf(operation)} needs a query` : undefined),
  doc: 'Searches code with the tool `code_search`.',
  example: 'BT.code_search({ operation = "search", query = "retry" })',
  tool: 'code_search',
  behaviour: presetOf('code_search'),
})
