import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { compileExpression } from '../../src/text/index.ts'
import { variablesOf } from '../text/variables.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/expressions.md'), 'utf8')
const [board = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, body = '']) => body)
const lines = [...page.matchAll(/^```cel\n([\s\S]*?)^```/gm)].flatMap(([, body = '']) => body.trim().split('\n'))
const examples = lines.map((line) => line.split(/\s+\/\/ /) as [expression: string, result: string])

test.each(examples)('docs/expressions.md: %s is %s', (text, result) => {
  const { expression, findings } = compileExpression(text, { allVariables: 'board' })
  if (expression === undefined) return expect(findings[0]?.code).toBe(result)
  const evaluation = expression.evaluate(variablesOf(JSON.parse(board) as Record<string, unknown>))
  return expect(evaluation.ok ? JSON.stringify(evaluation.value) : `fails: ${evaluation.failure.message}`).toBe(result)
})

test('docs/expressions.md has examples', () => {
  expect(examples.length).toBeGreaterThan(35)
})
