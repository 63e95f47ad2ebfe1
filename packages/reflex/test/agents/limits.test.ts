import { expect, test } from 'vitest'
import { Draft } from '../../src/agents/lookup.ts'
import { fill } from '../../src/agents/template.ts'
import { isFault } from '../../src/kernel/index.ts'
import { acceptAnswer } from '../../src/people/index.ts'
import { ScopedBlackboard } from '../../src/kinds/workflow/index.ts'

const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (thrown) {
    return isFault(thrown) ? thrown.code : thrown
  }
}

test('nested sections that write nothing come to an end', () => {
  const board = new ScopedBlackboard()
  board.append([{ key: 'l', value: Array.from({ length: 100 }, () => 1) }], { workflowId: 'w', nodeId: 'n', stackDepth: 0 })
  const draft = new Draft(board.reader())
  expect(codeOf(() => fill(`${'{{#l}}'.repeat(6)}${'{{/l}}'.repeat(6)}`, draft, 'text'))).toBe('R2113')
})

test('an endless pattern and a schema that contains itself are refused', () => {
  const hang = { text: 'q', schema: { type: 'string', pattern: '^(a+)+$' } }
  expect(codeOf(() => acceptAnswer(hang, `${'a'.repeat(40)}b`))).toBe('R4201')
  const loop = { text: 'q', schema: { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' } }
  expect(codeOf(() => acceptAnswer(loop, 'x'))).toBe('R4202')
})
